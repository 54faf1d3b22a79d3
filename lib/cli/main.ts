#!/usr/bin/env node
/** The executable: runs the command line with the streams of this process, and exits with its code. */
import { runCli } from './program.js';
import { createOutput } from './terminal/output-streams.js';

const { stdin, stdout, stderr, env } = process;
const code = await runCli(process.argv.slice(2), {
  stdin,
  stdout: createOutput(stdout),
  stderr: createOutput(stderr),
  env,
});
// `routes` and `openapi` load the app of the user. It may listen on a port, which would keep the process running.
process.exit(code);
