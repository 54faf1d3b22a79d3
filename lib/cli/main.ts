#!/usr/bin/env node
import { runCli } from './program.js';
import { standardOutput } from './terminal/standard-output.js';

const { stdin, stdout, stderr, env } = process;
const code = await runCli(process.argv.slice(2), {
  stdin,
  stdout: standardOutput(stdout),
  stderr: standardOutput(stderr),
  env,
});
// An app that `routes` loaded may listen to a port, which would keep the process alive.
process.exit(code);
