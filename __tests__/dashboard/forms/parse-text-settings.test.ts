import { describe, expect, it } from '@jest/globals';
import {
  formatLimits,
  formatMetadata,
  parseAddresses,
  parseLimits,
  parseMetadata,
} from '../../../lib/dashboard/forms/parse-text-settings.js';
import { managed } from '../../support/managed.js';
import { editForm, KEY_TYPES, newForm } from '../key-forms.js';
import { servedDashboard } from '../served-dashboard.js';

const at = managed('memory');
const dashboard = servedDashboard(at);

describe('metadata as text', () => {
  it.each<[Record<string, string>]>([
    [{ team: 'checkout', 'cost center': '12=3' }],
    [{ a: '' }],
    [{ 'a=b': 'c' }],
    [{ a: 'two\nlines' }],
    [{ a: ' spaces ' }],
    [{ '{a': 'b' }],
    [{ ' a': 'b' }],
    [{ a: 'b', 'c=d': 'e' }],
    [{ a: 'right to left \u202e', b: 'caf\u00e9 \u{1f600}' }],
    [{}],
  ])('%j is the same after an edit without a change', (metadata) => {
    expect(parseMetadata(formatMetadata(metadata)) ?? {}).toEqual(metadata);
  });

  it.each([
    ['', null],
    [' \n ', null],
    [' a = 1 \n \n\nb=2\n', { a: '1', b: '2' }],
    [' {"a":" 1 "}\n', { a: ' 1 ' }],
  ])('%j is parsed to %j', (text, metadata) => expect(parseMetadata(text)).toEqual(metadata));

  it.each(['team', '=value', 'a=1\na=2', '{"a":', '{'])('refuses %j', (text) => {
    expect(() => parseMetadata(text)).toThrow(/^metadata: (?:enter|use) /);
  });
});

describe('addresses as text', () => {
  it.each([
    ['', null],
    [' ,\n', null],
    ['10.0.0.1', ['10.0.0.1']],
    [' 10.0.0.1, 10.0.0.2\n\n10.0.0.0/24,', ['10.0.0.1', '10.0.0.2', '10.0.0.0/24']],
  ])('%j is parsed to %j', (text, addresses) => expect(parseAddresses(text)).toEqual(addresses));
});

describe('limits as text', () => {
  it.each(['', ' , '])('of %j are none', (text) => expect(parseLimits(text)).toBeNull());

  it.each([
    ['100/1m', [{ requests: 100, seconds: 60 }]],
    ['90/90s, 5000/1d', [{ requests: 90, seconds: 90 }, ...[{ requests: 5_000, seconds: 86_400 }]]],
    ['1/2h', [{ requests: 1, seconds: 7_200 }]],
  ])('%s', (text, limits) => {
    expect(parseLimits(text)).toEqual(limits);
    expect(formatLimits(limits)).toBe(text);
  });

  it.each([
    ['100/second', 1],
    ['100/minute', 60],
    ['100 per minute', 60],
    ['100/hour', 3_600],
    ['100 per day', 86_400],
    ['100 \t per\n day', 86_400],
  ])('takes %s', (text, seconds) => expect(parseLimits(text)).toEqual([{ requests: 100, seconds }]));

  it('takes a time without a number as one', () => expect(parseLimits('10/s')).toEqual([{ requests: 10, seconds: 1 }]));

  it.each(['100', '100/1', '1.5/m', '-1/m', '100 per', '100/week', '100 minute'])('refuses %j', (text) => {
    expect(() => parseLimits(text)).toThrow(/^limits: enter a number of requests per time period/);
  });
});

