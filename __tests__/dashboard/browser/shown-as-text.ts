/** What a page shows of texts that somebody wrote: the texts, and nothing that they brought with them. */
import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';

export interface Seen {
  /** Of what somebody chose, each alone in an element. */
  readonly texts: readonly string[];
  /** Of the controls of forms, by their names. */
  readonly values: readonly (readonly [name: string, value: string])[];
  /** Elements that no page has. */
  readonly strangers: readonly string[];
  /** Whether something stands there that is not seen, except in fields. */
  readonly unseen: boolean;
}

const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/** How a page writes a text, except in a field: what cannot be seen by its number. */
export function visible(text: string): string {
  return text.replace(
    new RegExp(UNSEEN, 'gu'),
    (sign) => `[U+${sign.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}]`,
  );
}

/** Whether a key can have the name. */
export function isName(text: string): boolean {
  return text.length <= 100 && !UNSEEN.test(text);
}

/** Looks at a page, and expects nothing there that a text brought with it. */
export async function seenIn(page: Page): Promise<Seen> {
  const seen = await page.evaluate<Seen>(SEE);
  expect(seen).toMatchObject({ strangers: [], unseen: false });
  return seen;
}

/** Expects the texts, each alone in an element, and nothing that a text brought with it. */
export async function expectText(page: Page, texts: readonly string[]): Promise<void> {
  const { texts: shown } = await seenIn(page);
  for (const text of texts) expect(shown).toContain(text);
}

/** What is not shown again: what is none of two, and what was only to be confirmed. */
const NOT_SHOWN = /\.of$|^(?:environment|confirm)$/;

/** Expects the fields of a page to have what was written into them, also what cannot be seen. */
export function expectWritten({ values }: Seen, texts: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(texts).filter(([name]) => !NOT_SHOWN.test(name))) {
    const shown = values.filter(([other]) => other === name).map(([, value]) => value);
    // No HTML has a NUL: browsers read another character.
    const read = text.replace(/\r\n?/g, '\n').replaceAll('\0', '\uFFFD');
    const words = [...new Set(read.split(/[\s,]+/))].filter((word) => word !== '');
    if (!name.endsWith('.named')) expect([name, ...shown]).toContain(read);
    else expect(shown).toEqual([expect.stringContaining(words.join(' '))]);
  }
}

/** Elements of these kinds that pages have themselves: menus, charts, and groups of fields. */
const OWN =
  'details.menu, details.more, details.group, details.changed, details.panel, figure > svg, figure + details, td > svg';

/** Run in the page, whose types this project does not have. */
const SEE = `(() => {
  const shown = document.documentElement.cloneNode(true);
  for (const field of shown.querySelectorAll('[value]')) field.removeAttribute('value');
  for (const field of shown.querySelectorAll('textarea')) field.textContent = '';
  return {
  texts: [...document.querySelectorAll('bdi, bdi *, option')].map((element) => element.textContent),
  values: [...document.querySelectorAll('main [name]')].flatMap((control) =>
    [...(control.options ?? [control])].map((one) => [control.name, one.getAttribute('value') ?? one.value ?? ''])),
  strangers: [
    ...[...document.querySelectorAll('main :is(script, style, img, svg, iframe, object, embed, video, audio, details, base, link), [style], [autofocus]')]
      .filter((element) => !element.matches(${JSON.stringify(OWN)}) || element.closest('bdi')),
    ...[...document.querySelectorAll('*')].filter((element) => element.getAttributeNames().some((name) => name.startsWith('on'))),
    ...[...document.querySelectorAll('[href], [src], [action], [formaction]')].filter((element) =>
      ['href', 'src', 'action', 'formaction'].some((name) => element.hasAttribute(name) && new URL(element.getAttribute(name), location).origin !== location.origin) &&
        !(element.matches('a[download]') && element.href.startsWith('data:text/plain;'))),
  ].map((element) => element.outerHTML),
  unseen: /[\\0-\\x08\\x0B-\\x1F\\x7F-\\x9F\\p{Cf}\\p{Zl}\\p{Zp}]/u.test(shown.outerHTML),
  };
})()`;
