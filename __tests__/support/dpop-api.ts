/** An API behind a gate with DPoP, over real HTTP. */
import type { RequestHandler } from 'express';
import {
  type AccessTokensOptions,
  accessTokens,
  type CredentialVerifier,
  type Decision,
  type DpopOptions,
  requireBearer,
} from 'keyward';
import { createDpopClient, type DpopClient, ORIGIN } from './dpop-client.js';
import { eavesdrop } from './eavesdrop.js';
import { createManualClock, type ManualClock } from './manual-clock.js';
import { getRaw, type RawResponse } from './raw-http.js';
import { serveApp } from './served-app.js';
import { AUDIENCE, createKey, type ForgeKey, ISSUER, jwksOf } from './token-forge.js';

export const BARE_BEARER = 'Bearer realm="api"';
const DESCRIPTIONS = {
  invalid_token: 'The credential is invalid, expired or revoked',
  invalid_dpop_proof: 'The DPoP proof is missing or invalid',
  use_dpop_nonce: 'The DPoP proof must contain the nonce from the DPoP-Nonce header of this response',
};
export const ALGS = 'ES256 ES384 EdDSA Ed25519 PS256 RS256';
export const BARE_DPOP = `DPoP realm="api", algs="${ALGS}"`;

const dpopChallenge = (error: keyof typeof DESCRIPTIONS) =>
  `DPoP realm="api", error="${error}", error_description="${DESCRIPTIONS[error]}", algs="${ALGS}"`;

/** T1 for a credential in the scheme Bearer, at a gate that accepts both schemes. */
export const T1_BEARER = {
  status: 401,
  challenge: `${BARE_BEARER}, error="invalid_token", error_description="${DESCRIPTIONS.invalid_token}", ${BARE_DPOP}`,
};
/** T1 for one in the scheme DPoP. */
export const T1_DPOP = { status: 401, challenge: `${BARE_BEARER}, ${dpopChallenge('invalid_token')}` };
/** T1 at a gate that accepts nothing but DPoP. */
export const T1_DPOP_ALONE = { status: 401, challenge: dpopChallenge('invalid_token') };
export const DP = { status: 401, challenge: `${BARE_BEARER}, ${dpopChallenge('invalid_dpop_proof')}` };
export const DN = { status: 401, challenge: `${BARE_BEARER}, ${dpopChallenge('use_dpop_nonce')}` };

export interface DpopApi {
  readonly clock: ManualClock;
  readonly issuerKey: ForgeKey;
  readonly client: DpopClient;
  readonly port: number;
  /** Sends header lines as they are; how it was judged, and why. */
  judge(lines: readonly string[], target?: string, method?: string): Promise<DpopJudgement>;
  /** Sends a token in the scheme DPoP, with a proof. */
  present(token: string, proof: string | undefined, target?: string, method?: string): Promise<DpopJudgement>;
  handled(): number;
  close(): Promise<void>;
}

export interface DpopJudgement {
  readonly answer: { readonly status: number; readonly challenge?: string };
  readonly reason: string | undefined;
  readonly response: RawResponse;
}

export interface DpopApiSettings {
  readonly dpop?: Partial<DpopOptions>;
  readonly options?: Partial<AccessTokensOptions>;
  /** Verifiers after that of tokens. */
  readonly further?: readonly CredentialVerifier[];
  /** Where the gate is mounted, with the handler after it; default: everywhere. */
  readonly mount?: (gate: RequestHandler, handler: RequestHandler) => RequestHandler;
}

export async function serveDpopApi(settings: DpopApiSettings = {}): Promise<DpopApi> {
  const { dpop = {}, options = {}, further = [] } = settings;
  const clock = createManualClock();
  const issuerKey = createKey('RS256');
  const client = await createDpopClient(issuerKey);
  const tokens = accessTokens({
    ...{ issuer: ISSUER, audience: AUDIENCE, jwks: jwksOf(issuerKey), clock },
    dpop: { origin: ORIGIN, ...dpop },
    ...options,
  });
  const gate = requireBearer({ accept: [tokens, ...further] });
  const { port, handled, close } = await serveApp((app, handler) => {
    app.use(settings.mount?.(gate, handler) ?? gate, handler);
  });
  const events = eavesdrop();

  async function judge(lines: readonly string[], target?: string, method?: string): Promise<DpopJudgement> {
    events.clear();
    const response = await getRaw(port, lines, target, method);
    const challenge = response.headers['www-authenticate'];
    const answer = { status: response.status, ...(challenge === undefined ? {} : { challenge }) };
    const decision = events.heard<Decision>('keyward:decision').find(({ outcome }) => outcome !== 'accepted');
    return { answer, reason: decision?.reason, response };
  }

  return {
    ...{ clock, issuerKey, client, port, judge, handled },
    present: (token, proof, target, method) =>
      judge([`Authorization: DPoP ${token}`, ...(proof === undefined ? [] : [`DPoP: ${proof}`])], target, method),
    close: () => {
      events.stop();
      return close();
    },
  };
}
