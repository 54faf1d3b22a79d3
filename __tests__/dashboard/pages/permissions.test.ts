import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { KeyView } from 'keyward/management';
import { type Holder, managed } from '../../support/managed.js';
import { type ManagedApi, serveManaged } from '../../support/managed-api.js';
import { editForm, KEY_TYPES, type KeyTypeName, LIST, madeKey, newForm, OPERATIONS, PATH } from '../key-forms.js';
import { type Browser, MOUNT, type Reply, servedDashboard } from '../served-dashboard.js';

const VERBS = ['list', 'view', 'create', 'edit', 'revoke'] as const;
type Verb = (typeof VERBS)[number];

/** docs/spec.md §5.4. A form that was accepted is answered 303, except the form that creates a key. */
const ANSWERS = {
  nobody: { list: 401, view: 401, create: 401, edit: 401, revoke: 401 },
  developer: { list: 200, view: 200, create: 201, edit: 403, revoke: 403 },
  owner: { list: 200, view: 200, create: 201, edit: 303, revoke: 303 },
} as const;
const WHO = ['nobody', 'developer', 'owner'] as const;
const CASES = WHO.flatMap((who) => VERBS.map((verb) => ({ who, verb, status: ANSWERS[who][verb] }))).map((one, at) => ({
  id: `M${String(at + 1).padStart(2, '0')}`,
  ...one,
}));

const OF_PUBLIC_KEYS = ['public-keys', 'public-keys/remove', 'require-confirmation'].map((operation) => ({
  operation,
  keyType: 'accessKeys' as const,
}));

const at = managed('memory');
const dashboard = servedDashboard(at);

const browserOf = (holder: Holder, who: (typeof WHO)[number]) =>
  dashboard.browser(who === 'nobody' ? undefined : holder[who]);

describe.each(KEY_TYPES)('%s', (keyType) => {
  it.each(CASES)('$id $who may $verb: $status', async ({ who, verb, status }) => {
    const holder = await at.account();
    const key = await madeKey(holder, keyType);
    const reply = await act(browserOf(holder, who), keyType, verb, key);
    expect(reply.status).toBe(status);
    const service = at.management[keyType];
    const keys = (await service.list(holder.owner)).items;
    if (status >= 400) expect(keys).toEqual([key]);
    else expect(keys).toHaveLength({ list: 1, view: 1, create: 2, edit: 1, revoke: 0 }[verb]);
    if (status === 303 && verb === 'edit') expect(keys[0]?.name).toBe('Other');
  });

  it('a member without a permission sees nothing, and learns which one is needed', async () => {
    const holder = await at.account();
    const browser = dashboard.browser({ ...holder.developer, permissions: [] });
    for (const path of [
      LIST[keyType],
      `${PATH[keyType]}/${(await madeKey(holder, keyType)).id}`,
      '/audit',
      '/audit.csv',
    ]) {
      const { status, body } = await browser.get(path);
      expect([status, body]).toEqual([403, expect.stringContaining('You need the Reader role to do this.')]);
    }
  });

  it('a member who may not create a key is not offered to', async () => {
    const holder = await at.account();
    const pages = async () => {
      const reader = dashboard.browser({ ...holder.developer, permissions: ['reader'] });
      const developer = dashboard.browser(holder.developer);
      return [(await reader.get(LIST[keyType])).body, (await developer.get(LIST[keyType])).body];
    };
    const creates = `${MOUNT}${PATH[keyType]}/new`;
    const [first, firstOfDeveloper] = await pages();
    expect(first).toContain('You need the Developer role to create');
    expect([first?.includes(creates), firstOfDeveloper?.includes(creates)]).toEqual([false, true]);
    await madeKey(holder, keyType);
    const [list, listOfDeveloper] = await pages();
    expect([list?.includes(creates), listOfDeveloper?.includes(creates)]).toEqual([false, true]);
  });

  it('a key is not created while the account is disabled, and the page says whom to contact', async () => {
    const holder = await at.account();
    await at.management.accounts.setDisabled('operator', holder.id, true);
    const { status, body } = await browserOf(holder, 'owner').post(PATH[keyType], newForm(keyType));
    const text = 'Your account is disabled. To enable the account, contact support.';
    expect([status, body]).toEqual([403, expect.stringContaining(text)]);
  });

  it('a Developer does not give a key a scope that allows more than the role', async () => {
    const holder = await at.account();
    await at.management.accounts.put('operator', holder.id, { apis: 'all', scopes: ['keys:manage'] });
    const some = keyType === 'keys' ? { 'scopes.of': 'some' } : {};
    const form = newForm(keyType, { ...some, scopes: 'keys:manage' });
    const { status, body } = await browserOf(holder, 'developer').post(PATH[keyType], form);
    const text = 'Your role does not allow you to give a key these scopes: keys:manage.';
    expect([status, body]).toEqual([403, expect.stringContaining(text)]);
  });

  it('a member who may not create a key does not see what the account has', async () => {
    const holder = await at.account();
    for (const permissions of [[], ['reader']] as const) {
      const browser = dashboard.browser({ ...holder.developer, permissions });
      const pages = [
        await browser.get('/keys/new'),
        await browser.get(keyType === 'keys' ? '/keys/new?kind=secret' : '/access-keys/new'),
        await browser.post(PATH[keyType], newForm(keyType, { expiresAt: 'soon' })),
      ];
      for (const { status, body } of pages) {
        expect([status, body]).toEqual([403, expect.stringContaining('You need the Developer role to do this.')]);
        expect(body).not.toContain('disputes');
      }
    }
  });
});

