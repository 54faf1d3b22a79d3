import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ApiClient, serveApi } from '../../support/api-client.js';
import { type Holder, managed } from '../../support/managed.js';

const setup = managed('memory');
let api: ApiClient;

beforeAll(async () => {
  api = await serveApi(setup.management, setup.store, setup.clock);
});
afterAll(() => api.close());

interface Change {
  readonly method: 'POST' | 'DELETE' | 'PATCH';
  readonly path: string;
  readonly body?: object;
}

const { publicKey } = generateKeyPairSync('ed25519');
const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'one' };

const pathOfKey = async ({ key }: Holder) => `/keys/${(await key()).key.id}`;
const pathOfAccessKey = async ({ accessKey }: Holder) => `/access-keys/${(await accessKey()).key.id}`;
const paths = { key: pathOfKey, 'access key': pathOfAccessKey };

async function send(holder: Holder, { method, path, body }: Change, headers: Readonly<Record<string, string>> = {}) {
  return await api.send(holder.owner, method, path, { ...(body && { body }), headers });
}

type Prepare = (holder: Holder) => Promise<Change>;

/** Changes of an existing key, with the status of the first response and that of a repeated one. */
const CHANGES: readonly (readonly [what: string, prepare: Prepare, first: number, again: number])[] = [
  ...(['key', 'access key'] as const).flatMap((noun) => {
    const pathOf = paths[noun];
    const changes: readonly (readonly [string, Prepare, number, number])[] = [
      [`edits the ${noun}`, async (at) => ({ method: 'PATCH', path: await pathOf(at), body: { name: 'x' } }), 200, 200],
      [
        `rotates the ${noun}`,
        async (at) => ({ method: 'POST', path: `${await pathOf(at)}/rotate`, body: { gracePeriod: 60 } }),
        ...([200, 200] as const),
      ],
      [
        `ends the grace period of the ${noun}`,
        async (at) => {
          const path = await pathOf(at);
          await send(at, { method: 'POST', path: `${path}/rotate`, body: { gracePeriod: 60 } });
          return { method: 'POST', path: `${path}/end-grace-period` };
        },
        ...([200, 200] as const),
      ],
      [`revokes the ${noun}`, async (at) => ({ method: 'DELETE', path: await pathOf(at) }), 204, 204],
    ];
    return changes;
  }),
  ['adds a secret', async (at) => ({ method: 'POST', path: `${await pathOfAccessKey(at)}/secrets` }), 201, 200],
  [
    'deletes a secret',
    async (at) => {
      const path = `${await pathOfAccessKey(at)}/secrets`;
      const { body } = await send(at, { method: 'POST', path });
      return { method: 'DELETE', path: `${path}/${body.key.secrets[0].id}` };
    },
    ...([204, 204] as const),
  ],
  [
    'adds a public key',
    async (at) => ({ method: 'POST', path: `${await pathOfAccessKey(at)}/public-keys`, body: { jwk } }),
    ...([201, 201] as const),
  ],
  [
    'removes a public key',
    async (at) => {
      const path = `${await pathOfAccessKey(at)}/public-keys`;
      await send(at, { method: 'POST', path, body: { jwk } });
      return { method: 'DELETE', path: `${path}/one` };
    },
    ...([204, 204] as const),
  ],
];

/** The key of a path as it is now. */
async function keyOf(holder: Holder, path: string) {
  const [collection, id] = path.split('/').slice(1);
  return (await api.send(holder.owner, 'GET', `/${collection}/${id}`)).body;
}

const CREATIONS: readonly (readonly [what: string, prepare: Prepare, first: number, again: number])[] = [
  ['creates a key', async () => ({ method: 'POST', path: '/keys', body: { kind: 'secret', apis: 'all' } }), 201, 200],
  [
    'creates an access key',
    async () => ({ method: 'POST', path: '/access-keys', body: { scopes: ['payments'] } }),
    201,
    200,
  ],
];

describe.each([...CREATIONS, ...CHANGES])('a request that %s', (_what, prepare, first, again) => {
  it('is carried out once if it is sent again with its Idempotency-Key', async () => {
    const holder = await setup.account();
    const change = await prepare(holder);
    const before = await holder.story();
    const headers = { 'idempotency-key': 'once', ...(change.method === 'PATCH' && { 'if-match': '*' }) };
    const answers = [await send(holder, change, headers), await send(holder, change, headers)];
    expect(answers.map(({ status }) => status)).toEqual([first, again]);
    expect(answers[1]?.body?.secret).toBeUndefined();
    const outcomes = (await holder.story()).slice(before.length).map(({ outcome }) => outcome);
    expect(outcomes).toEqual(['done']);
  });
});

describe.each(CHANGES)('a request that %s', (_what, prepare, first) => {
  it('fails if the key has another version than If-Match says, and changes nothing', async () => {
    const holder = await setup.account();
    const change = await prepare(holder);
    const key = await keyOf(holder, change.path);
    for (const stale of [`"${key.version + 1}"`, `"${key.version - 1}"`, `"${key.version + 1}", "0"`, 'W/"1"']) {
      const { status, body } = await send(holder, change, { 'if-match': stale });
      expect([stale, status, body.code]).toEqual([stale, 412, 'version_conflict']);
    }
    expect(await keyOf(holder, change.path)).toEqual(key);
    const current = `"${key.version + 7}", "${key.version}"`;
    expect((await send(holder, change, { 'if-match': current })).status).toBe(first);
    expect((await keyOf(holder, change.path)).version).toBe(key.version + 1);
  });
});
