/** The schemas of the request and response bodies of the management API (JSON Schema 2020-12, as in OpenAPI 3.1). */

import { MAX_GRACE } from '../keys/secrets.js';

export type JsonSchema = Readonly<Record<string, unknown>>;

const ref = (name: SchemaName): JsonSchema => ({ $ref: `#/components/schemas/${name}` });
const nullable = (schema: JsonSchema): JsonSchema => ({ ...schema, type: [schema.type, 'null'] });
const list = (items: JsonSchema, more: JsonSchema = {}): JsonSchema => ({ type: 'array', items, ...more });

const TEXT: JsonSchema = { type: 'string' };
const TIME: JsonSchema = { type: 'string', format: 'date-time' };
const DAY: JsonSchema = { type: 'string', format: 'date' };
const COUNT: JsonSchema = { type: 'integer', minimum: 0 };
const SECRET: JsonSchema = {
  type: 'string',
  description: 'Returned only once; a repeated request does not return it again.',
};
const ENVIRONMENT: JsonSchema = { type: 'string', enum: ['live', 'sandbox'] };
const NAMES = list(TEXT, { maxItems: 100, uniqueItems: true });
const ALL_OR_NAMES: JsonSchema = { oneOf: [{ type: 'string', const: 'all' }, NAMES] };
const LIMIT: JsonSchema = {
  type: 'object',
  required: ['requests', 'seconds'],
  properties: {
    requests: { type: 'integer', minimum: 1, maximum: 1_000_000_000 },
    seconds: { type: 'integer', minimum: 1, maximum: 604_800 },
  },
  additionalProperties: false,
};
const METADATA: JsonSchema = {
  type: 'object',
  maxProperties: 64,
  propertyNames: { minLength: 1, maxLength: 40 },
  additionalProperties: { type: 'string', maxLength: 500 },
};
/** Metadata in a merge patch (RFC 7396). An entry with the value `null` is deleted. */
const METADATA_PATCH: JsonSchema = {
  type: ['object', 'null'],
  propertyNames: { minLength: 1, maxLength: 40 },
  additionalProperties: { type: ['string', 'null'], maxLength: 500 },
};

const SETTINGS = {
  name: nullable({ type: 'string', maxLength: 100 }),
  channels: ALL_OR_NAMES,
  platform: nullable(TEXT),
  expiresAt: nullable(TIME),
  allowedAddresses: nullable(list(TEXT, { minItems: 1, maxItems: 256 })),
  limits: nullable(list(LIMIT, { minItems: 1, maxItems: 8 })),
};
const EDIT = { ...SETTINGS, metadata: METADATA_PATCH, disabled: { type: 'boolean' } };
const NEW_ENVIRONMENT: JsonSchema = {
  ...ENVIRONMENT,
  description:
    'Default: the environment to which the caller is limited, such as sandbox for a sandbox credential; live if the caller is not limited.',
};
const NEW = { ...SETTINGS, metadata: nullable(METADATA), environment: NEW_ENVIRONMENT };

const SECRET_VIEW = strict({
  id: TEXT,
  hint: TEXT,
  createdAt: TIME,
  state: { type: 'string', enum: ['current', 'grace_period', 'ended'] },
  acceptedUntil: nullable(TIME),
  lastUsedAt: nullable(TIME),
  lastUsedFrom: nullable(TEXT),
});

const PUBLIC_KEY_VIEW = all({
  kid: TEXT,
  type: TEXT,
  jwk: { type: 'object' },
  createdAt: TIME,
  lastUsedAt: nullable(TIME),
  lastUsedFrom: nullable(TEXT),
});

const KEY = all({
  id: TEXT,
  kind: { type: 'string', enum: ['secret', 'public', 'access'] },
  account: TEXT,
  environment: ENVIRONMENT,
  name: nullable(TEXT),
  apis: { oneOf: [{ type: 'string', const: 'all' }, list(TEXT), { type: 'null' }] },
  scopes: nullable(list(TEXT)),
  defaultScopes: nullable(list(TEXT)),
  channels: ALL_OR_NAMES,
  platform: nullable(TEXT),
  metadata: nullable(METADATA),
  allowedAddresses: nullable(list(TEXT)),
  limits: nullable(list(LIMIT)),
  state: { type: 'string', enum: ['active', 'disabled', 'expired', 'revoked'] },
  createdAt: TIME,
  createdBy: TEXT,
  expiresAt: nullable(TIME),
  revokedAt: nullable(TIME),
  disabledAt: nullable(TIME),
  version: { type: 'integer' },
  hint: TEXT,
  publicKey: nullable(TEXT),
  secrets: list(SECRET_VIEW),
  publicKeys: list(PUBLIC_KEY_VIEW),
  requireConfirmation: { enum: ['dpop', 'mtls', true, null] },
  lastUsedAt: nullable(TIME),
});

