/** The options of `requireBearer`, and the types that it infers from them. */

import type { CredentialVerifier } from '../../contracts/credential-verifier.js';
import type { Principal } from '../../credentials/principal.js';
import { secureUrl } from '../../http/secure-url.js';
import { flag, type Option, type OptionTable, oneOf, readTable, withDefault } from '../../options/option-table.js';
import { refuseUnknownOptions } from '../../options/options.js';
import { isQuotable, plainChallenges } from '../../protocol/challenge.js';
import { accessTokens } from '../../tokens/access-tokens.js';
import type { AccessTokensOptions } from '../../tokens/access-tokens-options.js';
import { kindsOf, proofAlgorithmsOf, readAccept, schemesOf } from '../accepted-verifiers.js';
import { tokensFor } from '../resource/accepted-tokens.js';
import { asResourceMetadata, type ResourceMetadata } from '../resource/resource-metadata.js';
import type { GateMetadata } from '../route-metadata.js';
import { scopeTokens } from '../scopes-option.js';

/** Options of `requireBearer` except `accept`. `O`: the type of `optional`. */
export interface GateOptions<O extends boolean = boolean> {
  /** The `realm` of the challenges in `WWW-Authenticate`, in printable ASCII. Default: `'api'`. */
  readonly realm?: string | undefined;
  /**
   * `true`: a request without a credential passes and has no principal; an invalid credential is refused nevertheless.
   * A request with another scheme than `Bearer` or `DPoP` counts as a request without a credential. Default: `false`.
   */
  readonly optional?: O | undefined;
  /**
   * Scopes that every principal must have; a request that lacks one of them gets 403. The challenge of a 401 names
   * these scopes. The challenge of the 403 also names the scopes of the guards after the gate, if the route can be
   * found. Default: none.
   */
  readonly scopes?: readonly string[] | undefined;
  /**
   * `true`: a key is also accepted without the scheme `Bearer`, as in `Authorization: pk_...`. The Node SDK of
   * Checkout.com sends public keys in this form. The key must start with `sk_` or `pk_`; a key with your own prefix
   * needs the scheme. Default: `false`.
   */
  readonly allowSchemeless?: boolean | undefined;
  /**
   * What happens to a secret key in a request with an `Origin` header, which means that the key is used in a browser.
   * `'report'`: the request passes, and an event is published as a warning. `'refuse'`: the request gets 403. Default:
   * `'report'`.
   */
  readonly browserOrigin?: 'report' | 'refuse' | undefined;
  /**
   * The result of `resourceMetadata()`, or the URL of metadata that is published elsewhere (RFC 9728). Challenges name
   * this URL. A result of `resourceMetadata()` must name exactly the issuers whose tokens `accept` accepts. Default:
   * challenges name no metadata.
   */
  readonly resourceMetadata?: ResourceMetadata | string | undefined;
}

/** Options of `requireBearer`. `V`: the type of the verifiers. */
export interface RequireBearerOptions<V extends CredentialVerifier = CredentialVerifier, O extends boolean = boolean>
  extends GateOptions<O> {
  /** The verifiers, which are asked in this order. The first verifier that does not decline the credential decides. */
  readonly accept: readonly V[];
}

/** The type of the principals that verifiers of type `V` accept. */
export type PrincipalOf<V extends CredentialVerifier> = V extends CredentialVerifier<infer P> ? P : Principal;

/** `undefined` for a gate with `optional: true`, which may have no principal; otherwise `never`. */
export type Absent<O extends boolean> = O extends true ? undefined : never;

const realm: Option<string> = (options, name) => {
  const value = options.has(name) ? options.text(name) : 'api';
  if (!isQuotable(value)) throw options.wrongText(name, 'a string of printable ASCII characters');
  return value;
};

/** Reads the metadata that this app publishes, or the URL of metadata that is published elsewhere. */
const resourceMetadata: Option<{ readonly published?: ResourceMetadata; readonly url?: string }> = (options, name) => {
  const given = options.raw(name);
  if (given === undefined) return {};
  const published = asResourceMetadata(given);
  if (published !== undefined) return { published, url: published.url };
  if (typeof given !== 'string' || secureUrl(given) === undefined || !isQuotable(given)) {
    throw options.wrongText(name, 'the result of resourceMetadata(), or an https URL');
  }
  return { url: given };
};

