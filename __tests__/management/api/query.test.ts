import { describe, expect, it } from '@jest/globals';
import { createManagementApi } from 'keyward/management';
import { managed } from '../../support/managed.js';

/** The parameters that a list has, in the OpenAPI document. */
const SCHEMAS = {
  kind: { type: 'string', enum: ['secret', 'public'] },
  api: { type: 'string', description: 'Lists only keys that may use this API.' },
  state: { type: 'string', enum: ['active', 'disabled', 'expired', 'revoked'] },
  q: {
    type: 'string',
    description: 'Lists only keys with this text in their name, ID or hint (the visible characters of the secret).',
  },
  sort: {
    ...{ type: 'string', enum: ['created', '-created', 'name', '-name', 'used', '-used'], default: '-created' },
    description: 'A leading minus sorts in descending order. Send the same value for every page of a list.',
  },
  limit: { type: 'integer', minimum: 1, maximum: 200, default: 50 },
  after: { type: 'string', description: 'The value of `next` from the previous page.' },
  subject: { type: 'string' },
  actor: { type: 'string' },
  action: { type: 'string' },
  from: { type: 'string', format: 'date' },
  to: { type: 'string', format: 'date' },
} as const;

describe('the query parameters in the OpenAPI document', () => {
  const setup = managed('memory');

  it.each<[string, readonly (keyof typeof SCHEMAS)[]]>([
    ['/keys', ['kind', 'api', 'state', 'q', 'sort', 'limit', 'after']],
    ['/access-keys', ['state', 'q', 'sort', 'limit', 'after']],
    ['/audit', ['subject', 'actor', 'action', 'after', 'limit']],
    ['/keys/{id}/usage', ['from', 'to']],
    ['/access-keys/{id}/usage', ['from', 'to']],
  ])('of %s', (path, names) => {
    const { openapi } = createManagementApi({ management: setup.management, memberOf: () => undefined });
    const { parameters = [] } = JSON.parse(JSON.stringify(openapi)).paths[path].get;
    expect(parameters.filter((parameter: { in?: string }) => parameter.in === 'query')).toEqual(
      names.map((name) => ({ name, in: 'query', required: false, schema: SCHEMAS[name] })),
    );
  });
});
