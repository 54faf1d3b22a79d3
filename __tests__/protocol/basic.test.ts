import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readBasic } from '../../lib/protocol/basic.js';
import { anyCharacter } from '../support/any-character.js';
import { law } from '../support/law.js';

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

const encode = (text: string | Uint8Array) => Buffer.from(text).toString('base64');
const basic = (text: string) => `Basic ${encode(text)}`;

describe('readBasic', () => {
  it('reads the example of RFC 7617 §2', () => {
    expect(readBasic('Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==')).toEqual({ id: 'Aladdin', secret: 'open sesame' });
  });

  it.each(['Basic', 'basic', 'BASIC', 'bAsIc'])('accepts the scheme as %s', (scheme) => {
    expect(readBasic(`${scheme} ${encode('a:b')}`)).toEqual({ id: 'a', secret: 'b' });
  });

  it.each([1, 2, 5])('accepts %i space(s) after the scheme', (count) => {
    expect(readBasic(`Basic${' '.repeat(count)}${encode('a:b')}`)).toEqual({ id: 'a', secret: 'b' });
  });

  it.each([
    ['a:b:c', 'a', 'b:c'],
    ['a::', 'a', ':'],
    ['a+b:c+d', 'a b', 'c d'],
    ['a%3Ab:c%3Ad', 'a:b', 'c:d'],
    ['%25:%2B', '%', '+'],
    ['%C3%A9:é', 'é', 'é'],
    ['ack_1:A-z_09', 'ack_1', 'A-z_09'],
    ['a:~', 'a', '~'],
    [' : ', ' ', ' '],
  ])('reads %j: id %j, secret %j', (text, id, secret) => {
    expect(readBasic(basic(text))).toEqual({ id, secret });
  });

  it.each([
    ['nothing', ''],
    ['another scheme', `Bearer ${encode('a:b')}`],
    ['a scheme that goes on', `Basicx ${encode('a:b')}`],
    ['a scheme with something before it', `xBasic ${encode('a:b')}`],
    ['the scheme alone', 'Basic'],
    ['the scheme and a space', 'Basic '],
    ['no space', `Basic${encode('a:b')}`],
    ['a tab for the space', `Basic\t${encode('a:b')}`],
    ['a space behind', `${basic('a:b')} `],
    ['a line end behind', `${basic('a:b')}\n`],
    ['two credentials', `${basic('a:b')}, ${basic('a:b')}`],
    ['two parts', `${basic('a:b')} ${encode('a:b')}`],
    ['text that is no base64', 'Basic a:b'],
    ['base64 and something more', `${basic('a:b')}!`],
    ['base64 cut short', basic('a:bc').slice(0, -1)],
    ['base64 without its padding', basic('a:b1').replace(/=+$/, '')],
    ['too much padding', `${basic('a:b')}=`],
    ['padding in the middle', `Basic ${encode('a:b1')}${encode('a:b')}`],
    ['base64url', 'Basic YTo_Pz8_'],
    ['no colon', basic('ab')],
    ['an empty id', basic(':b')],
    ['an empty secret', basic('a:')],
    ['a colon alone', basic(':')],
    ['a broken escape in the id', basic('a%zz:b')],
    ['a broken escape in the secret', basic('a:b%')],
    ['an escape in the id that is no UTF-8', basic('%ff:b')],
    ['an escape in the secret that is no UTF-8', basic('a:%C3')],
    ['bytes that are no UTF-8', `Basic ${encode(Buffer.from('a:é', 'latin1'))}`],
  ])('refuses %s', (_name, authorization) => {
    expect(readBasic(authorization)).toBeUndefined();
  });

  it('refuses every control character, raw or escaped, in the id and in the secret', () => {
    const codes = Array.from({ length: 0x100 }, (_, code) => code);
    const escaped = (code: number) => encodeURIComponent(String.fromCharCode(code));
    const refused = (text: (code: number) => string) =>
      codes.filter((code) => readBasic(basic(text(code))) === undefined && code !== 0x25);
    const controls = [...codes.slice(0, 0x20), 0x7f];
    expect(refused((code) => `a${escaped(code)}:b`)).toEqual(controls);
    expect(refused((code) => `a:b${escaped(code)}`)).toEqual(controls);
    expect(refused((code) => `a${String.fromCharCode(code)}:b`)).toEqual(controls);
    expect(refused((code) => `a:b${String.fromCharCode(code)}`)).toEqual(controls);
  });

  it.each([
    ['of two bytes more', 'a:bc', 2],
    ['of one byte more', 'a:bcd', 1],
  ])('accepts only one encoding of credentials %s', (_name, text, unused) => {
    const right = encode(text);
    const place = right.indexOf('=') - 1;
    const spellings = [...BASE64].map((c) => right.slice(0, place) + c + right.slice(place + 1));
    const same = spellings.filter((spelling) => Buffer.from(spelling, 'base64').toString() === text);
    expect(same).toHaveLength(unused === 2 ? 16 : 4);
    expect(same.filter((spelling) => readBasic(`Basic ${spelling}`) !== undefined)).toEqual([right]);
  });

  law('reads back any id and secret that were form-encoded (RFC 6749 §2.3.1)', () => {
    const character = fc.oneof(
      fc.constantFrom(...' +%:&=é🔑'),
      anyCharacter.filter((drawn) => !/\p{Cc}/u.test(drawn)),
    );
    const text = fc.string({ unit: character, minLength: 1 });
    const formEncoded = (value: string) => new URLSearchParams({ v: value }).toString().slice('v='.length);
    return fc.property(text, text, (id, secret) => {
      expect(readBasic(basic(`${formEncoded(id)}:${formEncoded(secret)}`))).toEqual({ id, secret });
    });
  });
});
