/** OpenAPI documents and the verifiers of their schemes, for tests. */
import { createTestKit } from 'keyward/testing';

export const kit = createTestKit();
export const tokens = kit.tokens;
export const keys = kit.keys('secret');
export const schemes = { accessToken: tokens, secretKey: keys };

export const SCHEMES = {
  accessToken: {
    type: 'oauth2',
    flows: { clientCredentials: { tokenUrl: 'https://login.example/token', scopes: {} } },
  },
  secretKey: { type: 'http', scheme: 'bearer' },
};

type Operations = Readonly<Record<string, unknown>>;

/** An operation that asks something; without an argument it says nothing. */
export function asking(security?: unknown): Operations {
  const responses = { 200: { description: 'done' } };
  return security === undefined ? { responses } : { security, responses };
}

/** A document of OpenAPI 3.1 with the two schemes. */
export function documentOf(paths: Readonly<Record<string, unknown>>, more: object = {}): Record<string, unknown> {
  const info = { title: 'Pets', version: '1.0.0' };
  return { openapi: '3.1.0', info, components: { securitySchemes: SCHEMES }, paths, ...more };
}

/** What `run` throws, as text; `undefined` where it does not. */
export function faultOf(run: () => unknown): string | undefined {
  try {
    run();
  } catch (error) {
    return String(error);
  }
  return undefined;
}
