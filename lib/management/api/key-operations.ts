/** The operations of the management API on one type of key: API keys (`/keys`) or access keys (`/access-keys`). */
import type { JsonObject } from '../../protocol/strict-json.js';
import type { AccessKeyService, ApiKeyService } from '../create-management.js';
import type { CreatedKey } from '../keys/key-service.js';
import { VersionCheck } from '../keys/key-settings.js';
import type { KeyView } from '../keys/key-view.js';
import { MetadataPatch } from '../keys/optional-key-fields.js';
import { MAX_GRACE } from '../keys/secrets.js';
import { invalid } from '../management-error.js';
import type { Member } from '../member.js';
import {
  type ApiAnswer,
  type ApiCall,
  type ApiOperation,
  JSON_TYPE,
  MERGE_PATCH_TYPE,
  type QueryName,
} from './operation.js';
import { entityTag, matchesAny, matchesNone, preconditionFailed, preconditionRequired } from './preconditions.js';
import { filterOf, pageAnswer, parseTime } from './query.js';

/** The values that differ between the operations under `/keys` and under `/access-keys`. */
export interface KeyCollection {
  /** The path of the collection: `/keys` or `/access-keys`. */
  readonly path: string;
  /** `Key` or `AccessKey`: a part of each `operationId` in the OpenAPI document, such as `createAccessKey`. */
  readonly noun: string;
  readonly title: string;
  readonly keys: Service;
  readonly filters: readonly QueryName[];
  readonly newSchema: 'NewKey' | 'NewAccessKey';
  readonly patchSchema: 'KeyPatch' | 'AccessKeyPatch';
}

/**
 * The methods that `ApiKeyService` and `AccessKeyService` have in common. `create` and `edit` take different settings
 * in each of them, so the settings have the type `never` here, and callers cast them.
 */
type Service = Pick<ApiKeyService | AccessKeyService, 'list' | 'view' | 'rotate' | 'endGrace' | 'revoke'> & {
  create(member: Member, settings: never, idempotencyKey?: string): Promise<CreatedKey>;
  edit(member: Member, id: string, edit: never, idempotencyKey?: string): Promise<KeyView>;
};

export const READ = ['keys:read', 'keys:write', 'keys:manage'] as const;
const WRITE = ['keys:write', 'keys:manage'] as const;
export const MANAGE = ['keys:manage'] as const;

export function keyOperations(collection: KeyCollection): readonly ApiOperation[] {
  const { path, noun, title, keys } = collection;
  const one = `${path}/{id}`;

  async function list({ member, query, base }: ApiCall): Promise<ApiAnswer> {
    const page = await keys.list(member, filterOf(query, collection.filters));
    return pageAnswer(page, query, `${base}${path}`);
  }

  async function create({ member, body, idempotencyKey, base }: ApiCall): Promise<ApiAnswer> {
    const created = await keys.create(member, settingsOf(body) as never, idempotencyKey);
    const headers = { Location: `${base}${path}/${created.key.id}` };
    return createdAnswer(created, 201, headers);
  }

  async function view({ member, params, ifMatch, ifNoneMatch }: ApiCall): Promise<ApiAnswer> {
    const key = await keys.view(member, idOf(params));
    if (!matchesAny(ifMatch, key.version)) throw preconditionFailed();
    return matchesNone(ifNoneMatch, key.version) ? keyAnswer(key) : { status: 304, headers: tagOf(key) };
  }

  /** Applies a merge patch (RFC 7396) to a key, if the key still has the version that the client sent in `If-Match`. */
  async function patch(call: ApiCall): Promise<ApiAnswer> {
    const { member, params, body, idempotencyKey } = call;
    if (call.ifMatch === undefined) throw preconditionRequired();
    if (Object.hasOwn(body, 'version'))
      throw invalid('version', 'unknown field; send the version in the If-Match header');
    const edit = { ...patchOf(body), version: seenVersion(call) };
    return keyAnswer(await keys.edit(member, idOf(params), edit as never, idempotencyKey));
  }

  async function revoke(call: ApiCall): Promise<ApiAnswer> {
    const id = idOf(call.params);
    await keys.revoke(call.member, id, call.idempotencyKey, seenVersion(call));
    return { status: 204 };
  }

  async function rotate(call: ApiCall): Promise<ApiAnswer> {
    const { member, params, body, idempotencyKey } = call;
    const grace = onlyField(body, 'gracePeriod');
    const seconds = readSeconds(grace);
    return createdAnswer(await keys.rotate(member, idOf(params), seconds, seenVersion(call), idempotencyKey), 200);
  }

  async function endGracePeriod(call: ApiCall): Promise<ApiAnswer> {
    onlyField(call.body);
    return keyAnswer(await keys.endGrace(call.member, idOf(call.params), call.idempotencyKey, seenVersion(call)));
  }

  const json = { types: [JSON_TYPE], required: true };
  const optional = { types: [JSON_TYPE], required: false };
  const key = { description: `The ${title}.`, schema: 'Key' } as const;
  return [
    {
      ...{ method: 'get', path, id: `list${noun}s`, summary: `List ${title}s`, scopes: READ },
      ...{ query: collection.filters, headers: ['Link'], handle: list },
      answers: { 200: { description: `One page of ${title}s.`, schema: 'KeyPage' } },
    },
    {
      ...{ method: 'post', path, id: `create${noun}`, summary: `Create a ${title}`.replace('a access', 'an access') },
      ...{ scopes: WRITE, isRepeatable: true, headers: ['Location', 'ETag'], handle: create },
      body: { schema: collection.newSchema, ...json },
      answers: {
        200: {
          description:
            'An earlier request with the same idempotency key created the key. The secret is not returned again.',
          schema: 'RepeatedKey',
        },
        201: { description: 'The key, with its secret.', schema: 'CreatedKey' },
      },
    },
    {
      ...{ method: 'get', path: one, id: `get${noun}`, summary: `View the ${title}`, scopes: READ },
      ...{ ifMatch: 'optional', headers: ['ETag'], handle: view },
      answers: { 200: key, 304: { description: 'Not modified.' } },
    },
    {
      ...{
        method: 'patch',
        path: one,
        id: `edit${noun}`,
        summary: `Edit the ${title} with a JSON Merge Patch (RFC 7396)`,
        scopes: MANAGE,
      },
      ...{ ifMatch: 'required', isRepeatable: true, headers: ['ETag'], handle: patch, answers: { 200: key } },
      body: { schema: collection.patchSchema, types: [MERGE_PATCH_TYPE, JSON_TYPE], required: true },
    },
    {
      ...{
        method: 'delete',
        path: one,
        id: `revoke${noun}`,
        summary: `Revoke the ${title}; this cannot be undone`,
        scopes: MANAGE,
      },
      ...{ ifMatch: 'optional', isRepeatable: true, handle: revoke },
      answers: { 204: { description: 'The key was revoked.' } },
    },
    {
      ...{
        method: 'post',
        path: `${one}/rotate`,
        id: `rotate${noun}`,
        summary: `Rotate the ${title}`,
        scopes: MANAGE,
      },
      ...{ ifMatch: 'optional', isRepeatable: true, headers: ['ETag'], handle: rotate },
      body: { schema: 'Rotation', ...optional },
      answers: { 200: { description: 'The key, with its new secret.', schema: 'CreatedOrRepeatedKey' } },
    },
    {
      ...{ method: 'post', path: `${one}/end-grace-period`, id: `end${noun}GracePeriod`, scopes: MANAGE },
      ...{ summary: 'End the grace period of the old secret now', ifMatch: 'optional', isRepeatable: true },
      ...{ headers: ['ETag'], handle: endGracePeriod, answers: { 200: key } },
      body: { schema: 'Nothing', ...optional },
    },
  ];
}

