/**
 * The type that describes one operation of the management API. The router and the OpenAPI document are built from a
 * list of `ApiOperation`s.
 */
import type { JsonObject } from '../../protocol/strict-json.js';
import type { Member } from '../member.js';
import type { IfMatch } from './preconditions.js';
import type { SchemaName } from './schemas.js';

export interface ApiCall {
  readonly member: Member;
  /** The parameters of the path. */
  readonly params: Readonly<Record<string, string>>;
  /** The query parameters of the request. Unknown parameters were already refused. */
  readonly query: Readonly<Record<string, string>>;
  readonly body: JsonObject;
  readonly ifMatch: IfMatch;
  readonly ifNoneMatch: string | undefined;
  readonly idempotencyKey: string | undefined;
  /** The path where the API is mounted, for links in the response. */
  readonly base: string;
}

export interface ApiAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export type ApiMethod = 'get' | 'post' | 'patch' | 'delete';

export interface ApiOperation {
  readonly method: ApiMethod;
  /** The path, with parameters written as `{id}`, as in OpenAPI. */
  readonly path: string;
  readonly id: string;
  readonly summary: string;
  /** The scopes that allow the operation: a credential with any one of them is enough. */
  readonly scopes: readonly string[];
  readonly query?: readonly QueryName[];
  /** The schema of the request body, and the media types that are accepted. */
  readonly body?: { readonly schema: SchemaName; readonly types: readonly string[]; readonly required: boolean };
  /**
   * Whether the request may or must have the header `If-Match`; it may then also have `If-None-Match`. If `undefined`,
   * both headers are ignored.
   */
  readonly ifMatch?: 'optional' | 'required';
  /** Whether the operation uses the header `Idempotency-Key`. If it does not, the header is ignored. */
  readonly isRepeatable?: boolean;
  /** The successful responses by status code. A response without `schema` has no body. */
  readonly answers: Readonly<Record<number, { readonly description: string; readonly schema?: SchemaName }>>;
  /** The headers of a successful response. */
  readonly headers?: readonly ('ETag' | 'Location' | 'Link')[];
  handle(call: ApiCall): Promise<ApiAnswer>;
}

export type QueryName =
  | ('kind' | 'api' | 'state' | 'q' | 'sort' | 'limit' | 'after')
  | ('subject' | 'actor' | 'action')
  | ('from' | 'to');

export const JSON_TYPE = 'application/json';
export const MERGE_PATCH_TYPE = 'application/merge-patch+json';