const OPTIONS = {
  accept: readAccept,
  realm,
  optional: flag(false),
  scopes: withDefault(scopeTokens, Object.freeze([])),
  allowSchemeless: flag(false),
  browserOrigin: withDefault(oneOf(['report', 'refuse']), 'report'),
  resourceMetadata,
} satisfies OptionTable<RequireBearerOptions>;

/** The settings of a gate, from its options. */
export interface GateSettings {
  readonly accept: readonly CredentialVerifier[];
  readonly gate: GateMetadata;
  /** Whether a secret key from a browser is refused; if not, the request passes with a warning. */
  readonly refusesBrowsers: boolean;
}

/**
 * Reads the options of a gate.
 *
 * @throws TypeError for an option that is missing, unknown or of the wrong type.
 */
export function readGateOptions(given: object): GateSettings {
  if (typeof (given as Partial<CredentialVerifier> | undefined)?.verify === 'function') {
    throw new TypeError('requireBearer: expected options such as { accept: [verifier] }, got the verifier itself');
  }
  const options = readTable('requireBearer', expandShortForm(given), OPTIONS);
  const { accept, scopes } = options;
  const { published, url } = options.resourceMetadata;
  const challenge = Object.freeze({
    realm: options.realm,
    resourceMetadata: url,
    schemes: schemesOf(accept),
    algorithms: proofAlgorithmsOf(accept),
  });
  if (published !== undefined) assertPublished(published, accept);
  const gate: GateMetadata = Object.freeze({
    name: nameOf(accept),
    challenge,
    plainChallenges: plainChallenges(challenge, scopes),
    kinds: kindsOf(accept),
    accept,
    scopes,
    resource: published?.document,
    optional: options.optional,
    allowSchemeless: options.allowSchemeless,
  });
  return { accept, gate, refusesBrowsers: options.browserOrigin === 'refuse' };
}

/** Converts the short form `{ issuer, audience }` to `{ accept: [accessTokens({ issuer, audience })] }`. */
function expandShortForm(given: object): object {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return given;
  if (!('issuer' in given || 'audience' in given)) {
    refuseUnknownOptions('requireBearer', given, [...Object.keys(OPTIONS), 'issuer', 'audience']);
    if ('accept' in given) return given;
    throw new TypeError(
      'requireBearer: the options do not name the credentials to accept; set "accept" to a list of verifiers, or set "issuer" and "audience"',
    );
  }
  if ('accept' in given) {
    throw new TypeError(
      'requireBearer: "issuer" and "audience" cannot be combined with "accept"; add accessTokens({ issuer, audience }) to "accept"',
    );
  }
  const entries = Object.entries(given);
  const ofGate = entries.filter(([name]) => Object.hasOwn(OPTIONS, name));
  const ofTokens = Object.fromEntries(entries.filter(([name]) => !Object.hasOwn(OPTIONS, name)));
  return { ...Object.fromEntries(ofGate), accept: [accessTokens(ofTokens as never as AccessTokensOptions)] };
}

function nameOf(accept: readonly CredentialVerifier[]): string {
  const claims = accept.flatMap(
    ({ claims: known }) => known?.map(({ what }) => what) ?? ['credentials checked by a custom verifier'],
  );
  return `requireBearer for ${claims.join(', ')}`;
}

/**
 * Checks that the published metadata names exactly the issuers whose tokens this gate accepts. Otherwise a client that
 * follows the metadata could obtain a token which the gate refuses.
 */
function assertPublished({ document }: ResourceMetadata, accept: readonly CredentialVerifier[]): void {
  const tokens = tokensFor('requireBearer', document.resource, accept);
  const issuers = tokens.map(({ issuer }) => issuer);
  assertIncludes('accept', issuers, 'resourceMetadata', document.authorization_servers);
  assertIncludes('resourceMetadata', document.authorization_servers, 'accept', issuers);
}

function assertIncludes(option: string, issuers: readonly string[], other: string, known: readonly string[]): void {
  const missing = issuers.find((issuer) => !known.includes(issuer));
  if (missing === undefined) return;
  throw new TypeError(
    `requireBearer: the issuer ${missing} is in the option "${option}" but not in the option "${other}"; pass the same verifiers to requireBearer and resourceMetadata`,
  );
}
