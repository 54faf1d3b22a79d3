/** Creates the OpenAPI 3.1 document of the management API from its list of operations. */
import type { ApiOperation } from './operation.js';
import { QUERY_SCHEMAS } from './query.js';
import { type JsonSchema, SCHEMAS, schemaRef } from './schemas.js';

/** An OpenAPI document, as plain JSON. */
export type OpenApiDocument = Readonly<Record<string, unknown>>;

const SCHEME = 'bearer';
const PROBLEMS: Readonly<Record<number, string>> = {
  400: 'The request is invalid.',
  401: 'The credential is missing or invalid.',
  403: 'The caller does not have permission for this operation, environment or scope; the account is disabled; or the request comes from a page on another origin.',
  404: 'This account does not have this key, the key does not have this secret or public key, or the account does not exist.',
  408: 'The body took too long to arrive.',
  409: 'The key is revoked, or the idempotency key was already used for a different request.',
  412: 'The key does not have the version that If-Match or If-None-Match requires; read it again and retry.',
  413: 'The body is too large.',
  415: 'The media type of the body is not supported.',
  428: 'The If-Match header is missing.',
  503: 'The service is temporarily unavailable; retry after the number of seconds in the Retry-After header.',
};
const HEADERS: Readonly<Record<string, object>> = {
  ETag: { description: 'The version of the key.', schema: { type: 'string' } },
  Location: { description: 'The path of the key.', schema: { type: 'string' } },
  Link: { description: 'A link to the next page (RFC 8288), if there is one.', schema: { type: 'string' } },
};

/** @param base - The path where the API is mounted; `''` if it is at the root, or not known. */
export function openApiDocument(operations: readonly ApiOperation[], base: string): OpenApiDocument {
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of operations) {
    const item = paths[operation.path] ?? {};
    paths[operation.path] = item;
    item[operation.method] = describe(operation);
  }
  paths['/openapi.json'] = {
    get: {
      ...{ operationId: 'getOpenApi', summary: 'View this OpenAPI document', security: [] },
      responses: {
        200: { description: 'The OpenAPI 3.1 document.', content: json('application/json', schemaRef('Document')) },
      },
    },
  };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Key management',
      version: '1.0.0',
      description: 'Create, rotate and revoke API keys and access keys.',
    },
    servers: [{ url: base === '' ? '/' : base }],
    paths,
    components: {
      securitySchemes: { [SCHEME]: { type: 'http', scheme: 'bearer' } },
      schemas: SCHEMAS,
      responses: Object.fromEntries(
        Object.entries(PROBLEMS).map(([status, description]) => [
          `Problem${status}`,
          { description, content: json('application/problem+json', schemaRef('Problem')) },
        ]),
      ),
    },
  };
}

function describe(operation: ApiOperation): object {
  const { id, summary, scopes, body } = operation;
  return {
    ...{ operationId: id, summary },
    // In OpenAPI, the entries of `security` are alternatives: a credential with any one of the scopes is enough.
    security: scopes.map((scope) => ({ [SCHEME]: [scope] })),
    parameters: parametersOf(operation),
    ...(body === undefined ? {} : { requestBody: { required: body.required, content: bodyOf(body) } }),
    responses: { ...successesOf(operation), ...problemsOf(operation) },
  };
}

function parametersOf({ path, query = [], ifMatch, isRepeatable }: ApiOperation): readonly object[] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const header = (name: string, required: boolean) => ({ name, in: 'header', required, schema: { type: 'string' } });
  return [
    ...inPath.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
    ...query.map((name) => ({ name, in: 'query', required: false, schema: QUERY_SCHEMAS[name] })),
    ...(ifMatch === undefined ? [] : [header('If-Match', ifMatch === 'required'), header('If-None-Match', false)]),
    ...(isRepeatable ? [header('Idempotency-Key', false)] : []),
  ];
}

function bodyOf({ schema, types }: NonNullable<ApiOperation['body']>): object {
  return Object.assign({}, ...types.map((type) => json(type, schemaRef(schema))));
}

function successesOf({ answers, headers = [] }: ApiOperation): object {
  return Object.fromEntries(
    Object.entries(answers).map(([status, { description, schema }]) => [
      status,
      {
        description,
        ...(headers.length === 0 ? {} : { headers: Object.fromEntries(headers.map((name) => [name, HEADERS[name]])) }),
        ...(schema === undefined ? {} : { content: json('application/json', schemaRef(schema)) }),
      },
    ]),
  );
}

function problemsOf({ method, path, body, ifMatch, isRepeatable }: ApiOperation): object {
  const statuses = [
    ...[400, 401, 403, 503],
    // POST creates a key in the account, or changes a key.
    ...(method === 'post' || path.includes('{') ? [404] : []),
    ...(isRepeatable ? [409] : []),
    ...(ifMatch === undefined ? [] : [412]),
    ...(ifMatch === 'required' ? [428] : []),
    ...(body === undefined ? [] : [408, 413, 415]),
  ];
  return Object.fromEntries(statuses.map((status) => [status, { $ref: `#/components/responses/Problem${status}` }]));
}

function json(type: string, schema: JsonSchema): object {
  return { [type]: { schema } };
}
