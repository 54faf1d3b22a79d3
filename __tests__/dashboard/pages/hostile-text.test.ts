import { describe, expect, it } from '@jest/globals';
import type { Member } from 'keyward/management';
import { type Holder, managed } from '../../support/managed.js';
import { editForm, newForm } from '../key-forms.js';
import { fieldOf, servedDashboard } from '../served-dashboard.js';

const at = managed('memory');
const dashboard = servedDashboard(at);

const HOSTILE: readonly (readonly [string, string])[] = [
  ['a script', '<script>alert(1)</script>'],
  ['an attribute that is left', '"><img src=x onerror=alert(1)>'],
  ['an attribute in single quotes', "' autofocus onfocus='alert(1)"],
  ['a URL that runs', 'javascript:alert(1)'],
  ['the end of a script', '</script><svg onload=alert(1)>'],
  ['the end of a title', '</title><svg onload=alert(1)>'],
  ['a template', '{{7*7}}#{7*7}<%= 7*7 %>'],
  ['a comment', '<!--><img src=x onerror=alert(1)>-->'],
  ['entities', '&lt;script&gt;&#60;script&#62;'],
  ['U+202E', 'safe\u202Egnp.exe'],
  ['zero width', 'ad\u200Bmin\u2060'],
  ['NUL', 'a\0b'],
  ['line ends', 'a\r\nSet-Cookie: x=1\u2028b'],
  ['emoji', '\u{1F511}\u{1F469}\u{1F3FD}'],
  ['10 KB', 'x'.repeat(10_240)],
  ['right to left', '\u05E9\u05DC\u05D5\u05DD'],
];

/** What would be a tag, an attribute or a turned text: none of it stands in a page as it is. */
function expectHarmless(body: string, text: string): void {
  const raw = /[<>"'\p{Cc}\p{Cf}\u2028]/u.test(text);
  if (raw) expect(body).not.toContain(text);
  expect(body).not.toMatch(/<(?:script(?! src)|img|svg)|[\u202E\u200B\u2060\0]/);
  // What stands in the quotes of an attribute cannot leave them.
  expect(body.replaceAll(/"[^"]*"/g, '')).not.toMatch(/<[^>]* on\w+=|javascript:[^<]*>/);
}

describe('M31 hostile texts', () => {
  it.each(HOSTILE)('M31 %s as a name: stored and shown as text, or 400', async (_what, text) => {
    const holder = await at.account();
    const browser = dashboard.browser(holder.owner);
    const made = await browser.post('/keys', newForm('keys', { name: text }));
    expect([201, 400]).toContain(made.status);
    expectHarmless(made.body, text);
    const [key] = (await at.management.keys.list(holder.owner)).items;
    expect(key === undefined).toBe(made.status === 400);
    if (key === undefined) return;
    expect(key.name).toBe(text);
    const own = `/keys/${key.id}`;
    for (const path of ['/', own, `${own}/edit`, `${own}/revoke`, '/audit', `/audit?subject=${key.id}`]) {
      const { status, body } = await browser.get(path);
      expect(status).toBe(200);
      expectHarmless(body, text);
    }
    const wrong = await browser.post(`${own}/revoke`, { confirm: 'x' });
    const conflict = await browser.post(
      `${own}/edit`,
      editForm('keys', { version: 9 }, { name: text, 'channels.of': 'some', channels: 'pc_1' }),
    );
    expect([wrong.status, conflict.status]).toEqual([400, 409]);
    for (const { body } of [wrong, conflict]) expectHarmless(body, text);
    // The form gives the same name back: an edit that changes nothing does not change it.
    expect(unescaped(fieldOf(await browser.get(`${own}/edit`), 'name') ?? '')).toBe(text);
    expect((await browser.post(`${own}/revoke`, { confirm: text })).status).toBe(303);
  });

  it.each(HOSTILE)('M31 %s in every field of a form and of a URL: shown as text', async (_what, text) => {
    const holder = await at.account();
    const browser = dashboard.browser(holder.owner);
    for (const field of [
      'name',
      'environment',
      'apis',
      'scopes',
      'channels',
      'channels.named',
      'platform',
      'expiresAt',
    ]) {
      const choices = { 'scopes.of': 'some', 'channels.of': 'some' };
      const { status, body } = await browser.post(
        '/keys',
        newForm('keys', { ...choices, scopes: 'payments', [field]: text }),
      );
      expect(status).toBeGreaterThanOrEqual(201);
      expectHarmless(body, text);
    }
    const query = encodeURIComponent(text);
    for (const path of [`/?text=${query}`, `/?api=${query}`, `/?kind=${query}`, `/?after=${query}`, `/?${query}=1`]) {
      const { status, body } = await browser.get(path);
      expect([200, 400, 431]).toContain(status);
      expectHarmless(body, text);
    }
    for (const path of [
      `/audit?actor=${query}`,
      `/audit?action=${query}`,
      `/audit?subject=${query}`,
      `/keys/${query}`,
    ]) {
      const { body } = await browser.get(path);
      expectHarmless(body, text);
    }
  });

  it.each(HOSTILE)('M31 %s as the id and the address of a member: shown as text', async (_what, text) => {
    const holder: Holder = await at.account();
    const member: Member = { ...holder.owner, id: text, address: text };
    const browser = dashboard.browser(member);
    const made = await browser.post('/keys', newForm('keys'));
    if (text.includes('\0') || text.length > 256) {
      // No database stores a NUL, and the audit log has no longer ids: nobody is signed in with such an id.
      expect([made.status, made.body.includes(text)]).toEqual([401, false]);
      return;
    }
    expect(made.status).toBe(201);
    const [key] = (await at.management.keys.list(holder.owner)).items;
    for (const path of ['/', `/keys/${key?.id}`, '/audit']) {
      const { status, body } = await browser.get(path);
      expect(status).toBe(200);
      expectHarmless(body, text);
    }
  });
});

function unescaped(text: string): string {
  const signs: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#39': "'", '#96': '`', amp: '&' };
  return text.replace(/&(lt|gt|quot|#39|#96|amp);/g, (_entity, name: string) => signs[name] ?? '');
}
