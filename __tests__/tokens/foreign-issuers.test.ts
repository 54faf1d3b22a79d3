import { describe, expect, it } from '@jest/globals';
import { type AccessTokensOptions, accessTokens, apiMap, defineGuard, requireApi, requireScopes } from 'keyward';
import { PresentedCredential } from '../../lib/http/presented-credential.js';
import { judgement } from '../support/guarded.js';
import { createManualClock } from '../support/manual-clock.js';
import {
  AUDIENCE,
  assemble,
  createKey,
  jwkOf,
  type Members,
  NOW,
  type Part,
  signedBy,
} from '../support/token-forge.js';

/** The tokens and keys of an issuer as it writes them, and the options of docs/foreign-issuers.md. */
interface Dialect {
  readonly header: Part;
  readonly claims: Members;
  /** What its public key says beside its material. */
  readonly jwk?: Members;
  /** Keys that it publishes for other uses. */
  readonly otherKeys?: readonly object[];
  readonly options: Omit<AccessTokensOptions, 'jwks' | 'clock'>;
}

const KID = 'Z9Rb3mB2Wq0LkSsa1VtTz';
const key = createKey('RS256', KID);
const encryptionKey = createKey('RS256', 'encryption');
const times = { iat: NOW, exp: NOW + 3_600 };
const DEFAULT_PROFILE = { profile: undefined };
const NO_MAP = { apis: undefined };

function judge(
  { header, claims, jwk = {}, otherKeys = [], options }: Dialect,
  wrong: Partial<AccessTokensOptions> = {},
) {
  const jwks = { keys: [jwkOf(key, jwk), ...otherKeys] } as AccessTokensOptions['jwks'];
  const tokens = accessTokens({ ...options, jwks, clock: createManualClock(), ...wrong });
  return tokens.verify(new PresentedCredential(assemble(header, claims, signedBy(key))));
}

async function principalOf(dialect: Dialect, wrong: Partial<AccessTokensOptions> = {}) {
  const outcome = await judge(dialect, wrong);
  if (outcome.outcome !== 'accepted' || outcome.principal.kind !== 'access') throw new Error(JSON.stringify(outcome));
  return outcome.principal;
}

const refused = (reason: string) => ({ outcome: 'refused', reason });
const ANOTHERS = { outcome: 'declined', reason: 'token_iss' };

type Wrong = readonly [what: string, wrong: Partial<AccessTokensOptions>, outcome: object];

describe('a token of Auth0', () => {
  const auth0: Dialect = {
    header: { alg: 'RS256', typ: 'JWT', kid: KID },
    claims: {
      ...{ iss: 'https://tenant.eu.auth0.com/', sub: 'Qk7client@clients', aud: AUDIENCE, ...times },
      ...{ scope: 'read:payments write:payments', gty: 'client-credentials', azp: 'Qk7client' },
    },
    jwk: { x5t: 'wXqXn', x5c: ['MIIDBzCCAe+gAwIBAgIJ'] },
    options: {
      issuer: 'https://tenant.eu.auth0.com/',
      audience: AUDIENCE,
      profile: 'jwt',
      algorithms: ['RS256'],
      apis: apiMap({ payments: ['read:payments', 'write:payments'], disputes: ['read:disputes'] }),
    },
  };
  const ofRfc9068: Dialect = {
    ...auth0,
    header: { alg: 'RS256', typ: 'at+jwt', kid: KID },
    claims: { ...auth0.claims, azp: undefined, client_id: 'Qk7client', jti: '73WakrfVbNJBaAmhQtEeDv' },
    options: { issuer: 'https://tenant.eu.auth0.com/', audience: AUDIENCE },
  };

  it('is accepted: the client is azp, and the map assigns its scopes to an API', async () => {
    const principal = await principalOf(auth0);
    expect(principal).toMatchObject({ clientId: 'Qk7client', scopes: ['read:payments', 'write:payments'] });
    expect(await judgement(requireApi('payments'), principal)).toBe('passed');
  });

  it('is accepted for a user too, with a second audience /userinfo', async () => {
    const aud = [AUDIENCE, 'https://tenant.eu.auth0.com/userinfo'];
    const user = { ...auth0, claims: { ...auth0.claims, sub: 'auth0|123456', aud, gty: undefined } };
    expect(await principalOf(user)).toMatchObject({ clientId: 'Qk7client', payload: { sub: 'auth0|123456' } });
  });

  it('is accepted without a profile option if the API has the profile of RFC 9068', async () => {
    expect(await principalOf(ofRfc9068)).toMatchObject({ clientId: 'Qk7client' });
  });

  it.each<Wrong>([
    ['the issuer without its last slash', { issuer: 'https://tenant.eu.auth0.com' }, ANOTHERS],
    ['the audience of another API', { audience: 'https://tenant.eu.auth0.com/userinfo' }, refused('token_aud')],
    ['the default profile', DEFAULT_PROFILE, refused('token_typ')],
    ['another algorithm', { algorithms: ['ES256'] }, refused('token_alg')],
  ])('is refused with %s', async (_what, wrong, outcome) => {
    expect(await judge(auth0, wrong)).toMatchObject(outcome);
  });

  it('has no access to an API without the map', async () => {
    expect(await judgement(requireApi('payments'), await principalOf(auth0, NO_MAP))).toBe('insufficient_scope');
  });
});

