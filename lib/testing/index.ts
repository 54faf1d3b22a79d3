export type { TestAssertionOptions, TestAssertions } from './test-assertions.js';
export type { TestCertificate } from './test-certificate.js';
export type { TestClock } from './test-clock.js';
export type { TestIntrospection } from './test-introspection.js';
export { createTestKit, type TestKit } from './test-kit.js';
export type { TestKitOptions } from './test-kit-options.js';
export type { TestSender } from './test-sender.js';
export type {
  AssertionTraits,
  CredentialTraits,
  KeyTraits,
  OpaqueTokenTraits,
  ProofTraits,
  TokenTraits,
} from './traits.js';
