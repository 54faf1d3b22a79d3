import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EncryptJWT } from 'jose';
import { accessTokens, apiKeys } from 'keyward';
import { EndedSessions } from '../../../lib/dashboard/sign-in/ended-sessions.js';
import { createSessionCipher } from '../../../lib/dashboard/sign-in/session-cipher.js';
import { requireBearer } from '../../../lib/express/gate/require-bearer.js';
import { answerOf, T1 } from '../../support/answers.js';
import { managed } from '../../support/managed.js';
import { createManualClock, START } from '../../support/manual-clock.js';
import { type ServedApp, serveApp } from '../../support/served-app.js';
import { AUDIENCE, createKey, forge, ISSUER, jwksOf } from '../../support/token-forge.js';
import { type Browser, MOUNT, SESSION, type SignInSite, signInSite } from './sign-in-browser.js';

const HOME = `${MOUNT}/`;
const MINUTE = 60_000;
const KEY = Buffer.alloc(32, 7);

async function signedIn(site: SignInSite, role: 'developer' | 'owner' = 'owner'): Promise<Browser> {
  const browser = site.browser();
  expect((await browser.signIn(site.links()[role])).status).toBe(303);
  return browser;
}

const homeOf = async (browser: Browser) => (await browser.get(HOME)).status;

/** Leaves a sign-in by the button of a page. */
async function signOut(browser: Browser) {
  return await browser.press(await browser.get(HOME), `${MOUNT}/sign-out`);
}

describe('the session cookie', () => {
  const at = managed('memory');
  const site = signInSite(at, () => ({ sessionKey: KEY }));

  it('M28 __Host-, Secure, HttpOnly, SameSite=Lax, Path=/, no Domain, 128 random bits and more', async () => {
    const signed = await site.browser().signIn(site.links().owner);
    const [line = '', ...more] = signed.headers['set-cookie'] ?? [];
    expect(more).toEqual([]);
    const [pair = '', ...attributes] = line.split('; ');
    expect(attributes.sort()).toEqual(['HttpOnly', 'Path=/', 'SameSite=Lax', 'Secure']);
    expect(pair).toMatch(/^__Host-keyward-session-[0-9a-f]{16}=[\w-]+\.\.[\w-]+\.[\w-]+\.[\w-]+$/);
  });

  it('M28 each session has its own id', async () => {
    const cipher = createSessionCipher(KEY, `http://127.0.0.1${MOUNT}`);
    const ids = new Set<string>();
    for (const _ of [1, 2, 3]) {
      const cookie = (await signedIn(site)).cookies.get(SESSION) ?? '';
      ids.add(String((await cipher.decrypt(cookie))?.id));
    }
    expect(ids.size).toBe(3);
    for (const id of ids) expect(Buffer.from(id, 'base64url')).toHaveLength(16);
  });

  it('can be read only by the server', async () => {
    const cookie = (await signedIn(site)).cookies.get(SESSION) ?? '';
    const parts = cookie.split('.').map((part) => Buffer.from(part, 'base64url').toString('latin1'));
    expect(parts.join()).not.toMatch(/owner|acc_/);
    expect(JSON.parse(parts[0] ?? '')).toEqual({ alg: 'dir', enc: 'A256GCM', typ: 'keyward-session' });
  });

  it('is invalid if any character is changed', async () => {
    const browser = await signedIn(site);
    const good = browser.cookies.get(SESSION) ?? '';
    for (let index = 0; index < good.length; index += 7) {
      if (good[index] === '.') continue;
      const changed = good.slice(0, index) + (good[index] === 'A' ? 'B' : 'A') + good.slice(index + 1);
      browser.cookies.set(SESSION, changed);
      expect([index, await homeOf(browser)]).toEqual([index, 401]);
    }
    browser.cookies.set(SESSION, good);
    expect(await homeOf(browser)).toBe(200);
  });

  it.each(['', 'a', '....', '.'.repeat(3_000), 'A'.repeat(3_000)])(
    'is invalid if it contains something else: %#',
    async (text) => {
      const browser = site.browser();
      browser.cookies.set(SESSION, text);
      expect(await homeOf(browser)).toBe(401);
    },
  );

  it('is invalid if it is sent twice', async () => {
    const browser = await signedIn(site);
    const pair = `${SESSION}=${browser.cookies.get(SESSION)}`;
    expect((await browser.get(HOME, { cookie: `a=b; ${pair}` })).status).toBe(200);
    expect((await browser.get(HOME, { cookie: `${pair}; ${pair}` })).status).toBe(401);
  });
});

