/** Forms of the Dashboard, filled in as people do, and sent as they cannot be. */
import type { Page, Response } from 'playwright-core';
import { memberFormToken, TOKEN_FIELD } from '../../lib/dashboard/http/csrf-token.js';

/** Presses something that leads on, in a menu if need be, and waits for what the server answers at the end of it. */
export async function press(page: Page, name: string, role: 'button' | 'link' = 'button'): Promise<Response> {
  const target = page.getByRole(role, { name, exact: true });
  for (const menu of await page.locator('details > summary').all()) {
    if ((await target.count()) > 0) break;
    await menu.click();
    if ((await target.count()) === 0) await menu.click();
  }
  return await answerTo(page, () => target.first().click());
}

/** Sends a form that the page does not offer, with the token of the member, as a user of the browser's developer tools can. */
export async function sendAnyway(page: Page, path: string, fields: Readonly<Record<string, string>>): Promise<number> {
  const form = { [TOKEN_FIELD]: await formTokenOn(page), ...fields };
  const response = await answerTo(page, () => page.evaluate(`(${SEND})(${JSON.stringify({ path, fields: form })})`));
  return response.status();
}

/** The token of the member's forms, on any page with the menu that signs out. */
export async function formTokenOn(page: Page): Promise<string> {
  const menu = page.locator('.menu.who');
  const [id = '', account = ''] = await menu.locator('.items bdi').allTextContents();
  return memberFormToken(await menu.locator(`[name=${TOKEN_FIELD}]`).inputValue(), { id, account });
}

/** The answer to what makes the browser go to another page, when that page is there. */
export async function answerTo(page: Page, act: () => Promise<unknown>): Promise<Response> {
  const [response] = await Promise.all([page.waitForNavigation(), act()]);
  if (response === null) throw new Error('the page did not come from the server');
  return response;
}

/** Run in the page, whose types this project does not have. */
const SEND = `({ path, fields }) => {
  const form = document.createElement('form');
  form.method = 'post';
  form.action = path;
  for (const [name, value] of Object.entries(fields)) {
    const input = document.createElement('input');
    Object.assign(input, { type: 'hidden', name, value });
    form.append(input);
  }
  document.body.append(form);
  form.submit();
}`;
