/** The context that each page gets: the settings of the Dashboard, the member who sent the request, and its fields. */
import type { Clock } from '../../contracts/clock.js';
import type { Management } from '../../management/create-management.js';
import type { KeyView } from '../../management/keys/key-view.js';
import type { Member } from '../../management/member.js';
import type { KeyType } from '../key-type.js';
import { notFound } from './http-error.js';
import type { PageResponse } from './page-response.js';
import type { Fields } from './request-fields.js';

/** The settings that are the same for every request. */
export interface DashboardSettings {
  readonly management: Management;
  readonly clock: Clock;
  readonly signInUrl: string | undefined;
  readonly signOutUrl: string | undefined;
  readonly stylesheet: string | undefined;
  readonly productName: string;
  readonly logoUrl: string | undefined;
  readonly apiUrl: string;
  readonly tokenUrl: string;
}

export interface PageContext {
  readonly site: DashboardSettings;
  readonly member: Member;
  /**
   * The path at which the host app mounted the Dashboard. Every link starts with it. It comes from the router, so a
   * forged `Host` header cannot change the links.
   */
  readonly base: string;
  /** The CSRF token of the browser. Only the form that signs out contains it alone. */
  readonly browserToken: string;
  /** The CSRF token of the browser and the member. Every other form contains it in a hidden field. */
  readonly formToken: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** The fields of the query for a GET, or of the form for a POST. */
  readonly fields: Fields;
  /** Milliseconds since 1970. */
  readonly now: number;
}

export type Page = (context: PageContext) => Promise<PageResponse>;

/**
 * The ID of a key in the path; `''` if the path has none.
 *
 * @throws HttpError 404 for an ID with NUL: no key can have it, and PostgreSQL fails on a query with NUL.
 */
export function keyIdIn({ params: { id } }: PageContext): string {
  if (typeof id !== 'string') return '';
  if (id.includes('\0')) throw notFound();
  return id;
}

/** Reads the key whose ID is in the path. @throws ManagementError `not_found`; HttpError 404 for an ID with NUL. */
export function viewKey(context: PageContext, { name }: KeyType): Promise<KeyView> {
  return context.site.management[name].view(context.member, keyIdIn(context));
}
