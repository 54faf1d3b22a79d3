import { hash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { KeyRecord } from 'keyward';
import { digestOf } from '../../lib/credentials/digest.js';
import { mintKey } from '../../lib/credentials/keyward-format.js';
import { type ChildApi, startChildApi } from '../support/child-api.js';
import { START } from '../support/manual-clock.js';
import { getRaw, sendRaw } from '../support/raw-http.js';
import { AUDIENCE, createKey, forge, ISSUER, jwksOf } from '../support/token-forge.js';

const express = (globalThis as { EXPRESS?: number }).EXPRESS === 4 ? 'express4' : 'express';
const signer = createKey('ES256');
const keys = Array.from({ length: 500 }, () => mintKey('secret', 'live'));
const stranger = mintKey('secret', 'live');
const tokens = Array.from({ length: 500 }, (_, at) => forge(signer, { jti: `token-${at}` }));

let child: ChildApi;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'keyward-'));
  const records = keys.map((key, at): readonly [string, KeyRecord] => {
    return [digestOf(key), { id: `key_${at}`, kind: 'secret', account: 'acc_1', environment: 'live', apis: 'all' }];
  });
  child = await startChildApi({
    express,
    records,
    issuer: ISSUER,
    audience: AUDIENCE,
    jwks: jwksOf(signer),
    now: START,
  });
});

afterAll(async () => {
  await child.stop();
  rmSync(folder, { recursive: true });
});

/** Presents credentials in turn over one connection; how many requests were accepted. */
async function present(credentials: readonly string[]): Promise<number> {
  const heads = credentials.map((credential, at) => {
    const connection = at === credentials.length - 1 ? 'close' : 'keep-alive';
    return `GET / HTTP/1.1\r\nHost: api.test\r\nConnection: ${connection}\r\nAuthorization: Bearer ${credential}\r\n\r\n`;
  });
  const { text } = await sendRaw(child.port, heads.join(''));
  return text.split('HTTP/1.1 200 ').length - 1;
}

/** The answers to a good key, a mistyped and an unknown one, as they stand on the wire. */
async function answers(): Promise<readonly string[]> {
  const texts: string[] = [];
  for (const credential of [keys[0], 'sk_forged', stranger]) {
    const { text } = await getRaw(child.port, [`Authorization: Bearer ${credential}`]);
    texts.push(text.replace(/^Date: .*$/m, ''));
  }
  return texts;
}

describe('an API in its own process', () => {
  it('X12 after a thousand accepted requests its heap contains no credential', async () => {
    for (let at = 0; at < 500; at += 50) {
      expect(await present(keys.slice(at, at + 50))).toBe(50);
      expect(await present(tokens.slice(at, at + 50))).toBe(50);
    }
    // The engine keeps the text that it matched last, and Node's parser keeps the request that it read last.
    await getRaw(child.port, ['Authorization: Bearer nobody']);
    const file = join(folder, 'heap.heapsnapshot');
    await child.snapshot(file);
    const words = readFileSync(file, 'latin1').match(/[\w-]{12,}/g) ?? [];
    const heap = words.join(' ');
    const secretParts = [...keys.map((key) => key.slice(3)), ...tokens.map((token) => token.split('.').at(-1) ?? '')];
    expect(secretParts.filter((part) => heap.includes(part))).toEqual([]);
    // What is kept is found: the digests that the caches go by, as a snapshot has them, which writes a space for a NUL.
    const texts = new Set((JSON.parse(readFileSync(file, 'utf8')) as { strings: readonly string[] }).strings);
    const cacheKeys = [...keys, ...tokens].map((credential) =>
      hash('sha256', credential, 'binary').replaceAll('\0', ' '),
    );
    expect(cacheKeys.filter((cacheKey) => !texts.has(cacheKey)).length).toBe(0);
  });

  it('L10 a listener that throws changes no response; the process gets its error', async () => {
    const before = await answers();
    expect(before.map((text) => text.slice(9, 12))).toEqual(['200', '401', '401']);
    await child.breakListeners();
    expect(await answers()).toEqual(before);
    expect(await child.uncaught()).toBe(3);
  });
});
