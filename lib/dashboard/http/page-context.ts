/** What a page knows about the request and the member. */
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
   * The mount path of the Dashboard, with which every link starts. It comes from the router, never from the Host
   * header.
   */
  readonly base: string;
  /** The value of the hidden field of each form. */
  readonly formToken: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** The query of a GET, and the form of a POST. */
  readonly fields: Fields;
  /** Milliseconds since 1970. */
  readonly now: number;
}

export type Page = (context: PageContext) => Promise<PageResponse>;

/**
 * The key ID in the path; `''` for a path without one. @throws HttpError 404 for NUL, which PostgreSQL cannot store.
 */
export function keyIdIn({ params: { id } }: PageContext): string {
  if (typeof id !== 'string') return '';
  if (id.includes('\0')) throw notFound();
  return id;
}

/** Reads the key whose ID is in the path. @throws ManagementError `not_found`; HttpError 404, as `keyIdIn` does. */
export function viewKey(context: PageContext, { name }: KeyType): Promise<KeyView> {
  return context.site.management[name].view(context.member, keyIdIn(context));
}
