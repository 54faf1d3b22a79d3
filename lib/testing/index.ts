export type { TestClock } from './test-clock.js';
export {
  type CredentialTraits,
  createTestKit,
  type KeyTraits,
  type TestKit,
  type TestKitOptions,
  type TokenTraits,
} from './test-kit.js';