describe('fixation', () => {
  const at = managed('memory');
  const site = signInSite(at);

  it('M27 a planted session before the sign-in is replaced', async () => {
    const attacker = await signedIn(site, 'developer');
    const planted = attacker.cookies.get(SESSION) ?? '';
    const victim = site.browser();
    victim.cookies.set(SESSION, planted);
    await victim.signIn(site.links().owner);
    expect(victim.cookies.get(SESSION)).not.toBe(planted);
    expect((await victim.get(HOME)).body).toContain('the owner');
    // And what was planted is nobody's any more.
    expect(await homeOf(attacker)).toBe(401);
  });

  it('M27 the old session after a second sign-in: ended', async () => {
    const browser = await signedIn(site, 'developer');
    const thief = site.browser();
    thief.cookies.set(SESSION, browser.cookies.get(SESSION) ?? '');
    expect(await homeOf(thief)).toBe(200);
    await browser.signIn(site.links().owner);
    expect([await homeOf(browser), await homeOf(thief)]).toEqual([200, 401]);
  });

  it('M27 a cookie after the sign-out: ended on the server', async () => {
    const browser = await signedIn(site);
    const thief = site.browser();
    thief.cookies.set(SESSION, browser.cookies.get(SESSION) ?? '');
    const left = await signOut(browser);
    expect(left).toMatchObject({ status: 303, headers: { location: `${MOUNT}/sign-in` } });
    expect(left.headers['set-cookie']).toEqual([`${SESSION}=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0`]);
    expect(browser.cookies.has(SESSION)).toBe(false);
    expect([await homeOf(browser), await homeOf(thief)]).toEqual([401, 401]);
  });

  it('a sign-out ends one session, but not other sessions of the same member', async () => {
    const [one, other] = [await signedIn(site), await signedIn(site)];
    await signOut(one);
    expect([await homeOf(one), await homeOf(other)]).toEqual([401, 200]);
  });

  it('a sign-out without a session also succeeds', async () => {
    const browser = await signedIn(site);
    const page = await browser.get(HOME);
    browser.cookies.delete(SESSION);
    expect((await browser.press(page, `${MOUNT}/sign-out`)).status).toBe(303);
  });
});

describe('session limits', () => {
  const at = managed('memory');
  const site = signInSite(at);

  it('M29 idle: ends 30 minutes after the last request', async () => {
    const browser = await signedIn(site);
    for (const _ of [1, 2, 3]) {
      at.clock.advance(30 * MINUTE - 1);
      expect(await homeOf(browser)).toBe(200);
    }
    at.clock.advance(30 * MINUTE);
    expect(await homeOf(browser)).toBe(401);
  });

  it('M29 absolute: ends after 12 hours, also with frequent requests', async () => {
    const browser = await signedIn(site);
    for (let minutes = 0; minutes < 700; minutes += 20) {
      expect(await homeOf(browser)).toBe(200);
      at.clock.advance(20 * MINUTE);
    }
    expect(await homeOf(browser)).toBe(200);
    at.clock.advance(20 * MINUTE - 1);
    expect(await homeOf(browser)).toBe(200);
    at.clock.advance(1);
    expect(await homeOf(browser)).toBe(401);
  });

  it('gets a new cookie once a minute at most', async () => {
    const browser = await signedIn(site);
    const first = browser.cookies.get(SESSION);
    at.clock.advance(MINUTE - 1);
    expect((await browser.get(HOME)).headers['set-cookie']?.join() ?? '').not.toContain(SESSION);
    at.clock.advance(1);
    expect((await browser.get(HOME)).headers['set-cookie']?.join()).toContain(SESSION);
    expect(browser.cookies.get(SESSION)).not.toBe(first);
  });
});

