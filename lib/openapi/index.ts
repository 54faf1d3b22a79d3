/**
 * The entry point `keyward/openapi`: makes a gate from an OpenAPI document, and compares or extends a document with the
 * gates of an app.
 */
export { type AssertMatchesOpenApiOptions, assertMatchesOpenApi } from './app/assert-matches-open-api.js';
export { type DescribeSecurityOptions, describeSecurity } from './app/describe-security.js';
export type { SchemeProof, Schemes } from './document/scheme-verifiers.js';
export { type OpenApiGateOptions, openApiGate } from './gate/openapi-gate.js';
