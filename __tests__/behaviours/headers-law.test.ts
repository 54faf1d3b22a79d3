import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { BearerError, bearerErrors, requireBearer } from 'keyward';
import { createTestKit } from 'keyward/testing';
import { law } from '../support/law.js';
import { bearing, pass, requestOf } from '../support/passage.js';
import { type Served, sendRaw, serve } from '../support/raw-http.js';

/** Requests that are sent over one connection. */
const BATCH = 50;

const kit = createTestKit();
const key = kit.secretKey();
const gate = requireBearer({ accept: kit.accept, allowSchemeless: true });
let token: string;
let served: Served;

beforeAll(async () => {
  token = await kit.accessToken();
  served = await serve((req, res) => {
    gate(req, res, (error) =>
      bearerErrors()(error, req, res, () => res.writeHead(error === undefined ? 200 : 500).end()),
    );
  });
});
afterAll(() => served.close());

/** Anything between nearly right and noise: no character that Node's parser refuses, and never the good credentials. */
const values = () => {
  const scheme = fc.constantFrom('Bearer', 'bearer', 'BEARER', 'Bearerx', 'Basic', 'DPoP', '');
  const gap = fc.constantFrom(' ', '  ', '\t', '', ', ', '=');
  const b64 = fc.string({ unit: fc.constantFrom(...'abcXYZ019-._~+/='), maxLength: 60 });
  const bytes = fc.string({ unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)) });
  const printable = bytes.map((text) => text.replaceAll('\x7f', ''));
  const credential = fc.oneof(b64, printable, bent(fc.constant(key)), bent(fc.constant(token)));
  const field = fc
    .tuple(scheme, gap, credential, fc.constantFrom('', '', ' ', ' x', ',', '='))
    .map((parts) => parts.join(''));
  return fc.oneof(field, printable).filter((value) => !value.includes(key) && !value.includes(token));
};

/** A text with one character changed, dropped or doubled, or cut short. */
function bent(texts: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const character = fc.constantFrom(...'abAB27-_.=+/ ');
  return fc
    .tuple(texts, fc.nat(), character, fc.constantFrom('change', 'drop', 'double', 'cut'))
    .map(([text, n, c, how]) => {
      const at = n % text.length;
      const [before, own, after] = [text.slice(0, at), text.charAt(at), text.slice(at + 1)];
      if (how === 'change') return before + c + after;
      if (how === 'drop') return before + after;
      return how === 'double' ? before + own + own + after : before;
    });
}

describe('any Authorization header that is not a valid credential', () => {
  it('gates accept the valid ones', async () => {
    expect((await pass(bearing(key), gate)).passed).toBe(true);
    expect((await pass(bearing(token), gate)).passed).toBe(true);
  });

  law('H30 is refused with 400 or 401, and nothing throws', () =>
    fc.asyncProperty(values(), async (authorization) => {
      const { error } = await pass(requestOf({ headers: { authorization } }), gate);
      const refused = error instanceof BearerError && (error.status === 400 || error.status === 401);
      if (!refused) throw new Error(`not refused: ${authorization}`, { cause: error });
    }),
  );

  law(
    'is refused likewise over a connection that is kept',
    () =>
      fc.asyncProperty(fc.array(values(), { minLength: BATCH, maxLength: BATCH }), async (headers) => {
        const requests = headers.map(
          (value, index) =>
            `GET / HTTP/1.1\r\nHost: a\r\nConnection: ${index + 1 < BATCH ? 'keep-alive' : 'close'}\r\n` +
            `Authorization: ${value}\r\n\r\n`,
        );
        const { text } = await sendRaw(served.port, requests.join(''));
        const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status);
        expect(statuses).toHaveLength(BATCH);
        expect(statuses.filter((status) => status !== '400' && status !== '401')).toEqual([]);
      }),
    { triesPerRun: BATCH },
  );
});