describe('a token of Keycloak', () => {
  const keycloak: Dialect = {
    // With its spaces.
    header: `{"alg":"RS256","typ" : "JWT","kid" : "${KID}"}`,
    claims: {
      ...{ ...times, jti: 'trrtcc:5770e4ba-e40c-4450-981b-0d5076f9c8e0', iss: 'https://sso.example.com/realms/shop' },
      ...{
        aud: [AUDIENCE, 'account'],
        sub: 'bc2a72f4-d923-459a-be07-e37419516704',
        typ: 'Bearer',
        azp: 'shop-backend',
      },
      ...{ acr: '1', 'allowed-origins': ['/*'], realm_access: { roles: ['offline_access'] } },
      ...{ scope: 'payments:refund profile email', clientHost: '10.0.0.9', client_id: 'shop-backend' },
    },
    jwk: { x5t: 'wXqXn', x5c: ['MIIDBzCCAe+gAwIBAgIJ'] },
    otherKeys: [jwkOf(encryptionKey, { alg: 'RSA-OAEP', use: 'enc' })],
    options: { issuer: 'https://sso.example.com/realms/shop', audience: AUDIENCE, profile: 'jwt' },
  };

  it('is accepted: the client is client_id, and its scopes count together with the others', async () => {
    const principal = await principalOf(keycloak);
    expect(principal).toMatchObject({ clientId: 'shop-backend', apis: ['payments', 'profile', 'email'] });
    expect(await judgement(requireScopes('payments:refund'), principal)).toBe('passed');
  });

  it('is accepted for a user too: the client is azp, not the user', async () => {
    const user = { ...keycloak, claims: { ...keycloak.claims, client_id: undefined, sid: '54db1505' } };
    expect(await principalOf(user)).toMatchObject({ clientId: 'shop-backend' });
  });

  it.each<Wrong>([
    ['a slash behind the realm', { issuer: 'https://sso.example.com/realms/shop/' }, ANOTHERS],
    ['another realm', { issuer: 'https://sso.example.com/realms/other' }, ANOTHERS],
    ['the client for the audience', { audience: 'shop-backend' }, refused('token_aud')],
    ['the default profile', DEFAULT_PROFILE, refused('token_typ')],
  ])('is refused with %s', async (_what, wrong, outcome) => {
    expect(await judge(keycloak, wrong)).toMatchObject(outcome);
  });

  it.each([
    ['the account console alone', 'account'],
    ['nobody', undefined],
  ])('is refused without an audience mapper: it is for %s', async (_whom, aud) => {
    expect(await judge({ ...keycloak, claims: { ...keycloak.claims, aud } })).toMatchObject(refused('token_aud'));
  });
});