/**
 * Returns the condition of `If-Match` and `If-None-Match` on the version of the key; `undefined` without these headers.
 * The service checks it after it has checked the permission and whether the key exists: both refusals are audited, and
 * come before 412. Its type hides `VersionCheck`, which is no part of the public interface.
 */
export function seenVersion({ ifMatch, ifNoneMatch }: ApiCall): number | undefined {
  if (ifMatch === undefined && ifNoneMatch === undefined) return undefined;
  const allows = (version: number) => matchesAny(ifMatch, version) && matchesNone(ifNoneMatch, version);
  return new VersionCheck(allows) as never;
}

export function idOf({ id = '' }: Readonly<Record<string, string>>): string {
  return id;
}

export function keyAnswer(key: KeyView): ApiAnswer {
  return { status: 200, headers: tagOf(key), body: key };
}

/**
 * Returns the response to a request that created a secret. A repeated request gets status 200 and no secret: only a
 * digest of the secret is stored.
 */
export function createdAnswer(
  { key, secret }: CreatedKey,
  status: number,
  headers: Readonly<Record<string, string>> = {},
): ApiAnswer {
  const all = { ...headers, ...tagOf(key) };
  return secret === undefined
    ? { status: 200, headers: all, body: { key } }
    : { status, headers: all, body: { key, secret } };
}

/**
 * Returns the value of the field `name`, which is the only field that the body may have. Without `name`, the body must
 * have no fields.
 *
 * @throws ManagementError `invalid` for any other field.
 */
export function onlyField(body: JsonObject, name?: string): unknown {
  const expected = name === undefined ? 'this operation accepts no fields' : `expected only ${name}`;
  for (const member of Reflect.ownKeys(body)) {
    if (member !== name) throw invalid(String(member), `unknown field; ${expected}`);
  }
  return name === undefined ? undefined : body[name];
}

function readSeconds(value: unknown): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'number' && value >= 0 && value <= MAX_GRACE) return value;
  throw invalid('gracePeriod', `expected a number of seconds from 0 to ${MAX_GRACE}`);
}

function settingsOf(body: JsonObject): object {
  return Object.hasOwn(body, 'expiresAt') ? { ...body, expiresAt: parseTime('expiresAt', body.expiresAt) } : body;
}

/**
 * Marks `metadata` as a merge patch, whose entries are merged with the stored metadata (RFC 7396). No other setting is
 * an object, so the new value of any other setting replaces the old value.
 */
function patchOf(body: JsonObject): object {
  const settings = settingsOf(body) as JsonObject;
  const { metadata } = settings;
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) return settings;
  return { ...settings, metadata: new MetadataPatch(metadata) };
}

function tagOf({ version }: KeyView): { readonly ETag: string } {
  return { ETag: entityTag(version) };
}
