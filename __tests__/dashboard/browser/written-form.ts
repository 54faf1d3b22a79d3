/** A form of a page, written in field by field and sent into a second window: so it is still there for the next text. */
import { expect } from '@jest/globals';
import type { Page, Response } from 'playwright-core';

export interface WrittenForm {
  /** The fields that the form has. */
  readonly names: readonly string[];
  /** What was answered last. */
  readonly answer: Page;
  /** Writes the texts into the form as it came from the server, sends it, and waits for the answer. */
  send(texts: Readonly<Record<string, string>>): Promise<Response>;
}

/** @param action - Where the form of that page goes. */
export async function writtenForm(page: Page, action: string): Promise<WrittenForm> {
  const form = `main form[action="${action}"], form[action="${action}"]`;
  const run = <T>(script: string, texts?: unknown) =>
    page.evaluate<T>(`(${script})(document.querySelector(${JSON.stringify(form)}), ${JSON.stringify(texts)})`);
  const [answer] = await Promise.all([page.waitForEvent('popup'), page.evaluate(`void open('about:blank', 'answer')`)]);

  async function send(texts: Readonly<Record<string, string>>): Promise<Response> {
    // Typed first: the page may choose something else where somebody types.
    for (const name of await run<string[]>(TYPED, texts)) {
      await page.locator(form).first().locator(`[name="${name}"]`).fill(String(texts[name]));
    }
    expect(await run(SET, texts)).toEqual([]);
    const [response] = await Promise.all([answer.waitForNavigation(), run(SEND)]);
    if (response === null) throw new Error('the answer did not come from the server');
    return response;
  }

  return { names: await run<string[]>(NAMES), answer, send };
}

// Run in the page, whose types this project does not have.

const NAMES = '(form) => [...new Set([...form.elements].map(({ name }) => name).filter(Boolean))]';

/** Makes the form what it was at first, and says which of the texts can be typed; the others have no place in a line. */
const TYPED = `(form, texts) => {
  form.first ??= new Map([...form.elements].map((control) => [control, [control.type, control.value, control.checked]]));
  for (const control of [...form.elements]) {
    const [type, value, checked] = form.first.get(control) ?? [];
    if (type === undefined) control.remove();
    else if (control.matches('input, select')) {
      if (control.matches('input')) control.type = type;
      control.value = value;
      control.checked = checked;
    }
  }
  return Object.keys(texts).filter((name) => {
    const control = [...form.elements].find((one) => one.name === name);
    const typed = ['text', 'search'].includes(control?.type) && !/[\\r\\n\\0]/.test(texts[name]);
    if (typed) control.removeAttribute('maxlength');
    return typed;
  });
}`;

/** Sets what nobody types, as whoever knows the tools of a browser can; says which of the texts would not be sent. */
const SET = `(form, texts) => {
  for (const [name, text] of Object.entries(texts)) {
    const [first, ...others] = [...form.elements].filter((one) => one.name === name);
    if (first?.value === text && first.type !== 'checkbox' && first.type !== 'radio') continue;
    for (const other of others) other.checked = false;
    const control = first ?? form.appendChild(Object.assign(document.createElement('input'), { type: 'hidden', name }));
    if (control.matches('select')) control.add(new Option(text, text));
    else if (!['checkbox', 'radio'].includes(control.type)) control.type = 'hidden';
    control.value = text;
    control.checked = true;
  }
  const sent = new FormData(form);
  return Object.keys(texts).filter((name) => sent.getAll(name).length !== 1 || sent.get(name) !== texts[name]);
}`;

const SEND = `(form) => {
  form.target = 'answer';
  form.requestSubmit();
}`;
