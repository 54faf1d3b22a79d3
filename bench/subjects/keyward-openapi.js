/** keyward with a gate and its scopes by a document of 10,000 operations, one of which is asked for. */
import { apiKeys } from 'keyward';
import { openApiGate } from 'keyward/openapi';
import { SCOPES } from '../platform/scopes.js';

export const title = 'keyward, a key, by a document of 10,000 operations';

const OPERATIONS = 10_000;

export function make({ resolveKey, capacity }) {
  const cache = { max: capacity, ttl: 3_600_000 };
  const secretKey = apiKeys({ resolver: resolveKey, kinds: ['secret'], environment: 'live', cache });
  return [openApiGate(document(), { schemes: { secretKey } })];
}

function document() {
  const operation = { security: [{ secretKey: [SCOPES[0]] }], responses: { 200: { description: 'done' } } };
  const others = Array.from({ length: OPERATIONS - 1 }, (_, index) => [
    `/resources${index % 100}/{id}/parts${Math.floor(index / 100)}`,
    { get: operation },
  ]);
  return {
    openapi: '3.1.0',
    info: { title: 'bench', version: '1' },
    components: { securitySchemes: { secretKey: { type: 'http', scheme: 'bearer' } } },
    paths: { ...Object.fromEntries(others), '/payments': { get: operation } },
  };
}
