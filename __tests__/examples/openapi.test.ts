/** The document of the example, and its app. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { assertMatchesOpenApi, openApiGate } from 'keyward/openapi';
import { createTestKit } from 'keyward/testing';
import { parse } from 'yaml';
import { createApp, createRecords } from '../../examples/payments-service/src/app.js';

const document = parse(readFileSync(new URL('../../examples/payments-service/openapi.yaml', import.meta.url), 'utf8'));
const kit = createTestKit();
const verifiers = { tokens: kit.tokens, secretKeys: kit.keys('secret'), publicKeys: kit.keys('public') };
const schemes = { accessToken: verifiers.tokens, secretKey: verifiers.secretKeys, publicKey: verifiers.publicKeys };

describe('openapi.yaml of the example', () => {
  it('agrees with the app', () => {
    expect(() => assertMatchesOpenApi(createApp(verifiers, createRecords()), document, { schemes })).not.toThrow();
  });

  it('fails if one scope is missing', () => {
    const other = structuredClone(document);
    other.paths['/payments/{id}/refunds'].post.security[0].accessToken = [];
    expect(() => assertMatchesOpenApi(createApp(verifiers, createRecords()), other, { schemes })).toThrow(
      /POST \/payments\/\{id\}\/refunds: the document requires accessToken, or secretKey with the scope payments:refund, but the app/,
    );
  });

  it('is valid, and guards an app by itself', async () => {
    expect((await new Validator().validate(structuredClone(document))).valid).toBe(true);
    expect(() => openApiGate(document, { schemes })).not.toThrow();
  });
});
