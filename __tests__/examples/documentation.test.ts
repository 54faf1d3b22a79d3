import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { beforeAll, describe, expect, it } from '@jest/globals';
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
