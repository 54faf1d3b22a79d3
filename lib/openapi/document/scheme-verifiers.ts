/** Reads the option `schemes`, and connects the security schemes of a document with their verifiers. */
import type { CredentialVerifier } from '../../contracts/credential-verifier.js';
import type { Kind } from '../../credentials/credential-kind.js';
import { kindOf } from '../../options/options.js';
import { faultAt, memberOf, type Place } from './json-pointer.js';
import type { OpenApiDocument } from './read-document.js';

/**
 * A value of the option `schemes`: a verifier, or `'mutualTLS'` for a scheme of the type `mutualTLS`. A `mutualTLS`
 * scheme has no verifier. The document must require it together with another scheme, whose verifier checks the client
 * certificate.
 */
export type SchemeProof = CredentialVerifier | 'mutualTLS';

/** Verifiers by the names of their schemes in `components.securitySchemes` of the document. */
export type Schemes = Readonly<Record<string, SchemeProof>>;

/**
 * A scheme with its verifier, or a `mutualTLS` scheme, which has no verifier. `allowSchemeless` is `true` only for a
 * scheme of the type `apiKey`, whose keys may be sent without `Bearer`.
 */
export type Scheme =
  | { readonly type: 'verifier'; readonly verifier: CredentialVerifier; readonly allowSchemeless: boolean }
  | { readonly type: 'mutualTLS' };

/** @throws TypeError if the value is not an object of verifiers. */
export function readProofs(factory: string, given: unknown): ReadonlyMap<string, SchemeProof> {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new TypeError(
      `${factory}: option "schemes" must be an object with a verifier for each security scheme, got ${kindOf(given)}`,
    );
  }
  const proofs = Object.entries(given);
  for (const [name, proof] of proofs) {
    if (proof === 'mutualTLS' || typeof (proof as Partial<CredentialVerifier> | null)?.verify === 'function') continue;
    const expected = "'mutualTLS' or a verifier, such as the result of accessTokens() or apiKeys()";
    throw new TypeError(`${factory}: option "schemes.${name}" must be ${expected}, got ${kindOf(proof)}`);
  }
  return new Map(proofs);
}

/**
 * Returns the schemes of a document with their verifiers. A scheme that only webhooks and callbacks require needs no
 * verifier, and may have any type.
 *
 * @throws TypeError if a scheme is not supported or has no verifier, if a verifier has no scheme, or if a verifier does
 *   not fit its scheme.
 */
export function linkSchemes(
  factory: string,
  { schemes: declared, outgoing }: OpenApiDocument,
  proofs: ReadonlyMap<string, SchemeProof>,
): ReadonlyMap<string, Scheme> {
  const needed = [...declared].filter(([name]) => proofs.has(name) || !outgoing.has(name));
  const linked = needed.map(([name, place]): [string, Scheme] => {
    const isApiKey = checkScheme(place);
    const proof = proofs.get(name);
    if (proof === undefined)
      throw faultAt(place, `the option "schemes" of ${factory} has no verifier for the scheme "${name}"`);
    return [name, linkScheme(place, proof, isApiKey)];
  });
  for (const name of proofs.keys()) {
    if (declared.has(name)) continue;
    throw new TypeError(
      `${factory}: option "schemes.${name}" does not match a scheme in components.securitySchemes of the document; correct the name, remove it, or add the scheme to the document: "keyward openapi describe" does so`,
    );
  }
  return new Map(linked);
}

/**
 * Checks that a scheme is supported.
 *
 * @returns Whether it is an `apiKey`: a key in the header `Authorization`, without `Bearer`.
 * @throws TypeError for a scheme that is not supported.
 */
function checkScheme(place: Place): boolean {
  const [type, scheme, location, name] = ['type', 'scheme', 'in', 'name'].map((member) => textAt(place, member));
  if (type === 'oauth2' || type === 'openIdConnect' || type === 'mutualTLS') return false;
  if (type === 'http' && scheme?.toLowerCase() === 'bearer') return false;
  if (type === 'apiKey' && location === 'header' && name?.toLowerCase() === 'authorization') return true;
  const known = 'http bearer, oauth2, openIdConnect, mutualTLS, and apiKey in the Authorization header';
  throw faultAt(place, `keyward does not support this security scheme; it supports ${known}`);
}

function linkScheme(place: Place, proof: SchemeProof, isApiKey: boolean): Scheme {
  const type = textAt(place, 'type');
  if (type === 'mutualTLS') {
    if (proof === 'mutualTLS') return { type: 'mutualTLS' };
    throw faultAt(
      place,
      `the value for this scheme in the option "schemes" must be 'mutualTLS', because the type of the scheme is mutualTLS`,
    );
  }
  if (proof === 'mutualTLS') {
    throw faultAt(
      place,
      'the value for this scheme in the option "schemes" must be a verifier, because the type of the scheme is not mutualTLS',
    );
  }
  const needed: readonly Kind[] = isApiKey ? ['secret', 'public'] : ['access'];
  const proves = type === 'http' || (proof.kinds ?? needed).some((kind) => needed.includes(kind));
  if (!proves)
    throw faultAt(
      place,
      `the verifier for this scheme in the option "schemes" does not accept ${isApiKey ? 'API keys' : 'access tokens'}`,
    );
  return { type: 'verifier', verifier: proof, allowSchemeless: isApiKey };
}

function textAt(place: Place, member: string): string | undefined {
  const value = memberOf(place, member)?.value;
  return typeof value === 'string' ? value : undefined;
}
