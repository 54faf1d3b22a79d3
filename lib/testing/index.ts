/** The entry point `keyward/testing`: credentials for the tests of your own routes. */

export type {
  AssertionTraits,
  CredentialTraits,
  KeyTraits,
  OpaqueTokenTraits,
  ProofTraits,
  TokenTraits,
} from './credential-traits.js';
export type { TestAssertionOptions, TestAssertions } from './test-client-assertions.js';
export type { TestClock } from './test-clock.js';
export type { TestDpopClient } from './test-dpop-client.js';
export type { TestIntrospection } from './test-introspection.js';
export { createTestKit, type TestKit } from './test-kit.js';
export type { TestKitOptions } from './test-kit-options.js';
export type { TestCertificate } from './test-mtls-client.js';
