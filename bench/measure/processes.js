/** Processes of the subjects' own: started on their core, asked one thing at a time. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { startedOnLast } from './cores.js';

/**
 * V8 lets the space for new objects grow from 1 MB to 16 MB while some of them survive, within seconds or hours. A collection of
 * 1 MB is short, so a process that kept less until now would seem faster. With these arguments, a process has the size that each
 * reaches.
 */
export const GROWN_NEW_SPACE = ['--min-semi-space-size=16', '--max-semi-space-size=16'];

/**
 * Starts a program of this folder, and waits until it says what it has to say first.
 *
 * @param program - Its URL. @param given - Its settings, as JSON, in its arguments.
 */
export async function start(program, given, { name, execArgv = [] }) {
  const [execPath, before] = startedOnLast(process.execPath);
  const child = fork(program, [JSON.stringify(given)], {
    ...{ execPath, execArgv: [...before, ...execArgv], serialization: 'advanced' },
    ...{ stdio: ['ignore', 'ignore', 'pipe', 'ipc'], env: { ...process.env, NODE_ENV: 'production' } },
  });
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    complaints += text;
  });
  const ended = once(child, 'exit');
  const answer = async () => {
    const died = ended.then(() => Promise.reject(new Error(`${name} ended:\n${complaints}`)));
    const [message] = await Promise.race([once(child, 'message'), died]);
    if (message.error !== undefined) throw new Error(`${name}: ${message.error}`);
    return message.answer;
  };
  const first = await answer();
  return {
    name,
    first,
    /** Asks it something, and waits for what it says. */
    ask(question, details) {
      const reply = answer();
      child.send({ question, details });
      return reply;
    },
    async stop() {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}

/** Starts one process for each subject, lets them be measured, and stops them whatever comes of it. */
export async function withProcesses(starts, measure) {
  const running = [];
  try {
    for (const begin of starts) running.push(await begin());
    return await measure(running);
  } finally {
    await Promise.all(running.map((subject) => subject.stop()));
  }
}
