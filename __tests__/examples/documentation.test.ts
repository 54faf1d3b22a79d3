import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { createManagement, type Member } from 'keyward/management';
import { openStore } from 'keyward/store';
import ts from 'typescript';
import { codeBlocksOf, markdownFiles } from '../support/markdown.js';
import { runSync } from '../support/run-sync.js';
import { build, FLAGS, ROOT } from './built-service.js';

beforeAll(build);

const readme = markdownFiles.filter(({ name }) => name === 'README.md');

/** The examples that test a guarded app with a kit: they need nothing but what they say, and end badly if it is wrong. */
const programs = markdownFiles.flatMap((file) =>
  codeBlocksOf(file)
    .filter(({ info, code }) => info === 'ts' && code.includes("'keyward/testing'") && code.includes('supertest'))
    .map(({ line, code }) => [`${file.name}:${line}`, code] as const),
);

describe('the documentation', () => {
  it('shows how to test your own routes, in README.md and in the guide', () => {
    const files = programs.map(([place]) => place.split(':')[0]);
    expect(files).toEqual(expect.arrayContaining(['README.md', 'docs/guide.md']));
  });

  it('has a first sample in README.md that runs and prints a working command', async () => {
    const [first] = readme.flatMap(codeBlocksOf).filter(({ info }) => info === 'ts');
    const port = await freePort();
    const server = spawn(process.execPath, evaluated(String(first?.code).replaceAll('3000', String(port))), {
      cwd: ROOT,
    });
    try {
      const [command] = (await once(createInterface(server.stdout), 'line')) as [string];
      const { 1: key, 2: url } = /^curl -X POST -H 'Authorization: Bearer (\S+)' (\S+)$/.exec(command) ?? [];
      const send = (headers: Record<string, string>) => fetch(String(url), { method: 'POST', headers });
      const paid = await send({ Authorization: `Bearer ${key}` });
      expect([paid.status, await paid.json()]).toEqual([201, { paidBy: 'acme' }]);
      expect((await send({})).status).toBe(401);
      const refund = await fetch(`${url}/1/refunds`, { method: 'POST', headers: { Authorization: `Bearer ${key}` } });
      expect(refund.status).toBe(201);
    } finally {
      server.kill();
    }
  });

  it('has a full system in README.md that runs: Dashboard, token endpoint, and an API for keys and tokens', async () => {
    const full = readme.flatMap(codeBlocksOf).find(({ info, code }) => info === 'ts' && code.includes('openStore('));
    const folder = mkdtempSync(join(tmpdir(), 'keyward-readme-'));
    const file = `file:${join(folder, 'keyward.db')}`;
    const port = await freePort();
    const origin = `http://localhost:${port}`;
    const code = String(full?.code)
      .replace('file:./keyward.db', file)
      .replace(/https:\/\/(?:access|api)\.example\.com/g, origin)
      .replaceAll('3000', String(port));
    const { NODE_ENV: _, ...env } = process.env;
    const encryptionKey = randomBytes(32).toString('base64url');
    const server = spawn(process.execPath, evaluated(code), {
      cwd: ROOT,
      env: { ...env, KEYWARD_ENCRYPTION_KEY: encryptionKey },
    });
    const errors: string[] = [];
    server.stderr.on('data', (text) => errors.push(String(text)));
    const ended = once(server, 'exit');
    try {
      const ready = once(createInterface(server.stdout), 'line') as Promise<[string]>;
      const failed = ended.then(() => Promise.reject(new Error(errors.join(''))));
      const [line] = await Promise.race([ready, failed]);
      expect(line).toBe(`Dashboard: ${origin}/admin/keys`);
      expect((await fetch(`${origin}/admin/keys`)).status).toBe(200);
      expect((await fetch(`${origin}/payments`)).status).toBe(401);

      // Keys as the Dashboard would make them, in the same database.
      const store = await openStore(file, { encryptionKey });
      const { keys, accessKeys } = createManagement({ store });
      const kim: Member = { id: 'kim', account: 'acme', permissions: ['owner'] };
      const settings = { scopes: ['payments'], environment: 'live' as const };
      const key = await keys.create(kim, { kind: 'secret', apis: ['payments'], ...settings });
      const accessKey = await accessKeys.create(kim, settings);
      await store.close();

      const token = await fetch(`${origin}/connect/token`, {
        method: 'POST',
        headers: { Authorization: `Basic ${btoa(`${accessKey.key.id}:${accessKey.secret}`)}` },
        body: new URLSearchParams({ grant_type: 'client_credentials' }),
      });
      const { access_token } = (await token.json()) as { access_token: string };
      for (const credential of [key.secret, access_token]) {
        const paid = await fetch(`${origin}/payments`, { headers: { Authorization: `Bearer ${credential}` } });
        expect([paid.status, await paid.json()]).toEqual([200, { account: 'acme' }]);
      }
    } finally {
      server.kill();
      await ended;
      rmSync(folder, { recursive: true });
    }
  });

  it('has a sample of events in README.md that prints the decision about a request', async () => {
    const samples = readme.flatMap(codeBlocksOf).filter(({ info }) => info === 'ts');
    const events = samples.find(({ code }) => code.includes('diagnostics_channel'));
    const port = await freePort();
    const code = `${events?.code}\n${samples[0]?.code}`.replaceAll('3000', String(port));
    const server = spawn(process.execPath, evaluated(code), { cwd: ROOT });
    try {
      const lines = createInterface(server.stdout)[Symbol.asyncIterator]();
      const command = await lines.next();
      const { 1: url } = /(\S+)$/.exec(command.value) ?? [];
      expect((await fetch(String(url), { method: 'POST' })).status).toBe(401);
      expect((await lines.next()).value).toMatch(/^decision \{/);
    } finally {
      server.kill();
    }
  });

  it.each(programs)('%s gets the documented responses', (_place, code) => {
    const run = runSync(process.execPath, evaluated(code), { cwd: ROOT });
    expect([run.stderr, run.status]).toEqual(['', 0]);
  });
});

/** The arguments of Node that run a sample. */
function evaluated(code: string): readonly string[] {
  const compilerOptions = {
    module: ts.ModuleKind.ESNext,
    target: ts.ScriptTarget.ES2022,
    verbatimModuleSyntax: true,
  };
  return [...FLAGS, '--input-type=module', '--eval', ts.transpileModule(code, { compilerOptions }).outputText];
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}
