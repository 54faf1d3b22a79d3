/** Four processes that share one replay cache, and proofs that two of them get at the same time. */
import { fork } from 'node:child_process';
import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { once } from 'node:events';

const PROCESSES = 4;
const ORIGIN = 'https://api.test';
/** The path of a synthetic request. */
const TARGET = `${ORIGIN}/payments`;
const KID = 'soak';

const PROCESS = new URL('proof-process.js', import.meta.url);

/** @param execArgv - Options of Node for the processes. */
export function startProofFleet(execArgv = []) {
  const children = Array.from({ length: PROCESSES }, () => fork(PROCESS, [], { execArgv }));
  return {
    /**
     * Sends proofs, each twice at once, to two processes.
     *
     * @param url - Of a store, or of a Redis.
     * @returns How many proofs were accepted so many times, and the number of answers that were neither 200 nor 401.
     */
    async sendTwice(url, count) {
      const [issuer, client] = [keyPair(), keyPair()];
      const names = { issuer: 'https://issuer.test', audience: ORIGIN };
      const jwks = { keys: [{ ...issuer.jwk, kid: KID, alg: 'ES256', use: 'sig' }] };
      const options = { ...names, jwks, dpop: { origin: ORIGIN, maxAge: 300 } };
      await Promise.all(children.map((child) => ask(child, { url, options })));

      const token = tokenOf(issuer, names, client);
      const proofs = Array.from({ length: count }, () => proofOf(client, token));
      // The first two processes get the one half at the same time, the others the other half.
      const halves = [proofs.filter((_, index) => index % 2 === 0), proofs.filter((_, index) => index % 2 === 1)];
      const answers = await Promise.all(
        children.map((child, index) => ask(child, { token, proofs: halves[Math.floor(index / 2)] })),
      );
      return figuresOf(answers);
    },
    async close() {
      await Promise.all(
        children.map((child) => {
          const gone = once(child, 'exit');
          child.kill('SIGKILL');
          return gone;
        }),
      );
    },
  };
}

function figuresOf(answers) {
  const figures = { never: 0, once: 0, twice: 0, others: answers.flat().filter(isOther).length };
  for (const [one, other] of [answers.slice(0, 2), answers.slice(2)]) {
    for (const [index, status] of one.entries()) {
      const times = Number(status === 200) + Number(other[index] === 200);
      figures[['never', 'once', 'twice'][times]] += 1;
    }
  }
  return figures;
}

const isOther = (status) => status !== 200 && status !== 401;

async function ask(child, order) {
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`a process ended with ${code}`)));
  // It may end when nobody waits for it any more.
  ended.catch(() => undefined);
  const answer = once(child, 'message');
  child.send(order);
  const [received] = await Promise.race([answer, ended]);
  return received;
}

function keyPair() {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { privateKey, jwk: publicKey.export({ format: 'jwk' }) };
}

function tokenOf({ privateKey }, { issuer, audience }, { jwk: { crv, kty, x, y } }) {
  const jkt = createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');
  const now = seconds();
  const claims = { iss: issuer, aud: audience, sub: 'soak', client_id: 'soak', iat: now, exp: now + 3_600 };
  return signed(privateKey, { typ: 'at+jwt', kid: KID }, { ...claims, jti: randomUUID(), scope: '', cnf: { jkt } });
}

function proofOf({ privateKey, jwk }, token) {
  const ath = createHash('sha256').update(token).digest('base64url');
  const claims = { jti: randomUUID(), htm: 'GET', htu: TARGET, iat: seconds(), ath };
  return signed(privateKey, { typ: 'dpop+jwt', jwk }, claims);
}

function signed(key, header, claims) {
  const parts = [{ alg: 'ES256', ...header }, claims].map((part) => JSON.stringify(part));
  const text = parts.map((part) => Buffer.from(part).toString('base64url')).join('.');
  return `${text}.${sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}

function seconds() {
  return Math.floor(Date.now() / 1_000);
}
