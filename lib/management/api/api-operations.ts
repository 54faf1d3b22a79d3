/** The list of all operations of the management API. The router and the OpenAPI document are built from this list. */
import type { JsonObject } from '../../protocol/strict-json.js';
import type { Management } from '../create-management.js';
import type { PublicKeyInput } from '../keys/public-keys.js';
import { invalid } from '../management-error.js';
import { isAllowed } from '../permissions.js';
import {
  createdAnswer,
  idOf,
  keyAnswer,
  keyOperations,
  MANAGE,
  onlyField,
  READ,
  seenVersion,
} from './key-operations.js';
import { type ApiCall, type ApiOperation, JSON_TYPE, type QueryName } from './operation.js';
import { filterOf, pageAnswer, parseDay } from './query.js';

const AUDIT_FILTERS: readonly QueryName[] = ['subject', 'actor', 'action', 'after', 'limit'];

export function apiOperations(management: Management): readonly ApiOperation[] {
  const { keys, accessKeys } = management;
  return [
    ...keyOperations({
      ...{ path: '/keys', noun: 'Key', title: 'key', keys, newSchema: 'NewKey', patchSchema: 'KeyPatch' },
      filters: ['kind', 'api', 'state', 'q', 'sort', 'limit', 'after'],
    }),
    usageOperation(management, '/keys', 'Key'),
    ...keyOperations({
      ...{ path: '/access-keys', noun: 'AccessKey', title: 'access key', keys: accessKeys },
      ...{
        newSchema: 'NewAccessKey',
        patchSchema: 'AccessKeyPatch',
        filters: ['state', 'q', 'sort', 'limit', 'after'],
      },
    }),
    usageOperation(management, '/access-keys', 'AccessKey'),
    ...credentialOperations(management),
    {
      ...{
        method: 'get',
        path: '/audit',
        id: 'listAudit',
        summary: 'List audit log entries, newest first',
        scopes: READ,
      },
      ...{ query: AUDIT_FILTERS, headers: ['Link'] },
      answers: { 200: { description: 'One page of audit log entries.', schema: 'AuditPage' } },
      async handle({ member, query, base }) {
        return pageAnswer(await management.audit(member, filterOf(query, AUDIT_FILTERS)), query, `${base}/audit`);
      },
    },
  ];
}

function usageOperation(
  { usage, ...management }: Management,
  path: '/keys' | '/access-keys',
  noun: string,
): ApiOperation {
  const { view } = path === '/keys' ? management.keys : management.accessKeys;
  return {
    ...{
      method: 'get',
      path: `${path}/{id}/usage`,
      id: `get${noun}Usage`,
      summary: 'View the number of requests per day',
      scopes: READ,
    },
    query: ['from', 'to'],
    answers: {
      200: {
        description: 'The numbers of accepted and refused requests on each UTC day from `from` to `to`, inclusive.',
        schema: 'KeyUsage',
      },
    },
    async handle({ member, params, query }) {
      const filter = { from: parseDay('from', query.from), to: parseDay('to', query.to) };
      // `usage` accepts API keys and access keys. `view` throws `not_found` for a key that belongs to the other path.
      const { id } = await view(member, idOf(params));
      return { status: 200, body: await usage(member, id, filter) };
    },
  };
}

/** Returns the operations on the client secrets and the public keys of an access key. */
function credentialOperations({ accessKeys }: Management): readonly ApiOperation[] {
  const path = '/access-keys/{id}/secrets';
  const keysPath = '/access-keys/{id}/public-keys';

  async function add(call: ApiCall) {
    onlyField(call.body);
    const version = seenVersion(call);
    return createdAnswer(await accessKeys.addSecret(call.member, idOf(call.params), version, call.idempotencyKey), 201);
  }

  async function end(call: ApiCall) {
    const { secretId = '' } = call.params;
    const version = seenVersion(call);
    await accessKeys.deleteSecret(call.member, idOf(call.params), secretId, call.idempotencyKey, version);
    return { status: 204 };
  }

  async function addPublicKey(call: ApiCall) {
    const { member, params, idempotencyKey } = call;
    const version = seenVersion(call);
    // A caller without the permission is refused before the key is read, and has sent none here.
    const key = isAllowed('rotate', member.permissions) ? publicKeyOf(call.body) : undefined;
    const view = await accessKeys.addPublicKey(member, idOf(params), key as PublicKeyInput, idempotencyKey, version);
    return { ...keyAnswer(view), status: 201 };
  }

  async function removePublicKey(call: ApiCall) {
    const { member, params, idempotencyKey } = call;
    const version = seenVersion(call);
    await accessKeys.removePublicKey(member, idOf(params), params.kid ?? '', idempotencyKey, version);
    return { status: 204 };
  }

  return [
    {
      ...{
        method: 'post',
        path,
        id: 'addAccessKeySecret',
        summary: 'Add a client secret',
        scopes: MANAGE,
        handle: add,
      },
      ...{ ifMatch: 'optional', isRepeatable: true, headers: ['ETag'] },
      body: { schema: 'Nothing', types: [JSON_TYPE], required: false },
      answers: {
        200: {
          description:
            'An earlier request with the same idempotency key added the secret. The secret is not returned again.',
          schema: 'RepeatedKey',
        },
        201: { description: 'The access key, with its new client secret.', schema: 'CreatedKey' },
      },
    },
    {
      ...{
        method: 'delete',
        path: `${path}/{secretId}`,
        id: 'endAccessKeySecret',
        summary: 'Delete the client secret',
      },
      ...{ scopes: MANAGE, ifMatch: 'optional', isRepeatable: true, handle: end },
      answers: { 204: { description: 'The client secret was deleted.' } },
    },
    {
      ...{ method: 'post', path: keysPath, id: 'addAccessKeyPublicKey', summary: 'Add a public key', scopes: MANAGE },
      ...{ ifMatch: 'optional', isRepeatable: true, headers: ['ETag'], handle: addPublicKey },
      body: { schema: 'NewPublicKey', types: [JSON_TYPE], required: true },
      answers: { 201: { description: 'The access key, with its public keys.', schema: 'Key' } },
    },
    {
      ...{
        method: 'delete',
        path: `${keysPath}/{kid}`,
        id: 'removeAccessKeyPublicKey',
        summary: 'Remove the public key',
      },
      ...{ scopes: MANAGE, ifMatch: 'optional', isRepeatable: true, handle: removePublicKey },
      answers: { 204: { description: 'The public key was removed.' } },
    },
  ];
}

/** Returns the public key of a request body, which must be either `{ jwk }` or `{ pem }`. */
function publicKeyOf(body: JsonObject): unknown {
  const name = Object.hasOwn(body, 'pem') ? 'pem' : 'jwk';
  const value = onlyField(body, name);
  if (name === 'pem' ? typeof value === 'string' : typeof value === 'object' && value !== null) return value;
  throw invalid(name, name === 'pem' ? 'expected a public key in PEM format' : 'expected a public key as a JWK');
}
