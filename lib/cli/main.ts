#!/usr/bin/env node
/** The executable: runs the command line with the streams of this process, and exits with its code. */
import { runCli } from './program.js';
import { createOutput } from './terminal/output-streams.js';

const { stdin, stdout, stderr, env } = process;
const io = { stdin, stdout: createOutput(stdout), stderr: createOutput(stderr), env };
// A program may parse standard output, so only the command writes there. What the app of the user prints, which `routes`
// and `openapi` load, goes to standard error.
stdout.write = stderr.write.bind(stderr);
const code = await runCli(process.argv.slice(2), io);
// `routes` and `openapi` load the app of the user. It may listen on a port, which would keep the process running.
process.exit(code);
