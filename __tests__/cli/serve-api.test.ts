import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { build, type RunningProgram, runProgram, startProgram } from '../support/built-cli.js';
import { placesOf, sharedEngines, type TestPlace } from '../support/test-stores.js';

const SERVE = ['serve', '--audience', 'https://api.test', '--port', '0', '--json', '--no-log'];
const SCOPES = ['keys:read', 'keys:write', 'keys:manage'];
const NEW = { kind: 'secret', apis: ['payments'], name: 'Till' };

// biome-ignore lint/suspicious/noExplicitAny: the answers are JSON.
type Json = any;

beforeAll(build);

describe.each(sharedEngines)('keyward serve --api, on %s', (engine) => {
  const folder = mkdtempSync(join(tmpdir(), 'keyward-serve-api-'));
  let place: TestPlace;
  let program: RunningProgram;
  let served: { readonly issuer: string; readonly tokenEndpoint: string };
  const credentials = new Map<string, string>();

  async function keyward(...args: string[]): Promise<Json> {
    const { code, out, err } = await runProgram([...args, '--json'], { KEYWARD_DATABASE: place.url }, folder);
    expect([args, code, err]).toEqual([args, 0, '']);
    return JSON.parse(out);
  }

  beforeAll(async () => {
    place = await placesOf[engine]();
    const scopes = SCOPES.flatMap((scope) => ['--scope', scope]);
    await keyward('accounts', 'put', 'acme', '--api', 'payments', '--api', 'keys', ...scopes);
    for (const scope of SCOPES) {
      const made = await keyward(
        'keys',
        'create',
        '--account',
        'acme',
        '--kind',
        'secret',
        '--api',
        'keys',
        '--scope',
        scope,
      );
      credentials.set(scope, made.key);
    }
    const all = await keyward('keys', 'create', '--account', 'acme', '--kind', 'secret', '--api', 'keys');
    credentials.set('none', all.key);
    const client = await keyward('access-keys', 'create', '--account', 'acme', '--scope', 'keys:read');
    program = startProgram([...SERVE, '--api'], { KEYWARD_DATABASE: place.url }, folder);
    served = JSON.parse(await program.firstLine);
    const body = new URLSearchParams({
      ...{ grant_type: 'client_credentials', client_id: client.id, client_secret: client.secret, scope: 'keys:read' },
    });
    const answer = await fetch(served.tokenEndpoint, { method: 'POST', body, headers: { connection: 'close' } });
    credentials.set('token', ((await answer.json()) as Json).access_token);
  });

  afterAll(async () => {
    program.child.kill('SIGTERM');
    await program.ended;
    await place.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  async function send(who: string | undefined, method: string, path: string, body?: unknown, headers = {}) {
    const credential = who === undefined ? undefined : (credentials.get(who) ?? who);
    const response = await fetch(`${served.issuer}/api${path}`, {
      method,
      headers: {
        ...{ connection: 'close', ...headers },
        ...(credential === undefined ? {} : { authorization: `Bearer ${credential}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? undefined : (JSON.parse(text) as Json),
    };
  }

  it('a key or a token may do what its scopes say', async () => {
    const who = ['none', 'token', ...SCOPES];
    const table: Record<string, readonly number[]> = {};
    for (const name of who) {
      const made = await send(name, 'POST', '/keys', NEW);
      const id = made.body?.key?.id ?? 'key_none';
      const changed = await send(name, 'PATCH', `/keys/${id}`, { name: 'x' }, { 'if-match': '*' });
      table[name] = [(await send(name, 'GET', '/keys')).status, made.status, changed.status];
    }
    expect(table).toEqual({
      none: [403, 403, 403],
      token: [200, 403, 403],
      'keys:read': [200, 403, 403],
      'keys:write': [200, 201, 403],
      'keys:manage': [200, 201, 200],
    });
  });

  it('without a credential, and with a wrong one: 401 with a challenge, as a problem', async () => {
    for (const [credential, error] of [
      [undefined, undefined],
      [`sk_${'a'.repeat(26)}a`, 'invalid_token'],
      ['x.y.z', 'invalid_token'],
    ] as const) {
      const { status, headers, body } = await send(credential, 'GET', '/keys');
      const challenge = headers.get('www-authenticate') ?? '';
      expect([credential, status, challenge.startsWith('Bearer ')]).toEqual([credential, 401, true]);
      expect(/error="(\w+)"/.exec(challenge)?.[1]).toBe(error);
      expect([headers.get('content-type'), body.status]).toEqual(['application/problem+json', 401]);
    }
  });

  it('makes a key that the store has, and revokes it for its own gate at once', async () => {
    const settings = { kind: 'secret', apis: ['keys'], scopes: ['keys:read'] };
    const { status, headers, body } = await send('keys:manage', 'POST', '/keys', settings);
    expect([status, headers.get('location')]).toEqual([201, `/api/keys/${body.key.id}`]);
    expect(JSON.stringify(await keyward('keys', 'list', '--account', 'acme'))).toContain(body.key.id);
    expect((await send(body.secret, 'GET', '/keys')).status).toBe(200);
    expect((await send('keys:manage', 'DELETE', `/keys/${body.key.id}`)).status).toBe(204);
    expect((await send(body.secret, 'GET', '/keys')).status).toBe(401);
    const audit = await send('keys:read', 'GET', `/audit?subject=${body.key.id}`);
    expect(audit.body.data.map(({ action }: Json) => action)).toEqual(['key.revoke', 'key.create']);
  });

  it('its document is open, with /api as its server', async () => {
    const { status, body } = await send(undefined, 'GET', '/openapi.json');
    expect([status, body.openapi, body.servers]).toEqual([200, '3.1.0', [{ url: '/api' }]]);
  });
});

describe('keyward serve', () => {
  it('has no API without --api', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'keyward-serve-api-'));
    const program = startProgram(SERVE, { KEYWARD_DATABASE: `file:${join(folder, 'keyward.db')}` }, folder);
    const { issuer } = JSON.parse(await program.firstLine);
    for (const path of ['/api/keys', '/api/openapi.json']) {
      expect((await fetch(issuer + path, { headers: { connection: 'close' } })).status).toBe(404);
    }
    program.child.kill('SIGTERM');
    await program.ended;
    rmSync(folder, { recursive: true, force: true });
  });
});