describe('an idle timeout of less than a minute', () => {
  const at = managed('memory');
  const site = signInSite(at, () => ({ idleTimeout: 30 }));

  it('does not end the session of a member who is not idle', async () => {
    const browser = await signedIn(site);
    for (const _ of Array(10)) {
      at.clock.advance(15_000);
      expect(await homeOf(browser)).toBe(200);
    }
    at.clock.advance(30_000);
    expect(await homeOf(browser)).toBe(401);
  });
});

describe('changes during a session', () => {
  const at = managed('memory');
  const site = signInSite(at);

  it('M22 all sessions are ended, as after a password change: 401 for the next request of each', async () => {
    const owners = [await signedIn(site), await signedIn(site)];
    const developer = await signedIn(site, 'developer');
    site.signIn.endSessions('the owner');
    for (const owner of owners) expect(await homeOf(owner)).toBe(401);
    expect(await homeOf(developer)).toBe(200);
    // Who signs in again, even within the same millisecond, is in.
    expect(await homeOf(await signedIn(site))).toBe(200);
  });
});

describe('a clock that is ahead and is then corrected', () => {
  const at = managed('memory');
  const site = signInSite(at);
  const HOUR = 60 * MINUTE;

  it('does not save a session from endSessions, not even after the clock has caught up', async () => {
    const browser = await signedIn(site);
    const cookie = browser.cookies.get(SESSION) ?? '';
    at.clock.setWall(-HOUR);
    site.signIn.endSessions('the owner');
    const again = await signedIn(site);
    expect([await homeOf(browser), await homeOf(again)]).toEqual([401, 200]);
    for (const _ of [1, 2, 3]) {
      at.clock.advance(20 * MINUTE);
      expect(await homeOf(again)).toBe(200);
    }
    browser.cookies.set(SESSION, cookie);
    expect(await homeOf(browser)).toBe(401);
    site.signIn.endSessions('the owner');
    expect(await homeOf(again)).toBe(401);
  });

  it('does not make a session last longer', async () => {
    const browser = await signedIn(site);
    at.clock.setWall(-HOUR);
    expect(await homeOf(browser)).toBe(401);
    at.clock.setWall(HOUR);
    expect(await homeOf(browser)).toBe(401);
  });

  it('does not make a session last longer that was used while the clock was ahead', async () => {
    const browser = await signedIn(site);
    at.clock.setWall(20 * MINUTE);
    expect(await homeOf(browser)).toBe(200);
    at.clock.setWall(-20 * MINUTE);
    expect(await homeOf(browser)).toBe(401);
  });

  it('does not save a copy of a session from a sign-out', async () => {
    const browser = await signedIn(site);
    const page = await browser.get(HOME);
    const thief = site.browser();
    thief.cookies.set(SESSION, browser.cookies.get(SESSION) ?? '');
    at.clock.setWall(-HOUR);
    expect((await browser.press(page, `${MOUNT}/sign-out`)).status).toBe(303);
    at.clock.setWall(HOUR);
    expect(await homeOf(thief)).toBe(401);
  });

  it('keeps the sessions if the correction is at most five minutes', async () => {
    const browser = await signedIn(site);
    at.clock.setWall(-5 * MINUTE);
    expect(await homeOf(browser)).toBe(200);
    at.clock.setWall(-1);
    expect(await homeOf(browser)).toBe(401);
  });
});

describe('another process whose clock is ahead', () => {
  const at = managed('memory');
  const clock = { now: () => at.clock.now() + 5_000, monotonic: () => at.clock.monotonic() };
  const mine = signInSite(at, () => ({ sessionKey: KEY }));
  const ahead = signInSite(at, () => ({ sessionKey: KEY, clock }));

  async function startedAhead(): Promise<Browser> {
    const browser = mine.browser();
    browser.cookies.set(SESSION, (await signedIn(ahead)).cookies.get(SESSION) ?? '');
    return browser;
  }

  it('cannot start a session that endSessions of this process does not end', async () => {
    const browser = await startedAhead();
    expect(await homeOf(browser)).toBe(200);
    mine.signIn.endSessions('the owner');
    expect(await homeOf(browser)).toBe(401);
    expect(await homeOf(await signedIn(mine))).toBe(200);
  });

  it('can start a session that is accepted here five minutes after endSessions', async () => {
    mine.signIn.endSessions('the owner');
    at.clock.advance(5 * MINUTE);
    expect(await homeOf(await startedAhead())).toBe(200);
  });
});

