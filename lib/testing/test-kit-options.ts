/** The options of `createTestKit`: their types, checks and defaults. */
import type { ApiMap } from '../credentials/api-map.js';
import { ENVIRONMENTS, type Environment } from '../credentials/environment.js';
import {
  anything,
  type Option,
  type OptionTable,
  oneOf,
  readTable,
  text,
  withDefault,
} from '../options/option-table.js';
import { type DpopOptions, readDpopOptions } from '../tokens/dpop/dpop-options.js';
import { type MtlsOptions, readMtlsOptions } from '../tokens/mtls/mtls-options.js';
import { createTestClock } from './test-clock.js';
import { testCertificateOf } from './test-mtls-client.js';

/** Options of `createTestKit`. */
export interface TestKitOptions {
  /** The environment that the verifiers of the kit accept. Default: `'live'`. */
  readonly environment?: Environment | undefined;
  /**
   * The `aud` of the tokens, and the audience of the verifiers. If the app uses `resourceMetadata` or `mcpAuth`, pass
   * the value of their option `resource`. Default: `'https://api.keyward.test'`.
   */
  readonly audience?: string | undefined;
  /**
   * Which scopes belong to which API, as in the app under test. Default: the part of a scope before its first colon
   * names the API.
   */
  readonly apis?: ApiMap | undefined;
  /** The option `dpop` of `accessTokens`, as in the app under test. `kit.dpop()` needs it. */
  readonly dpop?: DpopOptions | undefined;
  /**
   * The option `mtls` of `accessTokens`, as in the app under test. `kit.certificate()` needs it. Without
   * `certificateOf`, the kit uses the certificate of the TLS connection or, in tests without TLS, the one in the header
   * `Client-Cert` (RFC 9440).
   */
  readonly mtls?: MtlsOptions | undefined;
  /** The time that the clock of the kit shows at first. Default: the current time. */
  readonly now?: Date | undefined;
}

const AUDIENCE = 'https://api.keyward.test';

const instant: Option<number> = (options, name) => {
  const value = options.raw(name) ?? new Date();
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value.getTime();
  throw options.mistake(name, 'a Date');
};

const OPTIONS = {
  environment: withDefault(oneOf(ENVIRONMENTS), 'live'),
  audience: withDefault(text, AUDIENCE),
  ...{ apis: anything, dpop: anything, mtls: anything },
  now: instant,
} satisfies OptionTable<TestKitOptions>;

/**
 * Reads the options of `createTestKit`.
 *
 * @throws TypeError for an option that is unknown or wrong.
 */
export function readTestKitOptions(given: TestKitOptions) {
  const { now, environment, audience } = readTable('createTestKit', given, OPTIONS);
  const { apis, dpop, mtls } = given;
  const clock = createTestClock(now);
  // The verifiers check `dpop` and `mtls` too. They are checked here first, so that an error names `createTestKit`.
  if (dpop !== undefined) readDpopOptions('createTestKit', dpop, clock);
  if (mtls !== undefined) readMtlsOptions('createTestKit', mtls);
  return {
    environment,
    audience,
    apis,
    clock,
    dpop,
    mtls: mtls && { ...mtls, certificateOf: mtls.certificateOf ?? testCertificateOf },
  };
}