describe('operations that need Owner', () => {
  it.each(OPERATIONS)(
    'M16 a Developer posts $operation of $keyType: 403, no change, and an audit entry',
    async (one) => {
      const holder = await at.account();
      const key = await madeKey(holder, one.keyType);
      at.clock.advance(1_000);
      const reply = await browserOf(holder, 'developer').post(
        `${PATH[one.keyType]}/${key.id}/${one.operation}`,
        one.form(key),
      );
      expect(reply.status).toBe(403);
      expect(reply.body).toContain('You need the Owner role to do this.');
      expect(await at.management[one.keyType].view(holder.owner, key.id)).toEqual(key);
      const [entry] = (await holder.story()).slice(1);
      expect(entry).toMatchObject({ actor: holder.developer.id, outcome: 'refused', subject: key.id });
      expect(entry?.origin).toBe(holder.developer.address);
    },
  );

  it.each([...OPERATIONS, ...OF_PUBLIC_KEYS])(
    'an incomplete form of $operation of $keyType from a Developer: 403, and an audit entry',
    async ({ operation, keyType }) => {
      const holder = await at.account();
      const { id } = await madeKey(holder, keyType);
      const path = `${PATH[keyType]}/${id}/${operation}`;
      const form = operation === 'edit' ? {} : { formId: 'x' };
      expect((await browserOf(holder, 'developer').post(path, form)).status).toBe(403);
      const refused = { actor: holder.developer.id, outcome: 'refused', subject: id };
      expect((await holder.story()).slice(1)).toEqual([expect.objectContaining(refused)]);
    },
  );

  it.each(KEY_TYPES)(
    'an incomplete form for a new key of %s from a Reader: 403, and an audit entry',
    async (keyType) => {
      const holder = await at.account();
      const reader = { ...holder.developer, permissions: ['reader'] } as const;
      const forms = [{}, { formId: 'x' }, newForm(keyType, { 'apis.of': [], expiresAt: 'soon' })];
      for (const form of forms) expect((await dashboard.browser(reader).post(PATH[keyType], form)).status).toBe(403);
      // Equal attempts within a minute are counted in one entry.
      const action = keyType === 'keys' ? 'key.create' : 'access_key.create';
      const after = { refused: 'forbidden', count: forms.length };
      const refused = { actor: reader.id, action, outcome: 'refused', subject: null, after };
      expect(await holder.story()).toEqual([expect.objectContaining(refused)]);
    },
  );

  it('a Reader is not called a Developer', async () => {
    const holder = await at.account();
    const browser = dashboard.browser({ ...holder.developer, permissions: ['reader'] });
    const { body } = await browser.get(`/keys/${(await holder.key()).key.id}`);
    expect(body).toContain('You need the Owner role to change this key. You have the Reader role.');
  });

  it.each(KEY_TYPES)('a Developer sees the actions on %s, and which permission they need', async (keyType) => {
    const holder = await at.account();
    const { id } = await madeKey(holder, keyType);
    const [theirs, owners] = await Promise.all(
      (['developer', 'owner'] as const).map((who) => browserOf(holder, who).get(`${PATH[keyType]}/${id}`)),
    );
    expect(theirs?.body.match(/Owner role/g)).toHaveLength(1);
    expect(theirs?.body).toContain('You need the Owner role to change this key. You have the Developer role.');
    expect(theirs?.body.match(/ disabled>/g)).toHaveLength(keyType === 'keys' ? 4 : 8);
    expect(owners?.body).not.toMatch(/the \w+ role/);
    expect(owners?.body).not.toContain('disabled>');
    // Apart from buttons that copy, no button that could be pressed is left.
    const inert = /<fieldset class="quiet" disabled>[\s\S]*?<\/form>|<button[^>]* (?:disabled|hidden)>/g;
    expect(theirs?.body.replace(inert, '')).not.toContain('<button');
    for (const page of ['edit', 'revoke', 'end-grace/confirm']) {
      const { status, body } = await browserOf(holder, 'developer').get(`${PATH[keyType]}/${id}/${page}`);
      expect([status, body]).toEqual([403, expect.stringContaining('You need the Owner role to do this.')]);
      expect(body).toContain('<nav aria-label="Dashboard">');
      expect(body).toContain(`<a class="button" href="${MOUNT}${PATH[keyType]}/${id}">Go back</a>`);
    }
  });
});

