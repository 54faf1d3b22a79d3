/** Processes of a platform, and requests to them. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { now } from './store-clock.js';

/** Milliseconds that a process may take to end; then it is killed. */
const END_WITHIN = 10_000;
/** Milliseconds, then a request is given up. */
const ANSWER_WITHIN = 20_000;
const TICK = 10;

/**
 * Starts an instance on the store of a URL; resolves when it serves.
 *
 * @param issuer - The issuer whose tokens it accepts too, as options of `accessTokens`.
 */
export async function startInstance(url, cache = {}, issuer = undefined) {
  const options = [cache, ...(issuer === undefined ? [] : [issuer])].map((option) => JSON.stringify(option));
  const child = fork(new URL('store-instance.js', import.meta.url), [url, ...options]);
  const warnings = [];
  const revoked = new Map();
  const agent = new Agent({ keepAlive: true });
  const instance = { child, agent, warnings, port: 0, last: undefined };
  let isStopping = false;

  child.once('exit', (code) => {
    if (!isStopping) throw new Error(`an instance ended by itself, with code ${code}`);
  });
  await new Promise((resolve) => {
    child.on('message', (message) => {
      if (message.warning !== undefined) warnings.push({ ...message, at: now() });
      if (message.revoked !== undefined) revoked.get(message.revoked)(message);
      if (message.left !== undefined) instance.last = message;
      if (message.port === undefined) return;
      instance.port = message.port;
      resolve();
    });
  });

  return Object.assign(instance, {
    /** Revokes a key, or a token; resolves when that is committed, with when it was handed over to be. */
    revoke(id, token) {
      child.send({ revoke: id, token });
      return new Promise((resolve) => revoked.set(id, resolve));
    },
    /** Asks it to end; resolves with what it said last, its exit code, and how long it took. */
    async stop() {
      isStopping = true;
      const start = now();
      const exit = once(child, 'exit');
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), END_WITHIN);
      const [code] = await exit;
      clearTimeout(timer);
      agent.destroy();
      return { ...instance.last, code, took: now() - start };
    },
  });
}

/** Presents a key: the status of the answer, or the code of the error where there was none. */
export function present({ port, agent }, key, path = '/') {
  return new Promise((resolve) => {
    const failed = (error) => resolve(error.code ?? error.message);
    const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
    const request = get({ port, agent, path, headers, timeout: ANSWER_WITHIN }, (res) => {
      res.resume().once('end', () => resolve(res.statusCode));
      res.once('error', failed);
    });
    request.once('error', failed);
    request.once('timeout', () => request.destroy(new Error('no answer')));
  });
}

/** Calls for a request so many times a second, however long answers take; returns what ends it, when all are answered. */
export function load(rate, request) {
  const start = now();
  const pending = new Set();
  let made = 0;
  const timer = setInterval(() => {
    for (; made < ((now() - start) * rate) / 1_000; made += 1) {
      const answer = request(made).finally(() => pending.delete(answer));
      pending.add(answer);
    }
  }, TICK);
  return async () => {
    clearInterval(timer);
    await Promise.all(pending);
    return made;
  };
}
