import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { openChromium } from '../../support/browser.js';
import { browserSite } from '../../support/browser-site.js';

const site = browserSite();
const chromium = openChromium();

beforeAll(async () => {
  await site.management.accessKeys.create(site.owner, { scopes: ['payments'] });
  const settings = { kind: 'secret', apis: ['payments'] } as const;
  for (let number = 0; number < 60; number += 1) {
    await site.management.keys.create(site.owner, { ...settings, name: number === 0 ? 'Needle' : `Till ${number}` });
  }
});

const namesOn = (page: Page) => page.locator('#results tbody th').allTextContents();
const search = (page: Page) => page.locator('.filters [name=text]');

describe('typing into the search', () => {
  it('N39 finds a key on another page, keeps the focus, and puts the search into the URL', async () => {
    const page = await site.enter(chromium, 'developer');
    expect(await namesOn(page)).not.toContain('Needle');
    await search(page).pressSequentially('needle');
    await page.waitForURL(/\?text=needle$/);
    expect(await namesOn(page)).toEqual(['Needle']);
    expect(await search(page).evaluate((field) => field.matches(':focus'))).toBe(true);
    expect(await page.locator('#found').textContent()).toBe('1 API key on this page.');
    await page.reload();
    expect([await namesOn(page), await search(page).inputValue()]).toEqual([['Needle'], 'needle']);
  });

  it('keeps the search when the environment is switched', async () => {
    const page = await site.enter(chromium, 'developer');
    await search(page).pressSequentially('needle');
    await page.waitForURL(/\?text=needle$/);
    const live = page.locator('.switch').getByRole('link', { name: 'Live' });
    await live.focus();
    await live.press('Enter');
    await page.waitForURL(/environment=live/);
    expect([await search(page).inputValue(), await namesOn(page)]).toEqual(['needle', ['Needle']]);
  });

  it('N39 says that nothing matches', async () => {
    const page = await site.enter(chromium, 'developer');
    await search(page).pressSequentially('no such key');
    await page.getByText('No API keys match', { exact: false }).last().waitFor();
    expect(await namesOn(page)).toEqual([]);
    expect(await page.locator('#found').textContent()).toBe('No API keys match your filters.');
    expect(await page.getByRole('link', { name: 'Clear filters' }).isVisible()).toBe(true);
  });

  it('N39 on a later page it searches all pages, and shows all keys again when it is cleared', async () => {
    const page = await site.enter(chromium, 'developer');
    await page.getByRole('link', { name: 'Next page' }).click();
    await page.waitForURL(/after=/);
    await search(page).pressSequentially('till 59');
    await page.waitForURL(/\?text=till\+59$/);
    expect(await namesOn(page)).toEqual(['Till 59']);
    await search(page).fill('');
    await page.getByRole('link', { name: 'Next page' }).waitFor();
    expect(await namesOn(page)).toHaveLength(50);
  });

  it('N39 a select also asks the server, and keeps the search', async () => {
    const page = await site.enter(chromium, 'developer');
    await search(page).pressSequentially('needle');
    await page.waitForURL(/text=needle/);
    await page.locator('.filters [name=kind]').selectOption('public');
    await page.getByText('No API keys match', { exact: false }).last().waitFor();
    expect(new URL(page.url()).searchParams.get('kind')).toBe('public');
  });

  it.each(['', '/access-keys', '/audit'])('in %j sends only the last characters of a pasted secret', async (path) => {
    const page = await site.enter(chromium, 'developer');
    const sent: string[] = [];
    page.on('request', (request) => sent.push(request.url()));
    await page.goto(site.url + path);
    const field = page.locator('.filters [data-shortens]');
    const secret = `sk_${'a'.repeat(23)}wxyz`;
    await field.fill(`Bearer ${secret}`);
    expect(await field.inputValue()).toBe('wxyz');
    await page.getByText('The search contained a complete key or secret.').waitFor();
    await field.press('Enter');
    await page.waitForURL(/=wxyz/);
    expect(sent.filter((url) => url.includes('aaaa'))).toEqual([]);
  });

  it('N39 a late response to an earlier search does not replace the results of a later one', async () => {
    const page = await site.enter(chromium, 'developer');
    let answerFirst: () => void = () => undefined;
    const isLate = new Promise<void>((resolve) => {
      answerFirst = resolve;
    });
    await page.route('**/?text=till+1', async (route) => {
      const response = await route.fetch();
      await isLate;
      await route.fulfill({ response }).catch(() => undefined);
    });
    const sent = page.waitForRequest(/text=till\+1$/);
    await search(page).fill('till 1');
    await sent;
    await search(page).fill('needle');
    await page.waitForURL(/\?text=needle$/);
    answerFirst();
    await page.unrouteAll({ behavior: 'wait' });
    // What the late response would do is done before this.
    await page.evaluate('new Promise((resolve) => setTimeout(resolve))');
    expect([await namesOn(page), new URL(page.url()).search]).toEqual([['Needle'], '?text=needle']);
  });

  it('sends one request after a pause, not one for each letter', async () => {
    const page = await site.enter(chromium, 'developer');
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.resourceType() === 'fetch') sent.push(new URL(request.url()).search);
    });
    await page.clock.install({ time: 0 });
    await page.clock.pauseAt(1_000);
    await search(page).pressSequentially('need');
    await page.clock.runFor(199);
    await search(page).pressSequentially('le');
    await page.clock.runFor(199);
    expect(sent).toEqual([]);
    await page.clock.runFor(1);
    await page.waitForURL(/\?text=needle$/);
    expect(sent).toEqual(['?text=needle']);
  });

  it('a search whose request fails is sent by the form, so that the browser shows why', async () => {
    const page = await site.enter(chromium, 'developer');
    const asked: boolean[] = [];
    await page.route('**/*text=needle*', async (route) => {
      asked.push(route.request().isNavigationRequest());
      await (asked.length === 1 ? route.abort('connectionreset') : route.continue());
    });
    await search(page).fill('needle');
    await page.waitForURL(/[?&]text=needle/);
    expect([asked, await namesOn(page)]).toEqual([[false, true], ['Needle']]);
    chromium.troubles();
  });

  it('a user who was signed out meanwhile gets the sign-in page', async () => {
    const page = await site.enter(chromium, 'developer');
    await page.context().clearCookies();
    await search(page).pressSequentially('needle');
    await page.getByRole('heading', { name: 'Not signed in' }).waitFor();
    chromium.troubles();
  });
});

it('N39 without the script, the button submits the search', async () => {
  const page = await site.enter(chromium, 'developer', { javaScriptEnabled: false });
  await search(page).fill('needle');
  await page.getByRole('button', { name: 'Filter' }).click();
  expect(await namesOn(page)).toEqual(['Needle']);
  await search(page).fill('no such key');
  await page.getByRole('button', { name: 'Filter' }).click();
  expect(await page.locator('#results').textContent()).toContain('No API keys match');
});
