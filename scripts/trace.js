/**
 * `npm run trace`: how many files and functions of lib/ a request passes, by V8's own count. With `--check` it exits 1 when a
 * path has grown beyond its bound; with `--list` it names the functions. It runs .build/, which has one file for each file of lib/.
 *
 * A gate, `requireApi` and `requireScopes`; no HTTP, no Express. Cold: the first request with a credential, when the gate has accepted
 * another one before, so that the signing key is known. Warm: the same credential again.
 */
import { generateKeyPairSync, sign } from 'node:crypto';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Session } from 'node:inspector/promises';
import { parseArgs } from 'node:util';

const BOUNDS = {
  'token, cold': { files: 24, functions: 70 },
  'token, warm': { files: 14, functions: 24 },
  'key, cold': { files: 20, functions: 65 },
  'key, warm': { files: 14, functions: 26 },
};
const ISSUER = 'https://issuer.example';
const AUDIENCE = 'https://api.example';

const { values } = parseArgs({
  options: {
    check: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    build: { type: 'string', default: '../.build' },
  },
});
const build = new URL(`${values.build}/`, import.meta.url);
const { accessTokens, apiKeys, requireApi, requireBearer, requireScopes } = await import(new URL('index.js', build));
const { createTestKit } = await import(new URL('testing/index.js', build));

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

let missed = 0;
for (const [kind, guarded] of Object.entries({ token: tokens(), key: keys() })) {
  const chain = [requireBearer({ accept: [guarded.verifier] }), requireApi('payments'), requireScopes('payments')];
  await pass(chain, guarded.credential());
  const credential = guarded.credential();
  for (const state of ['cold', 'warm']) report(`${kind}, ${state}`, await traceOf(() => pass(chain, credential)));
}
if (values.check && missed > 0) process.exitCode = 1;

/** Access tokens of a key that is given, each with another `jti`. */
function tokens() {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'trace', alg: 'ES256', use: 'sig' };
  let count = 0;
  const now = Math.floor(Date.now() / 1_000);
  const claims = {
    iss: ISSUER,
    aud: AUDIENCE,
    sub: 'client',
    client_id: 'client',
    iat: now,
    exp: now + 600,
    scope: 'payments',
  };
  const encode = (part) => Buffer.from(JSON.stringify(part)).toString('base64url');
  return {
    verifier: accessTokens({ issuer: ISSUER, audience: AUDIENCE, jwks: { keys: [jwk] } }),
    credential() {
      count += 1;
      const input = `${encode({ alg: 'ES256', typ: 'at+jwt', kid: 'trace' })}.${encode({ ...claims, jti: String(count) })}`;
      const signature = sign('sha256', Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' });
      return `${input}.${signature.toString('base64url')}`;
    },
  };
}

/** Secret keys, all of one record. */
function keys() {
  const record = { id: 'key_1', kind: 'secret', account: 'acc_1', environment: 'live', apis: ['payments'] };
  const kit = createTestKit();
  return {
    verifier: apiKeys({ resolver: async () => record, kinds: ['secret'], environment: 'live' }),
    credential: () => kit.secretKey(),
  };
}

/** Sends a request through middleware, one after the other. It rejects if one of them refuses. */
function pass(chain, credential) {
  const req = Object.assign(new IncomingMessage(null), {
    ...{ method: 'GET', url: '/payments', rawHeaders: ['Authorization', `Bearer ${credential}`] },
    headers: { authorization: `Bearer ${credential}` },
  });
  const res = new ServerResponse(req);
  return new Promise((resolve, reject) => {
    const next = (index) => (error) => {
      if (error !== undefined) reject(error);
      else if (index === chain.length) resolve();
      else chain[index](req, res, next(index + 1));
    };
    next(0)();
  });
}

/** The functions of lib/ that run meanwhile, by file. */
async function traceOf(run) {
  await session.post('Profiler.takePreciseCoverage');
  await run();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const called = ({ functions }) => functions.filter(({ ranges }) => ranges[0].count > 0).map(nameOf);
  return new Map(
    result
      .filter(({ url }) => url.startsWith(build.href))
      .map((script) => [script.url.slice(build.href.length), called(script)])
      .filter(([, functions]) => functions.length > 0),
  );
}

function nameOf({ functionName, ranges: [{ startOffset }] }) {
  return functionName || `at ${startOffset}`;
}

function report(path, trace) {
  const found = { files: trace.size, functions: [...trace.values()].flat().length };
  const bound = BOUNDS[path];
  const isWithin = found.files <= bound.files && found.functions <= bound.functions;
  if (!isWithin) missed += 1;
  process.stdout.write(
    `${isWithin ? 'ok    ' : 'MISSED'} ${path}: ${found.files} files (at most ${bound.files}), ` +
      `${found.functions} functions (at most ${bound.functions})\n`,
  );
  if (!values.list) return;
  for (const [file, functions] of trace) process.stdout.write(`         ${file}: ${functions.join(', ')}\n`);
}