describe('separate accounts', () => {
  it.each(OPERATIONS)(
    'M17 $operation of a $keyType of another account gives the same response as for a random id',
    async (one) => {
      const [victim, thief] = [await at.account(), await at.account()];
      const key = await madeKey(victim, one.keyType);
      const browser = browserOf(thief, 'owner');
      const [theirs, nobodys] = await Promise.all(
        [key.id, randomId(key.id)].map((id) =>
          browser.post(`${PATH[one.keyType]}/${id}/${one.operation}`, one.form({ ...key, id })),
        ),
      );
      expect(theirs?.status).toBe(404);
      expect(theirs?.body).toBe(nobodys?.body);
      expect(await at.management[one.keyType].view(victim.owner, key.id)).toEqual(key);
    },
  );

  it.each(KEY_TYPES)('M17 the pages of a %s of another account are the same as for a random id', async (keyType) => {
    const [victim, thief] = [await at.account(), await at.account()];
    const { id } = await madeKey(victim, keyType);
    for (const page of ['', '/edit', '/revoke']) {
      const [theirs, nobodys] = await Promise.all(
        [id, randomId(id)].map((one) => browserOf(thief, 'owner').get(`${PATH[keyType]}/${one}${page}`)),
      );
      expect([theirs?.status, theirs?.body]).toEqual([404, nobodys?.body]);
    }
    // The pages of one type of key do not accept ids of the other type.
    const other = keyType === 'keys' ? 'accessKeys' : 'keys';
    expect((await browserOf(victim, 'owner').get(`${PATH[other]}/${id}`)).status).toBe(404);
  });

  it('M17 the lists and the audit log are limited to one account', async () => {
    const [victim, thief] = [await at.account(), await at.account()];
    const { id } = await madeKey(victim, 'keys');
    for (const path of ['/', `/?text=${id}`, '/audit', `/audit?subject=${id}`, '/audit.csv']) {
      expect((await browserOf(victim, 'owner').get(path)).body).toContain(id);
      const { status, body } = await browserOf(thief, 'owner').get(path);
      expect(status).toBe(200);
      // What was searched for stands in the field, and nowhere else.
      expect(body.replaceAll(`value="${id}"`, '').replaceAll(/href="[^"]*"/g, '')).not.toContain(id);
    }
  });
});

it.each(KEY_TYPES)(
  'M18 an anonymous request cannot create %s with an account and a user in the body: 401, nothing created',
  async (keyType) => {
    const holder = await at.account();
    const form = newForm(keyType, { accountId: holder.id, userId: holder.owner.id });
    expect((await dashboard.browser().post(PATH[keyType], form)).status).toBe(401);
    expect((await at.management[keyType].list(holder.owner)).items).toEqual([]);
  },
);

describe.each(KEY_TYPES)('M19 on %s', (keyType) => {
  it.each(['accountId', 'role', 'id', 'digest', 'createdBy', 'revoked', 'env', '__proto__'])(
    'M19 a form with the field %s: 400, no effect',
    async (field) => {
      const holder = await at.account();
      const browser = browserOf(holder, 'owner');
      const more = Object.fromEntries([[field, 'x']]);
      expect((await browser.post(PATH[keyType], newForm(keyType, more))).status).toBe(400);
      expect((await at.management[keyType].list(holder.owner)).items).toEqual([]);
      const key = await madeKey(holder, keyType);
      expect((await browser.post(`${PATH[keyType]}/${key.id}/edit`, editForm(keyType, key, more))).status).toBe(400);
      expect(await at.management[keyType].view(holder.owner, key.id)).toEqual(key);
      expect(({} as Record<string, unknown>)[field === '__proto__' ? 'polluted' : field]).toBeUndefined();
    },
  );
});

describe('M21 API credentials do not sign a user in', () => {
  let api: ManagedApi;

  beforeAll(async () => {
    api = await serveManaged(at.store, at.clock);
  });

  afterAll(() => api.close());

  it.each(['a secret key', 'a public key', 'an access token', 'a client ID and client secret'])(
    'M21 %s: 401',
    async (which) => {
      const holder = await at.account();
      const authorization = await credential(which, holder);
      const key = await madeKey(holder, 'keys');
      const browser = dashboard.browser();
      for (const path of ['/', `/keys/${key.id}`, '/audit', '/audit.csv']) {
        expect((await browser.get(path, { authorization })).status).toBe(401);
      }
      const posted = await browser.post(`/keys/${key.id}/revoke`, { confirm: key.id }, { authorization });
      expect(posted.status).toBe(401);
      expect(await at.management.keys.view(holder.owner, key.id)).toEqual(key);
    },
  );

  async function credential(which: string, holder: Holder): Promise<string> {
    if (which === 'a secret key') return `Bearer ${(await holder.key()).text}`;
    if (which === 'a public key') return `Bearer ${(await holder.key({ kind: 'public' })).text}`;
    const { key, text } = await holder.accessKey();
    if (which === 'an access token') return `Bearer ${(await api.obtainToken(key.id, text)).token}`;
    return `Basic ${Buffer.from(`${key.id}:${text}`).toString('base64')}`;
  }
});

describe('M22 changes during a session', () => {
  it('M22 the role is reduced: the next request is refused', async () => {
    const holder = await at.account();
    const key = await madeKey(holder, 'keys');
    const browser = browserOf(holder, 'owner');
    expect((await browser.get(`/keys/${key.id}/edit`)).status).toBe(200);
    change(holder, () => ({ ...holder.owner, permissions: ['developer'] }));
    expect((await browser.post(`/keys/${key.id}/edit`, editForm('keys', key, { name: 'Other' }))).status).toBe(403);
    expect(await at.management.keys.view(holder.owner, key.id)).toEqual(key);
  });

  it('M22 the user is removed: the next request is anonymous', async () => {
    const holder = await at.account();
    const browser = browserOf(holder, 'owner');
    expect((await browser.get('/')).status).toBe(200);
    change(holder, () => undefined);
    expect((await browser.get('/')).status).toBe(401);
    expect((await browser.post('/keys', newForm('keys'))).status).toBe(401);
  });

  function change(holder: Holder, to: () => Holder['owner'] | undefined): void {
    for (const [session, { id }] of dashboard.members) {
      if (id !== holder.owner.id) continue;
      const member = to();
      if (member === undefined) dashboard.members.delete(session);
      else dashboard.members.set(session, member);
    }
  }
});

async function act(browser: Browser, keyType: KeyTypeName, verb: Verb, key: KeyView): Promise<Reply> {
  const own = `${PATH[keyType]}/${key.id}`;
  const acts = {
    list: () => browser.get(LIST[keyType]),
    view: () => browser.get(own),
    create: () => browser.post(PATH[keyType], newForm(keyType)),
    edit: () => browser.post(`${own}/edit`, editForm(keyType, key, { name: 'Other' })),
    revoke: () => browser.post(`${own}/revoke`, { confirm: key.id }),
  };
  const reply = await acts[verb]();
  if (reply.status === 303) expect(reply.headers.location).toMatch(new RegExp(`^${MOUNT}/`));
  return reply;
}

/** An id of the same shape that is nobody's. */
function randomId(id: string): string {
  const random = [...randomBytes(26)].map((byte) => 'abcdefghijklmnopqrstuvwxyz234567'[byte & 31]).join('');
  return id.slice(0, 4) + random;
}
