#!/usr/bin/env node
import { runCli } from './program.js';

// Whoever reads the output may stop: `keyward keys list | head`.
process.stdout.on('error', () => process.exit());
const code = await runCli(process.argv.slice(2), process);
// A module that `routes` loaded may listen, and would keep the process; what was printed goes out first.
process.stdout.write('', () => process.exit(code));