const AUDIT_ENTRY = all({
  id: TEXT,
  at: TIME,
  account: TEXT,
  actor: TEXT,
  role: nullable(TEXT),
  action: TEXT,
  outcome: { type: 'string', enum: ['done', 'refused'] },
  subject: nullable(TEXT),
  before: true,
  after: true,
  origin: nullable(TEXT),
});

const KEY_SCOPES = { scopes: nullable(NAMES) };
const CONFIRMATION: JsonSchema = { enum: ['dpop', 'mtls', true, null] };
const ASSIGNED_SCOPES = { scopes: NAMES, defaultScopes: NAMES, requireConfirmation: CONFIRMATION };

export const SCHEMAS = {
  NewKey: strict({ kind: { type: 'string', enum: ['secret', 'public'] }, apis: ALL_OR_NAMES, ...KEY_SCOPES, ...NEW }, [
    ...['kind', 'apis'],
  ]),
  KeyPatch: strict({ apis: ALL_OR_NAMES, ...KEY_SCOPES, ...EDIT }, []),
  NewAccessKey: strict({ ...ASSIGNED_SCOPES, ...NEW }, ['scopes']),
  AccessKeyPatch: strict({ ...ASSIGNED_SCOPES, ...EDIT, revokeTokens: { type: 'boolean' } }, []),
  Rotation: strict(
    {
      gracePeriod: {
        type: 'number',
        minimum: 0,
        maximum: MAX_GRACE,
        description: 'How long the old secret continues to be accepted after the rotation, in seconds.',
      },
    },
    [],
  ),
  Nothing: strict({}, []),
  NewPublicKey: { oneOf: [strict({ jwk: { type: 'object' } }), strict({ pem: TEXT })] },
  Key: KEY,
  CreatedKey: all({ key: { $ref: '#/components/schemas/Key' }, secret: SECRET }),
  RepeatedKey: strict({ key: { $ref: '#/components/schemas/Key' } }),
  CreatedOrRepeatedKey: all({ key: { $ref: '#/components/schemas/Key' }, secret: SECRET }, ['key']),
  KeyPage: all({ data: list({ $ref: '#/components/schemas/Key' }), next: nullable(TEXT) }),
  AuditPage: all({ data: list(AUDIT_ENTRY), next: nullable(TEXT) }),
  KeyUsage: all({
    ...{ id: TEXT, from: DAY, to: DAY, accepted: COUNT, refused: COUNT },
    days: list(all({ day: DAY, accepted: COUNT, refused: COUNT })),
  }),
  Document: { type: 'object' },
  Problem: all(
    {
      type: TEXT,
      title: TEXT,
      status: { type: 'integer' },
      detail: TEXT,
      code: { type: 'string', description: 'A machine-readable error code.' },
      errors: list(all({ detail: TEXT, pointer: TEXT, parameter: TEXT, header: TEXT }, ['detail'])),
    },
    ['type', 'title', 'status', 'detail', 'code'],
  ),
} satisfies Readonly<Record<string, JsonSchema>>;

export type SchemaName =
  | ('NewKey' | 'KeyPatch' | 'NewAccessKey' | 'AccessKeyPatch' | 'Rotation' | 'Nothing' | 'NewPublicKey')
  | ('Key' | 'CreatedKey' | 'RepeatedKey' | 'CreatedOrRepeatedKey' | 'KeyPage' | 'AuditPage' | 'KeyUsage')
  | ('Document' | 'Problem');

export const schemaRef = ref;

/**
 * Returns the schema of a response. It allows other properties, because later versions of keyward may add properties.
 */
function all(properties: Readonly<Record<string, unknown>>, required = Object.keys(properties)): JsonSchema {
  return { type: 'object', required, properties };
}

/**
 * Returns a schema that refuses other properties. It is used for request bodies, and for parts of responses that must
 * not contain a secret by accident.
 */
function strict(properties: Readonly<Record<string, unknown>>, required = Object.keys(properties)): JsonSchema {
  return { type: 'object', ...(required.length === 0 ? {} : { required }), properties, additionalProperties: false };
}
