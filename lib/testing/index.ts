export type { TestClock } from './test-clock.js';
export { createTestKit, type TestKit, type TestKitOptions } from './test-kit.js';
export type { CredentialTraits, KeyTraits, TokenTraits } from './traits.js';
