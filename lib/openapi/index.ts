/** The entry point `keyward/openapi`: gates from an OpenAPI document, and an OpenAPI document from gates. */
export { type AssertMatchesOpenApiOptions, assertMatchesOpenApi } from './app/assert-matches-open-api.js';
export { type DescribeSecurityOptions, describeSecurity } from './app/describe-security.js';
export type { SchemeProof, Schemes } from './document/scheme-verifiers.js';
export { type OpenApiGateOptions, openApiGate } from './gate/open-api-gate.js';
