/** A form of a page, written in field by field and sent into a second window: so it is still there for the next text. */
import type { Page, Response } from 'playwright-core';

export interface WrittenForm {
  /** The fields that the form has. */
  readonly names: readonly string[];
  /** That has the form. */
  readonly page: Page;
  /** What was answered last. */
  readonly answer: Page;
  /** Writes the texts into the form as it came from the server, sends it, and waits for the answer. */
  send(texts: Readonly<Record<string, string>>): Promise<Response>;
}

/** @param action - Where the form of that page goes. */
export async function writtenForm(page: Page, action: string): Promise<WrittenForm> {
  const run = <T>(script: string, texts?: unknown) =>
    page.evaluate<T>(`(${script})(document.querySelector('form[action="${action}"]'), ${JSON.stringify(texts)})`);
  const [answer] = await Promise.all([page.waitForEvent('popup'), page.evaluate(`void open('about:blank', 'answer')`)]);

  async function send(texts: Readonly<Record<string, string>>): Promise<Response> {
    const [response] = await Promise.all([answer.waitForNavigation(), run(SEND, texts)]);
    if (response === null) throw new Error('the answer did not come from the server');
    return response;
  }

  return { names: await run<string[]>(NAMES), page, answer, send };
}

// Run in the page, whose types this project does not have.

const NAMES = '(form) => [...new Set([...form.elements].map(({ name }) => name).filter(Boolean))]';

/**
 * Types texts of one line, as the editor of the browser does it; sets the others, as a user of the developer tools can;
 * and throws if a text would not be sent unchanged.
 */
const SEND = `(form, texts) => {
  const controls = [...form.querySelectorAll('input, select, textarea')];
  form.first ??= new Map(controls.map((one) => [one, { type: one.type, length: one.length, value: one.value, checked: one.checked }]));
  for (const control of controls) {
    control.disabled = false;
    const first = form.first.get(control);
    if (first === undefined) control.remove();
    else if (control.matches('select')) Object.assign(control, { length: first.length, value: first.value });
    else if (control.matches('textarea')) control.value = first.value;
    else Object.assign(control, { type: first.type, value: first.value, checked: first.checked });
  }

  const ofName = (name) => [...form.elements].filter((one) => one.name === name);
  const isTyped = ([name, text]) => ['text', 'search'].includes(ofName(name)[0]?.type) && !/[\\r\\n\\0]/.test(text);
  const all = Object.entries(texts);
  // First, since the page may choose something else where somebody types.
  for (const [name, text] of all.filter(isTyped)) {
    const [control] = ofName(name);
    // A field in a closed group cannot get the focus, nor one that is disabled because all values are chosen.
    control.closest('details')?.setAttribute('open', '');
    const some = control.closest('[data-choice]')?.querySelector('[value=some]');
    if (some) some.checked = true;
    control.disabled = false;
    control.removeAttribute('maxlength');
    control.focus();
    if (document.activeElement !== control) throw new Error('cannot be typed into: ' + name);
    control.select();
    document.execCommand('insertText', false, text);
  }
  for (const [name, text] of all.filter((one) => !isTyped(one))) {
    const [first, ...others] = ofName(name);
    for (const other of others) other.checked = false;
    const isArea = first?.matches('textarea');
    // Its text would be sent with other line breaks.
    if (isArea) first.disabled = true;
    const control = (isArea ? undefined : first) ?? form.appendChild(Object.assign(document.createElement('input'), { type: 'hidden', name }));
    if (control.matches('select')) control.add(new Option(text, text));
    else if (!['checkbox', 'radio'].includes(control.type)) control.type = 'hidden';
    Object.assign(control, { value: text, checked: true });
  }

  // The page disables what does not apply to what is chosen.
  for (const [name] of all) for (const one of ofName(name)) if (!one.matches('textarea')) one.disabled = false;
  const sent = new FormData(form);
  for (const [name, text] of all) {
    if (sent.getAll(name).length !== 1 || sent.get(name) !== text) throw new Error('not sent as it is: ' + name);
  }
  form.target = 'answer';
  // Without the event where the page sends a form once.
  if (form.method === 'post') form.submit();
  else form.requestSubmit();
}`;
