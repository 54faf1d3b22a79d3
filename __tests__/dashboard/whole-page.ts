import type { Management, Member } from 'keyward/management';
import type { DashboardSettings, PageContext } from '../../lib/dashboard/http/page-context.js';
import type { PageResponse } from '../../lib/dashboard/http/page-response.js';
import { Fields } from '../../lib/dashboard/http/request-fields.js';
import { ROUTES } from '../../lib/dashboard/pages/routes.js';
import { createManualClock, START } from '../support/manual-clock.js';

/** Pages with fixed data, for tests that compare a whole page with its snapshot. */

/** Where the Dashboard of these pages is mounted. */
export const BASE = '/dash';
/** The ID of a form that a test sends. The ID of any other form is random. */
export const FORM_ID = '01234567-89ab-4cde-8f01-23456789abcd';

export const OWNER: Member = { id: 'kim', account: 'acme', permissions: ['owner'] };
export const DEVELOPER: Member = { id: 'dev', account: 'acme', permissions: ['developer'] };
export const READER: Member = { id: 'ria', account: 'acme', permissions: ['reader'] };

export interface Visit {
  readonly management: Management;
  readonly member?: Member;
  readonly site?: Partial<DashboardSettings>;
}

export function settingsOf(management: Management, more: Partial<DashboardSettings> = {}): DashboardSettings {
  return {
    management,
    clock: createManualClock(),
    ...{ signInUrl: '/sign-in', signOutUrl: '/sign-out', stylesheet: undefined, productName: 'keyward' },
    ...{ logoUrl: undefined, apiUrl: 'https://api.example.com/', tokenUrl: 'https://access.example.com/token' },
    ...more,
  };
}

export function contextOf({ management, member = OWNER, site }: Visit, more: Partial<PageContext> = {}): PageContext {
  return {
    ...{ site: settingsOf(management, site), member, base: BASE, now: START, params: {} },
    ...{ browserToken: 'BROWSER_TOKEN', formToken: 'FORM_TOKEN', fields: new Fields([], []) },
    ...more,
  };
}

/** Opens the page at a path, such as `/keys/key_1?done=edited`. */
export async function open(visit: Visit, address: string): Promise<PageResponse> {
  const [path = '', query = ''] = address.split('?');
  const { route, params } = routeOf(path);
  if (route.get === undefined) throw new Error(`${path} has no page`);
  const fields = new Fields(new URLSearchParams(query), route.query ?? []);
  return await route.get(contextOf(visit, { params, fields }));
}

/** Sends a form to a path. */
export async function send(
  visit: Visit,
  path: string,
  form: readonly (readonly [string, string])[] | Readonly<Record<string, string>>,
): Promise<PageResponse> {
  const { route, params } = routeOf(path);
  if (route.post === undefined) throw new Error(`${path} has no form`);
  const pairs = Array.isArray(form) ? form : Object.entries(form);
  const fields = new Fields([...pairs, ['csrf', 'FORM_TOKEN']], [...(route.form ?? []), 'csrf']);
  return await route.post(contextOf(visit, { params, fields }));
}

function routeOf(path: string) {
  for (const route of ROUTES) {
    const match = new RegExp(`^${route.path.replace(':id', '(?<id>[^/]+)')}$`).exec(path);
    if (match !== null) return { route, params: { ...match.groups } };
  }
  throw new Error(`there is no route for ${path}`);
}

/** A response in lines: its status, its headers, and its whole body. */
export function wholeOf({ status, headers, body }: PageResponse): string {
  return `${status}\n${headersOf(headers)}\n\n${linesOf(String(body))}`;
}

/** The parts of a response that differ from page to page: all but the HTML around the content. */
export function contentOf({ status, headers, body }: PageResponse): string {
  const text = String(body);
  if (text === '') return `${status}\n${headersOf(headers)}`;
  const { 'Content-Type': type, ...others } = headers;
  const [, title] = /<title>(.*?)<\/title>/.exec(text) ?? [];
  const [, tab] = /<a href="([^"]*)" aria-current="page">/.exec(text) ?? [];
  const [, main = ''] = /<main[^>]*>\n(.*)<\/main>/s.exec(text) ?? [];
  const lines = [status, headersOf(others), `title: ${escaped(title ?? '')}`, `tab: ${tab}`, linesOf(main)];
  return lines.filter((line) => line !== '').join('\n');
}

/**
 * HTML with one start tag on each line, except tags inside a sentence, so that a difference is readable. The lines that
 * start with two spaces continue the line before. Random IDs of forms, and the digests in the names of assets, are replaced.
 */
export function linesOf(html: string): string {
  const fixed = html
    .replace(/(?<=name="formId" value=")(?!01234567-)[0-9a-f-]{36}(?=")/g, 'RANDOM')
    .replace(/(?<=\/assets\/\w+-)[\w-]{12}(?=\.)/g, 'DIGEST');
  return escaped(fixed.replace(/(?<=[^\n])(?<! )(?= ?<(?!\/|(?:b|bdi|br|code|span|strong|time)\b))/g, '\n  '));
}

function escaped(text: string): string {
  return text.replace(/[^\n\x20-\x7e]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function headersOf(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
}
