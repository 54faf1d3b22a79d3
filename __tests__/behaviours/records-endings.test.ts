import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type AccessKeyRecord, accessTokens, apiKeys, type KeyRecord, requireBearer } from 'keyward';
import { A5, answerOf } from '../support/answers.js';
import { type Eavesdropper, eavesdrop } from '../support/eavesdrop.js';
import { createKeyTable, type KeyTable } from '../support/key-table.js';
import { createManualClock } from '../support/manual-clock.js';
import { type ServedApp, serveApp } from '../support/served-app.js';
import { AUDIENCE, createKey, forge, ISSUER, jwksOf } from '../support/token-forge.js';

const PAST = new Date(0);
const signer = createKey('ES256');
const token = forge(signer);

const ENDINGS: readonly (readonly [string, unknown])[] = [
  ['status', 'revoked'],
  ['revoked', true],
  ['deletedAt', PAST],
  ['deleted_at', PAST],
  ['enabled', false],
  ['active', false],
  ['is_disabled', true],
  ['isRevoked', true],
  ['disabledAt', PAST],
  ['expires', 1],
  ['expires_at', PAST],
  ['validUntil', PAST],
  ['key_status', 'ended'],
  ['EXPIRES', PAST],
  ['suspended', 'by acme'],
  ['exp', 1],
  ['notAfter', PAST],
];

const ACCESS_KEY = {
  ...{ id: 'ack_1', account: 'acc_1', environment: 'live', scopes: ['payments'], defaultScopes: [] },
  secrets: [{ digest: '0'.repeat(64) }],
} as const;

let table: KeyTable;
let accessKey: object;
let api: ServedApp;
let ear: Eavesdropper;

beforeAll(async () => {
  const clock = createManualClock();
  table = createKeyTable();
  const keys = apiKeys({ resolver: table, kinds: ['secret'], environment: 'live', cache: false, clock });
  const accessKeys = { resolveAccessKey: () => accessKey as AccessKeyRecord };
  const tokens = accessTokens({
    ...{ issuer: ISSUER, audience: AUDIENCE, jwks: jwksOf(signer), accessKeys, cache: false, clock },
  });
  api = await serveApp((app, handler) => {
    app.get('/', requireBearer({ accept: [keys, tokens] }), handler);
  });
});
afterAll(() => api.close());

beforeEach(() => {
  ear = eavesdrop();
});
afterEach(() => ear.stop());

/** The answers to a key and to a token whose records have more members than keyward reads. */
async function answersWith(members: object) {
  const key = table.add(members as Partial<KeyRecord>);
  accessKey = { ...ACCESS_KEY, id: 'ack_forged', ...members };
  return [answerOf(await api.ask('/', key)), answerOf(await api.ask('/', token))];
}

const details = () => ear.heard<{ detail: string }>('keyward:lookup-failure').map(({ detail }) => detail);

describe('N14 an expiry or revocation that keyward does not read', () => {
  it.each(ENDINGS)('N14 %s: %j is refused, and the event names the field', async (member, value) => {
    expect(await answersWith({ [member]: value })).toEqual([A5, A5]);
    const named = expect.stringMatching(
      `^${member}: the name suggests an expiry or a revocation, but keyward does not read this field; use `,
    );
    expect(details()).toEqual([named, named]);
  });

  it.each([
    ['a member without a value', { deletedAt: null, revoked: undefined, expires_at: null }],
    ['a column beside the member that it was copied to', { expires_at: new Date(9e12), expiresAt: new Date(9e12) }],
    ['what is no ending', { digest: 'd', created_by: 'u1', tenant: 't', updatedAt: PAST, version: 3, endpoint: '/x' }],
  ])('%s is accepted', async (_what, members) => {
    const answers = await answersWith(members);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  });

  it('a column whose field is empty is refused', async () => {
    expect(await answersWith({ expires_at: PAST, expiresAt: null })).toEqual([A5, A5]);
    expect(details()[0]).toBe(
      'expires_at: the name suggests an expiry or a revocation, but keyward does not read this field; use expiresAt',
    );
  });

  it('a field whose name may be data is not named', async () => {
    expect(await answersWith({ [`expires ${'x'.repeat(60)}`]: 1 })).toEqual([A5, A5]);
    expect(details()[0]).toMatch(/^the record has a field whose name suggests /);
  });
});
