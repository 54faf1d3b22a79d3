/** Callers and routes at random, and a table of who passes where: docs/spec.md §2 and §5, written plainly. */
import fc from 'fast-check';
import type { Environment, Kind } from 'keyward';

/** Who asks, as the store has it. */
export interface Caller {
  readonly kind: Kind;
  readonly environment: Environment;
  /** A public key's are a list. */
  readonly apis: 'all' | readonly string[];
  /** An access key's are a list. */
  readonly scopes: readonly string[] | undefined;
  /** What a token says that it was granted. */
  readonly granted: readonly string[];
  readonly channels: 'all' | readonly string[];
  readonly revoked: boolean;
}

/** What is mounted, and which channel the request names. */
export interface Route {
  readonly kinds: readonly Kind[];
  readonly environment: Environment | 'any';
  /** Whether scopes belong to the APIs of `MAPPED`. */
  readonly mapped: boolean;
  readonly guards: readonly Ask[];
  readonly channel: unknown;
}

/** One guard: what it asks for. */
export type Ask =
  | 'channel'
  | { readonly apis: readonly string[] }
  | { readonly kinds: readonly Kind[] }
  | { readonly scopes: readonly string[] }
  | { readonly any: readonly Ask[] };

/** What the caller gets: `'passed'`, or the status and the scopes that the refusal names. */
export type TableAnswer = 'passed' | { readonly status: number; readonly scopes: readonly string[] | undefined };

const KINDS: readonly Kind[] = ['secret', 'public', 'access'];
const APIS = ['payments', 'disputes', 'all', '*'];
const SCOPES = ['payments', 'payments:read', 'disputes:read', 'gateway', 'all'];

/** Which scopes belong to which API, where it is not their first word. */
export const MAPPED: Readonly<Record<string, readonly string[]>> = {
  payments: ['payments:read', 'gateway'],
  disputes: ['gateway', 'disputes:read'],
};

const some = <T>(members: readonly T[], minLength = 1) => fc.subarray([...members], { minLength });

export const callers: fc.Arbitrary<Caller> = fc
  .record({
    kind: fc.constantFrom(...KINDS),
    environment: fc.constantFrom<Environment[]>('live', 'live', 'sandbox'),
    apis: fc.oneof(fc.constant('all' as const), some(APIS, 0)),
    scopes: fc.option(some(SCOPES, 0), { nil: undefined }),
    granted: some(SCOPES, 0),
    channels: fc.constantFrom<Caller['channels'][]>('all', [], ['c1'], ['c2'], ['c1', 'c2'], ['all']),
    revoked: fc.nat(9).map((n) => n === 0),
  })
  .map((caller) => ({
    ...caller,
    apis: caller.kind === 'public' && caller.apis === 'all' ? APIS : caller.apis,
    scopes: caller.kind === 'access' ? (caller.scopes ?? SCOPES) : caller.scopes,
  }));

const { asks } = fc.letrec<{ asks: Ask }>((tie) => ({
  asks: fc.oneof(
    { maxDepth: 2 },
    fc.constant('channel' as const),
    fc.record({ apis: some(APIS) }),
    fc.record({ kinds: some(KINDS) }),
    fc.record({ scopes: some(SCOPES) }),
    fc.record({ any: fc.array(tie('asks'), { minLength: 1, maxLength: 3 }) }),
  ),
}));

export const routes: fc.Arbitrary<Route> = fc.record({
  kinds: fc.oneof(fc.constant(KINDS), some(KINDS)),
  environment: fc.constantFrom('live', 'live', 'any'),
  mapped: fc.boolean(),
  guards: fc.array(asks, { maxLength: 3 }),
  channel: fc.constantFrom(undefined, null, 'c1', 'c2', 'all', '', 1, ['c1']),
});

export function answerByTable(caller: Caller, route: Route): TableAnswer {
  const isElsewhere = route.environment !== 'any' && route.environment !== caller.environment;
  if (!route.kinds.includes(caller.kind) || isElsewhere || caller.revoked) return { status: 401, scopes: undefined };
  const refusing = route.guards.find((ask) => !passes(ask, caller, route));
  return refusing === undefined ? 'passed' : { status: 403, scopes: scopesNamed(refusing) };
}

function passes(ask: Ask, caller: Caller, route: Route): boolean {
  if (ask === 'channel') return passesChannel(caller.channels, route.channel ?? undefined);
  if ('any' in ask) return ask.any.some((one) => passes(one, caller, route));
  if ('kinds' in ask) return ask.kinds.includes(caller.kind);
  if ('apis' in ask) return ask.apis.every((api) => reaches(caller, api, route.mapped));
  return ask.scopes.every((scope) => holds(caller, scope, route.mapped));
}

function passesChannel(channels: Caller['channels'], named: unknown): boolean {
  if (channels === 'all') return named === undefined || typeof named === 'string';
  return named === undefined ? channels.length === 1 : channels.some((channel) => channel === named);
}

function reaches(caller: Caller, api: string, mapped: boolean): boolean {
  const isOfApi = (scope: string) => homesOf(scope, mapped).includes(api);
  if (caller.kind === 'access') return SCOPES.filter((scope) => holds(caller, scope, mapped)).some(isOfApi);
  return caller.apis === 'all' || caller.apis.includes(api);
}

function holds(caller: Caller, scope: string, mapped: boolean): boolean {
  const isListed = caller.scopes?.includes(scope) ?? caller.kind === 'secret';
  if (caller.kind === 'access') return isListed && caller.granted.includes(scope);
  // A scope that is listed for a key of all APIs need belong to none.
  if (caller.apis === 'all' && caller.scopes !== undefined) return isListed;
  return isListed && homesOf(scope, mapped).some((api) => reaches(caller, api, mapped));
}

/** The APIs that a scope belongs to. */
function homesOf(scope: string, mapped: boolean): readonly string[] {
  return mapped ? Object.keys(MAPPED).filter((api) => MAPPED[api]?.includes(scope)) : [scope.replace(/:.*/, '')];
}

/** The scopes that a refusal names: those of the first guard in it that asks for scopes. */
function scopesNamed(ask: Ask): readonly string[] | undefined {
  if (ask === 'channel') return undefined;
  if ('scopes' in ask) return ask.scopes;
  return 'any' in ask ? ask.any.map(scopesNamed).find((scopes) => scopes !== undefined) : undefined;
}
