import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { PresentedCredential, type Sender } from '../../lib/http/presented-credential.js';
import { assemble, unsigned } from '../support/token-forge.js';

const KEY = 'sk_wlj3nsyprj5ipdr2b4nkxzepnmt';
// printf %s "$KEY" | sha256sum
const DIGEST = '29b1bf0dcd1b6949c687df8061f0ed87e25c4e7fbe06e682180a4b7fb6604258';
const TOKEN = assemble({ alg: 'ES256' }, { iss: 'https://issuer.test' }, unsigned);

describe('PresentedCredential', () => {
  it('digests the whole credential: SHA-256, lowercase hex', () => {
    expect(new PresentedCredential(KEY).digest).toBe(DIGEST);
    expect(new PresentedCredential(`${KEY}=`).digest).not.toBe(DIGEST);
  });

  it.each([
    ['', false],
    ['a', false],
    ['a.b', false],
    ['a.b.c', true],
    ['..', true],
    ['a.b.c.d', false],
    ['a.b.c.d.e', false],
    [KEY, false],
  ])('%j has the shape of a compact JWS: %s', (text, compact) => {
    expect(new PresentedCredential(text).isCompact).toBe(compact);
  });

  it('reads the parts of a JWS, once', () => {
    const credential = new PresentedCredential(TOKEN);
    expect(credential.jws).toEqual({
      compact: TOKEN,
      header: { alg: 'ES256' },
      payload: { iss: 'https://issuer.test' },
      signature: expect.any(Buffer),
    });
    expect(credential.jws).toBe(credential.jws);
    expect(credential.issuer).toBe('https://issuer.test');
  });

  it.each<[string, Sender | undefined, string | undefined]>([
    ['the address that Express reports', { ip: '203.0.113.9', socket: { remoteAddress: '10.0.0.1' } }, '203.0.113.9'],
    ['that of the socket, without Express', { socket: { remoteAddress: '10.0.0.1' } }, '10.0.0.1'],
    ['none where the socket knows none', { socket: {} }, undefined],
    ['none without a socket', {}, undefined],
    ['none without a sender', undefined, undefined],
  ])('has the address %s', (_what, sender, from) => {
    expect(new PresentedCredential(KEY, sender).from).toBe(from);
  });

  it('has the request of its sender, and the network of the address', () => {
    const sender = { ip: '2001:db8:1:2:3::4' };
    const { request, network } = new PresentedCredential(KEY, sender);
    expect(request).toBe(sender);
    expect(network).toBe('2001:db8:1:2::/64');
  });

  it.each([
    [TOKEN, true],
    [KEY, true],
    ['a b', false],
    ['a.b.c d', false],
  ])('%j is a b64token: %s, before and after its JWS is read', (text, wellFormed) => {
    const credential = new PresentedCredential(text);
    const before = credential.isWellFormed;
    expect([before, credential.jws !== undefined, credential.isWellFormed]).toEqual([
      ...[wellFormed, text === TOKEN, wellFormed],
    ]);
  });

  it('has no parts and no issuer if the text is not a JWS', () => {
    for (const text of [KEY, 'a.b.c']) {
      const credential = new PresentedCredential(text);
      expect([credential.jws, credential.jws, credential.issuer]).toEqual([undefined, undefined, undefined]);
    }
  });

  it('reads the issuer only from own claims, never from inherited ones', () => {
    expect(new PresentedCredential(assemble({}, {}, unsigned)).issuer).toBeUndefined();
    expect(new PresentedCredential(assemble({ iss: 'header' }, { iss: 1 }, unsigned)).issuer).toBe(1);
    expect(new PresentedCredential(assemble({}, '{"__proto__":{"iss":"x"}}', unsigned)).issuer).toBeUndefined();
  });

  it('reveals the credential on request, and prints without it', () => {
    const credential = new PresentedCredential(KEY);
    expect([credential.digest, credential.jws, credential.reveal()]).toEqual([DIGEST, undefined, KEY]);
    const printed = [
      inspect(credential, { depth: 9, showHidden: true }),
      JSON.stringify(credential),
      String(credential),
      JSON.stringify(Object.entries(credential)),
    ];
    expect(printed.join()).not.toContain(KEY.slice(3, 15));
  });
});