describe('a token of Microsoft Entra', () => {
  const TENANT = '9188040d-6c67-4c5b-b112-36a304b66dad';
  const API = '19893e32-3f4d-4c5a-b5ca-27891cf75666';
  const CLIENT = 'b14a7505-96e9-4927-91e8-0601d0fc9caa';
  const common = { ...times, nbf: NOW, aio: 'E2RgYDh', rh: '1.AXkA', tid: TENANT, uti: 'RnDMz', sub: '5b2d7b0e' };
  const v2: Dialect = {
    header: { typ: 'JWT', alg: 'RS256', kid: KID },
    claims: {
      ...{ ...common, aud: API, iss: `https://login.microsoftonline.com/${TENANT}/v2.0`, azp: CLIENT, azpacr: '1' },
      ...{ ver: '2.0', scp: 'Payments.Read Payments.Write' },
    },
    // It names no algorithm.
    jwk: { alg: undefined, x5t: KID, x5c: ['MIIC/jCCAeag'], cloud_instance_name: 'microsoftonline.com' },
    options: {
      issuer: `https://login.microsoftonline.com/${TENANT}/v2.0`,
      audience: API,
      profile: 'jwt',
      algorithms: ['RS256'],
      apis: apiMap({ payments: ['Payments.Read', 'Payments.Write'] }),
    },
  };
  const appOnly = { ...v2, claims: { ...v2.claims, scp: undefined, roles: ['Payments.Write.All'] } };
  const holdsRole = (role: string) =>
    defineGuard({
      name: `role ${role}`,
      check: (principal) => principal.kind === 'access' && [principal.payload.roles].flat().includes(role),
    });

  it('is accepted for a user: scopes are in scp, and the client is azp', async () => {
    const principal = await principalOf(v2);
    expect(principal).toMatchObject({ clientId: CLIENT, scopes: ['Payments.Read', 'Payments.Write'] });
    expect(await judgement(requireApi('payments'), principal)).toBe('passed');
  });

  it('is accepted for an app: it has roles instead of scopes, which a custom guard reads', async () => {
    const principal = await principalOf(appOnly);
    expect(principal).toMatchObject({ clientId: CLIENT, scopes: [], apis: [] });
    expect(await judgement(holdsRole('Payments.Write.All'), principal)).toBe('passed');
    expect(await judgement(holdsRole('Payments.Admin'), principal)).toBe('insufficient_scope');
  });

  it('is accepted in version 1.0: another issuer, another audience, and the client is the subject', async () => {
    const claims = {
      ...common,
      aud: `api://${API}`,
      iss: `https://sts.windows.net/${TENANT}/`,
      appid: CLIENT,
      ver: '1.0',
    };
    const header = { typ: 'JWT', alg: 'RS256', x5t: KID, kid: KID };
    const options = { ...v2.options, issuer: `https://sts.windows.net/${TENANT}/`, audience: `api://${API}` };
    expect(await principalOf({ ...v2, header, claims, options })).toMatchObject({ clientId: '5b2d7b0e' });
  });

  it.each<Wrong>([
    ['the issuer of version 1.0', { issuer: `https://sts.windows.net/${TENANT}/` }, ANOTHERS],
    ['the issuer of all tenants', { issuer: 'https://login.microsoftonline.com/common/v2.0' }, ANOTHERS],
    ['the audience of version 1.0', { audience: `api://${API}` }, refused('token_aud')],
    ['the default profile', DEFAULT_PROFILE, refused('token_typ')],
    ['another algorithm', { algorithms: ['PS256'] }, refused('token_alg')],
  ])('is refused with %s', async (_what, wrong, outcome) => {
    expect(await judge(v2, wrong)).toMatchObject(outcome);
  });

  it('has no access to an API without the map', async () => {
    expect(await judgement(requireApi('payments'), await principalOf(v2, NO_MAP))).toBe('insufficient_scope');
  });
});

describe('a token of Duende IdentityServer', () => {
  const duende: Dialect = {
    header: { alg: 'RS256', kid: KID, typ: 'at+jwt' },
    claims: {
      ...{ iss: 'https://identity.example.com', nbf: NOW, ...times, aud: 'payments-api' },
      ...{ scope: ['payments.read', 'payments.refund'], client_id: 'shop.backend', jti: 'C6A7C2F1F4D94CB0' },
    },
    options: {
      issuer: 'https://identity.example.com',
      audience: 'payments-api',
      profile: 'jwt',
      apis: apiMap({ payments: ['payments.read', 'payments.refund'] }),
    },
  };

  it('is accepted: its scopes are a list', async () => {
    const principal = await principalOf(duende);
    expect(principal).toMatchObject({ clientId: 'shop.backend', scopes: ['payments.read', 'payments.refund'] });
    expect(await judgement(requireApi('payments'), principal)).toBe('passed');
  });

  it('is accepted without a profile option if it has a subject: the token of a user', async () => {
    const user = { ...duende, claims: { ...duende.claims, sub: '818727', auth_time: NOW, amr: ['pwd'] } };
    expect(await principalOf(user, DEFAULT_PROFILE)).toMatchObject({ clientId: 'shop.backend' });
  });

  it.each<Wrong>([
    ['a slash behind the issuer', { issuer: 'https://identity.example.com/' }, ANOTHERS],
    ['a scope for the audience', { audience: 'payments.read' }, refused('token_aud')],
    ['the default profile, since the token of a client has no subject', DEFAULT_PROFILE, refused('token_sub')],
  ])('is refused with %s', async (_what, wrong, outcome) => {
    expect(await judge(duende, wrong)).toMatchObject(outcome);
  });

  it('has no access to an API without the map', async () => {
    expect(await judgement(requireApi('payments'), await principalOf(duende, NO_MAP))).toBe('insufficient_scope');
  });
});

describe('a token of oidc-provider', () => {
  const provider: Dialect = {
    header: { alg: 'RS256', typ: 'at+jwt', kid: KID },
    claims: {
      ...{ jti: 'yX8w1P5Iacae0EB4aopQf1ByGumC1LAw9SzH3Gc90j0', sub: 'shop-backend', ...times },
      ...{ scope: 'payments:refund', client_id: 'shop-backend', iss: 'https://op.example.com', aud: AUDIENCE },
    },
    options: { issuer: 'https://op.example.com', audience: AUDIENCE },
  };

  it('is accepted with the defaults', async () => {
    expect(await principalOf(provider)).toMatchObject({ clientId: 'shop-backend', apis: ['payments'] });
  });

  it.each<Wrong>([
    ['a slash behind the issuer', { issuer: 'https://op.example.com/' }, ANOTHERS],
    ['another resource for the audience', { audience: 'https://other.example.com' }, refused('token_aud')],
  ])('is refused with %s', async (_what, wrong, outcome) => {
    expect(await judge(provider, wrong)).toMatchObject(outcome);
  });
});
