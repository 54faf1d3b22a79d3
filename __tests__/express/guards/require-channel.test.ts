import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import express, { type RequestHandler } from 'express';
import { bearerErrors, type Decision, type RoutedRequest, requireBearer, requireChannel } from 'keyward';
import request from 'supertest';
import { guardMetadataOf } from '../../../lib/express/guards/guard.js';
import { type Eavesdropper, eavesdrop } from '../../support/eavesdrop.js';
import { judgement } from '../../support/guarded.js';
import { bearing, pass } from '../../support/passage.js';
import { keyPrincipal } from '../../support/principals.js';
import { acceptingVerifier } from '../../support/stub-verifier.js';

const guard = requireChannel((req) => req.query.channel);
const named = (channel: unknown) => ({ query: { channel } });

describe('requireChannel', () => {
  it.each([[undefined], ['pc_1'], [{}]])('throws at start: %j', (select) => {
    const make = () => requireChannel(select as never);
    expect(make).toThrow(TypeError);
    expect(make).toThrow(new TypeError('requireChannel: expected a function that returns the channel ID of a request'));
  });

  it.each([
    ['all', 'all', 'passed'],
    ['it and others', ['pc_2', 'pc_1'], 'passed'],
    ['it alone', ['pc_1'], 'passed'],
    ['another', ['pc_2'], 'insufficient_scope'],
    ['ones with longer and shorter names', ['pc_11', 'pc_', 'PC_1'], 'insufficient_scope'],
    ['none', [], 'insufficient_scope'],
  ] as const)('a channel is named, and the principal has %s', async (_name, channels, expected) => {
    expect(await judgement(guard, keyPrincipal({ channels }), named('pc_1'))).toBe(expected);
  });

  it.each([
    ['all', 'all', 'passed'],
    ['exactly one', ['pc_1'], 'passed'],
    ['two', ['pc_1', 'pc_2'], 'insufficient_scope'],
    ['none', [], 'insufficient_scope'],
  ] as const)('no channel is named, and the principal has %s', async (_name, channels, expected) => {
    for (const nothing of [undefined, null]) {
      expect(await judgement(guard, keyPrincipal({ channels }), named(nothing))).toBe(expected);
    }
  });

  describe('no channel is named, and the body', () => {
    let ears: Eavesdropper;
    beforeEach(() => {
      ears = eavesdrop();
    });
    afterEach(() => ears.stop());

    const appWith = (...before: RequestHandler[]) => {
      const app = express();
      const gate = requireBearer({ accept: [acceptingVerifier(keyPrincipal({ channels: ['pc_1'] }))] });
      const channel = requireChannel((req) => req.body?.channel);
      app.post('/', gate, ...before, channel, express.json(), (_req, res) => void res.json('passed'));
      app.use(bearerErrors());
      return request(app).post('/').set('Authorization', 'Bearer abc');
    };

    it('was not read: refused, because it may name another channel', async () => {
      await appWith().send({ channel: 'pc_2' }).expect(403);
      const refusals = ears.heard<Decision>('keyward:decision').filter(({ outcome }) => outcome === 'refused');
      expect(refusals.map(({ reason }) => reason)).toEqual(['channel_body_unread']);
      const chunked = { headers: { 'transfer-encoding': 'chunked' } } as never;
      const { check } = requireChannel(() => undefined);
      expect(check(keyPrincipal({ channels: ['pc_1'] }), chunked)).toEqual({ reason: 'channel_body_unread' });
      // With all channels, no channel in the body would be refused.
      expect(check(keyPrincipal({ channels: 'all' }), chunked)).toBe(true);
    });

    it('is left by a parser to the next one: refused', async () => {
      const response = await appWith(express.json()).type('text').send('of a type that the parser does not accept');
      expect(response.status).toBe(403);
    });

    it('was parsed by the platform, without reading the request: decided by what it names', () => {
      const { check } = requireChannel((req) => req.body?.channel);
      const req = { headers: { 'content-length': '20' }, body: { amount: 1 } } as never;
      expect(check(keyPrincipal({ channels: ['pc_1'] }), req)).toBe(true);
      const raw = { headers: { 'content-length': '20' }, body: Buffer.from('{"channel":"pc_2"}') } as never;
      expect(check(keyPrincipal({ channels: ['pc_1'] }), raw)).toEqual({ reason: 'channel_body_unread' });
      for (const body of [{}, null]) {
        const empty = { headers: { 'content-length': '20' }, body } as never;
        expect(check(keyPrincipal({ channels: ['pc_1'] }), empty)).toEqual({ reason: 'channel_body_unread' });
      }
    });

    it('was read: decided by what it names', async () => {
      const statusOf = async (body: object) => (await appWith(express.json()).send(body)).status;
      expect(await statusOf({ channel: 'pc_2' })).toBe(403);
      expect(await statusOf({ channel: 'pc_1' })).toBe(200);
      expect(await statusOf({})).toBe(200);
      const drained: RequestHandler = (req, _res, next) => void req.resume().once('end', () => next());
      expect((await appWith(drained).type('text').send('channel')).status).toBe(200);
    });

    it('is empty: the only channel of the principal is used', async () => {
      expect((await appWith()).status).toBe(200);
      expect((await appWith().set('Content-Length', '0')).status).toBe(200);
      const drained: RequestHandler = (req, _res, next) => void req.resume().once('end', () => next());
      expect((await appWith(drained).set('Transfer-Encoding', 'chunked')).status).toBe(200);
    });
  });

  it.each([
    ['a list', ['pc_1']],
    ['an object', { pc_1: true }],
    ['a number', 1],
    ['false', false],
  ])('the named channel is not a string but %s: refused, even if the principal has all', async (_name, channel) => {
    expect(await judgement(guard, keyPrincipal({ channels: 'all' }), named(channel))).toBe('insufficient_scope');
    expect(await judgement(guard, keyPrincipal({ channels: ['pc_1'] }), named(channel))).toBe('insufficient_scope');
  });

  it('passes errors of select on', async () => {
    const gate = requireBearer({ accept: [acceptingVerifier(keyPrincipal())] });
    const { error } = await pass(bearing('abc'), gate, guard);
    expect(error).toBeInstanceOf(TypeError);
  });

  it('refuses a promise of select as an error, also if it rejects', async () => {
    const gate = requireBearer({ accept: [acceptingVerifier(keyPrincipal())] });
    for (const select of [async () => 'pc_1', async () => Promise.reject(new Error('late'))]) {
      const { error } = await pass(bearing('abc'), gate, requireChannel(select));
      expect(error).toEqual(
        new TypeError('keyward: requireChannel returned a promise from its check; return the result synchronously'),
      );
    }
  });

  it('has a name, a reason, and no kinds', () => {
    expect(guardMetadataOf(guard)).toEqual({ name: 'requireChannel', kinds: undefined });
    const [other, none] = ['pc_2', undefined].map(
      (channel) => ({ ...named(channel), headers: {} }) as unknown as RoutedRequest,
    );
    expect(guard.check(keyPrincipal({ channels: ['pc_1'] }), other as RoutedRequest)).toEqual({ reason: 'channel' });
    expect(guard.check(keyPrincipal({ channels: ['pc_1', 'pc_2'] }), none as RoutedRequest)).toEqual({
      reason: 'channel',
    });
  });
});