describe('a session key that is overwritten after the start', () => {
  const at = managed('memory');
  const sessionKey = Buffer.alloc(32, 9);
  const site = signInSite(at, () => ({ sessionKey }));

  it('does not end the sessions', async () => {
    const browser = await signedIn(site);
    sessionKey.fill(0);
    expect(await homeOf(browser)).toBe(200);
  });
});

describe('another process', () => {
  const at = managed('memory');
  const [one, same, other] = [KEY, KEY.toString('base64url'), undefined].map((sessionKey) =>
    signInSite(at, () => ({ sessionKey })),
  ) as [SignInSite, SignInSite, SignInSite];
  const lowered = signInSite(at, () => ({
    sessionKey: KEY,
    members: [{ id: 'the owner', account: 'acc_sign_in', permissions: ['developer'] }],
  }));
  const moved = signInSite(at, () => ({
    sessionKey: KEY,
    members: [{ id: 'the owner', account: 'acc_other', permissions: ['owner'] }],
  }));
  const elsewhere = signInSite(at, () => ({ sessionKey: KEY, url: 'https://other.test/dashboard' }));

  const broughtTo = async (site: SignInSite, role: 'developer' | 'owner' = 'owner') => {
    const browser = site.browser();
    browser.cookies.set(SESSION, (await signedIn(one, role)).cookies.get(SESSION) ?? '');
    return await browser.get(HOME);
  };

  it('with another key, as after a restart: 401, and instructions to sign in again', async () => {
    const page = await broughtTo(other);
    expect(page.status).toBe(401);
    expect(page.body).toContain(`href="${MOUNT}/sign-in"`);
    expect((await other.browser().get(`${MOUNT}/sign-in`)).body).toContain('To get a sign-in link, contact support.');
  });

  it('with the same key accepts the session', async () => {
    expect((await broughtTo(same)).status).toBe(200);
  });

  it('M22 role reduced meanwhile: its own role for the member counts', async () => {
    const page = await broughtTo(lowered);
    expect(page.body).toContain('<bdi>the owner</bdi><br><span class="muted">Developer of');
  });

  it('M22 user removed, or in another account now: 401', async () => {
    expect((await broughtTo(lowered, 'developer')).status).toBe(401);
    expect((await broughtTo(moved)).status).toBe(401);
  });

  it('of another Dashboard, with the same key: 401', async () => {
    expect((await broughtTo(elsewhere)).status).toBe(401);
  });
});

describe('tokens for other purposes', () => {
  const at = managed('memory');
  const site = signInSite(at, () => ({ sessionKey: KEY }));
  const signer = createKey('ES256');
  const accessToken = forge(signer);
  const idToken = forge(signer, { aud: 'ack_forged', nonce: 'n' }, { typ: 'JWT' });
  let api: ServedApp;

  beforeAll(async () => {
    const tokens = accessTokens({ issuer: ISSUER, audience: AUDIENCE, jwks: jwksOf(signer), clock: at.clock });
    const keys = apiKeys({ resolver: at.store, kinds: ['secret'], environment: 'any', clock: at.clock });
    api = await serveApp((app, handler) => app.use('/', requireBearer({ accept: [tokens, keys] }), handler));
  });

  afterAll(() => api.close());

  it('C24 a session or an ID token as a bearer token: T1', async () => {
    const session = (await signedIn(site)).cookies.get(SESSION) ?? '';
    expect((await api.ask('/', accessToken)).status).toBe(200);
    expect(answerOf(await api.ask('/', session))).toEqual(T1);
    expect(answerOf(await api.ask('/', idToken))).toEqual(T1);
  });

  it.each([
    ['an access token', () => accessToken],
    ['an ID token', () => idToken],
    ['an access token, encrypted with the key of sessions', () => encrypted({ typ: 'at+jwt' })],
    ['what is encrypted with it without a purpose', () => encrypted({})],
    ['what is encrypted with it for another audience', () => encrypted({ typ: 'keyward-session' }, AUDIENCE)],
  ])('C24 %s as a session: the page for visitors who are not signed in', async (_what, make) => {
    const browser = site.browser();
    browser.cookies.set(SESSION, await make());
    const page = await browser.get(HOME);
    expect(page.status).toBe(401);
    expect(page.body).toContain(`href="${MOUNT}/sign-in"`);
  });

  it('C24 these tokens differ from a session only in their purpose', async () => {
    const browser = site.browser();
    browser.cookies.set(SESSION, await encrypted({ typ: 'keyward-session' }));
    expect(await homeOf(browser)).toBe(200);
  });

  function encrypted(header: object, audience = `http://127.0.0.1${MOUNT}`): Promise<string> {
    const now = at.clock.now();
    return new EncryptJWT({ account: 'acc_sign_in', startedAt: now, seenAt: now })
      .setSubject('the owner')
      .setJti('x')
      .setAudience(audience)
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', ...header })
      .encrypt(KEY);
  }
});