describe.each(KEY_TYPES)('a form of %s', (keyType) => {
  const texts = {
    metadata: 'team=checkout\r\nregion=eu',
    allowedAddresses: '203.0.113.7\r\n2001:db8::/32',
    limits: '100/1m',
  };
  const list = keyType === 'keys' ? '/keys' : '/access-keys';

  it('closes the fields that few keys need, until one is set or wrong', async () => {
    const holder = await at.account();
    const browser = dashboard.browser(holder.owner);
    const title = '<summary>Rate limits and metadata</summary>';
    const path = keyType === 'keys' ? '/keys/new?kind=secret' : '/access-keys/new';
    const { body } = await browser.get(path);
    expect(body).toContain(`<details class="group">${title}`);
    expect(/<h2>Where the key can be used<\/h2>.*?<\/section>/s.exec(body)?.[0]).toContain('name="allowedAddresses"');
    const wrong = await browser.post(list, newForm(keyType, { limits: 'many' }));
    expect(wrong.status).toBe(400);
    expect(wrong.body).toContain(`<details class="group" open>${title}`);
    expect((await browser.post(list, newForm(keyType, { metadata: 'team=checkout' }))).status).toBe(201);
    const [key] = (await at.management[keyType].list(holder.owner)).items;
    expect((await browser.get(`${list}/${key?.id}/edit`)).body).toContain(`<details class="group" open>${title}`);
  });

  it('gives a key metadata, addresses and limits, and its page shows them', async () => {
    const holder = await at.account();
    const browser = dashboard.browser(holder.owner);
    expect((await browser.post(list, newForm(keyType, texts))).status).toBe(201);
    const [key] = (await at.management[keyType].list(holder.owner)).items;
    if (key === undefined) throw new Error('there is no key');
    expect(key).toMatchObject({
      metadata: { team: 'checkout', region: 'eu' },
      allowedAddresses: ['203.0.113.7', '2001:db8::/32'],
      limits: [{ requests: 100, seconds: 60 }],
    });
    const { body } = await browser.get(`${list}/${key.id}`);
    for (const shown of ['<bdi>checkout</bdi>', '<bdi>203.0.113.7</bdi>', '100/1m']) expect(body).toContain(shown);
    const form = (await browser.get(`${list}/${key.id}/edit`)).body;
    expect(form).toContain('>\nteam=checkout\nregion=eu</textarea>');
    expect(form).toContain('>\n203.0.113.7\n2001:db8::/32</textarea>');

    // What is as it was is no change, and a field that the form does not have changes nothing.
    await browser.post(`${list}/${key.id}/edit`, editForm(keyType, key, { ...texts, name: 'Other' }));
    const [entry] = (await at.management.audit(holder.owner, { subject: key.id })).items;
    expect(entry?.after).toEqual({ name: 'Other' });
    await browser.post(`${list}/${key.id}/edit`, editForm(keyType, { version: 2 }, { name: 'Third', limits: '' }));
    expect(await at.management[keyType].view(holder.owner, key.id)).toMatchObject({
      metadata: { team: 'checkout', region: 'eu' },
      limits: null,
    });
  });

  it.each(['metadata', 'allowedAddresses', 'limits'] as const)('removes %s whose field is empty', async (name) => {
    const holder = await at.account();
    const browser = dashboard.browser(holder.owner);
    await browser.post(list, newForm(keyType, texts));
    const [key] = (await at.management[keyType].list(holder.owner)).items;
    const form = editForm(keyType, { version: 1 }, { ...texts, [name]: '' });
    expect((await browser.post(`${list}/${key?.id}/edit`, form)).status).toBe(303);
    const { metadata, allowedAddresses, limits } = await at.management[keyType].view(holder.owner, String(key?.id));
    const removed = Object.entries({ metadata, allowedAddresses, limits }).filter(([, value]) => value === null);
    expect(removed).toEqual([[name, null]]);
  });

  it.each([
    ['metadata', 'team', 'Expected a name', /id="metadata-error">Enter one name=value/],
    [
      'allowedAddresses',
      '203.0.113',
      'Allowed IP addresses',
      /id="allowedAddresses-error">&quot;203\.0\.113&quot; is not an IP address or network\. Enter values such as 203\.0\.113\.7 or 203\.0\.113\.0\/24\.</,
    ],
    ['limits', 'many', 'Rate limits', /id="limits-error">Enter a number of requests per time period/],
    ['limits', '0/1m', 'Rate limits', /id="limits-error">Enter up to 8 limits/],
  ])('with a wrong %s of %j says so beside the field and in the summary', async (name, text, _title, error) => {
    const holder = await at.account();
    const { status, body } = await dashboard.browser(holder.owner).post(list, newForm(keyType, { [name]: text }));
    expect(status).toBe(400);
    expect(body).toContain(`<a href="#field-${name}">`);
    expect(body).toMatch(error);
    expect(body).toContain(`aria-describedby="${name}-hint ${name}-error" aria-invalid="true"`);
    expect(body).toContain(text);
  });
});

it('the form warns of live secret keys that do not expire, and of no others', async () => {
  const holder = await at.account();
  const browser = dashboard.browser(holder.owner);
  const warns = async (path: string) => (await browser.get(path)).body.includes('id="expiresAt-warning"');
  const edit = async (settings: Parameters<typeof holder.key>[0]) =>
    warns(`/keys/${(await holder.key(settings)).key.id}/edit`);
  expect(await warns('/keys/new?kind=secret')).toBe(true);
  expect(await warns('/keys/new?kind=public')).toBe(false);
  expect(await warns('/access-keys/new')).toBe(false);
  expect(await edit({})).toBe(true);
  expect(await edit({ environment: 'sandbox' })).toBe(false);
  expect(await edit({ expiresAt: new Date(at.clock.now() + 86_400_000) })).toBe(false);
});