describe('ended sessions', () => {
  const session = (id: string, startedAt = START, member = 'm') => ({
    ...{ id, member, account: 'a', startedAt, seenAt: startedAt },
  });

  it('are stored until they would have expired, and removed then if space is needed', () => {
    const clock = createManualClock();
    const ends = new EndedSessions(1_000, clock, 2);
    ends.end(session('one'));
    ends.endAllOf('other');
    clock.advance(1_001);
    ends.end(session('two', clock.now()));
    expect(ends.hasEnded(session('two', clock.now()))).toBe(true);
    expect(ends.hasEnded(session('three', clock.now()))).toBe(false);
    expect(ends.hasEnded(session('one'))).toBe(false);
  });

  it('make room at the moment of their end, a member five minutes later', () => {
    const clock = createManualClock();
    const ends = new EndedSessions(1_000, clock, 2);
    ends.end(session('one'));
    ends.endAllOf('m');
    clock.advance(1_000);
    ends.end(session('two', clock.now()));
    // Everybody would be signed out if the first session still took room.
    expect(ends.hasEnded(session('three', clock.now(), 'other'))).toBe(false);
    expect(ends.hasEnded(session('four'))).toBe(true);
    clock.advance(5 * MINUTE);
    ends.end(session('five', clock.now()));
    ends.end(session('six', clock.now()));
    expect(ends.hasEnded(session('seven', clock.now(), 'other'))).toBe(false);
  });

  it('a session that started after the end of the others takes room until it ends', () => {
    const clock = createManualClock();
    const ends = new EndedSessions(1_000, clock, 3);
    ends.endAllOf('m');
    for (const id of ['one', 'two']) ends.started(session(id));
    clock.advance(1_000);
    ends.started(session('three', clock.now()));
    expect(ends.hasEnded(session('three', clock.now()))).toBe(false);
    expect(ends.hasEnded(session('four', clock.now(), 'other'))).toBe(false);
    ends.end(session('three', clock.now()));
    expect(ends.hasEnded(session('three', clock.now()))).toBe(true);
  });

  it('of a member are ended again by each call, those of other members are not', () => {
    const clock = createManualClock();
    const ends = new EndedSessions(1_000, clock);
    for (const member of ['m', 'other']) {
      ends.endAllOf(member);
      ends.started(session(`new of ${member}`, START, member));
    }
    ends.endAllOf('m');
    expect(ends.hasEnded(session('new of m'))).toBe(true);
    expect(ends.hasEnded(session('new of other', START, 'other'))).toBe(false);
  });

  it('stay ended if the clock is set back and sessions are ended again', () => {
    const clock = createManualClock();
    const ends = new EndedSessions(1_000, clock);
    ends.endAllOf('m');
    clock.setWall(-60 * MINUTE);
    ends.endAllOf('m');
    expect(ends.hasEnded(session('one'))).toBe(true);
  });

  it('if there are more than can be stored, everybody is signed out, and no ended session works again', () => {
    const clock = createManualClock();
    const ends = new EndedSessions(1_000, clock, 2);
    const sessions = ['one', 'two', 'three', 'four'].map((id) => session(id));
    for (const ended of sessions.slice(0, 3)) ends.end(ended);
    for (const each of sessions) expect(ends.hasEnded(each)).toBe(true);
    ends.started(session('five'));
    expect(ends.hasEnded(session('five'))).toBe(false);
    ends.end(session('five'));
    expect(ends.hasEnded(session('five'))).toBe(true);
  });
});
