import { request } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import type { Holder } from '../../support/managed.js';
import { managed } from '../../support/managed.js';
import { isAccepted } from '../../support/managed-text.js';
import { eventually } from '../../support/store-wait.js';
import { KEY_TYPES, type KeyTypeName, LIST, newForm, PATH } from '../key-forms.js';
import { encoded, type Form, fieldOf, MOUNT, type Reply, servedDashboard, textIn } from '../served-dashboard.js';

const at = managed('memory');
const dashboard = servedDashboard(at, {
  apiUrl: 'https://api.acme.example/payments',
  tokenUrl: 'https://access.acme.example/connect/token',
});

const NEW_PAGE = { keys: '/keys/new?kind=secret', accessKeys: '/access-keys/new' } as const;

describe('the form', () => {
  it('asks for the kind first, and explains each kind', async () => {
    const { status, body } = await dashboard.browser((await at.account()).developer).get('/keys/new');
    expect(status).toBe(200);
    for (const path of ['/keys/new?kind=secret', '/keys/new?kind=public', '/access-keys/new']) {
      expect(body).toContain(`href="${MOUNT}${path}"`);
    }
    for (const use of [
      'Use it on your servers.',
      'Use it in browsers and mobile apps',
      'Use it on servers that use OAuth 2.0.',
    ]) {
      expect(body).toContain(use);
    }
  });

  it('offers the entitlement of the account, and nothing is checked', async () => {
    const holder = await at.account();
    const { body } = await dashboard.browser(holder.developer).get(NEW_PAGE.keys);
    for (const name of ['payments', 'disputes', 'payments:refund', 'pc_1', 'pc_3']) {
      expect(body).toContain(`value="${name}">`);
    }
    expect(body).toContain('<option value="shop">');
    expect(body).not.toMatch(/type="checkbox"[^>]* checked/);
    expect(body).not.toMatch(/name="apis.of"[^>]* checked/);
  });

  it('has a text field for names if the account has all, and accepts them', async () => {
    const holder = await at.account({ apis: 'all', channels: 'all' });
    const browser = dashboard.browser(holder.developer);
    expect((await browser.get(NEW_PAGE.keys)).body).toContain('name="apis.named"');
    const form = newForm('keys', {
      apis: [],
      'apis.named': 'repository, invoices  repository',
      'channels.of': 'some',
      'channels.named': 'pc_9',
    });
    expect((await browser.post('/keys', form)).status).toBe(201);
    const [key] = (await at.management.keys.list(holder.owner)).items;
    expect(key).toMatchObject({ apis: ['repository', 'invoices'], channels: ['pc_9'] });
  });

  it.each([
    { apis: 'all', names: [] },
    { apis: 'some', names: ['payments'] },
  ])('has all that is needed in an account without scopes: %j', async ({ apis, names }) => {
    const holder = await at.account({ scopes: [] });
    const browser = dashboard.browser(holder.owner);
    const page = await browser.get('/keys/new?kind=secret');
    expect(page.body).not.toContain('<legend>Scopes</legend>');
    const form = { ...newForm('keys'), 'apis.of': apis, apis: names, 'scopes.of': fieldOf(page, 'scopes.of') ?? '' };
    expect((await browser.post('/keys', form)).status).toBe(201);
    const [key] = (await at.management.keys.list(holder.owner)).items;
    expect(key).toMatchObject({ apis: apis === 'all' ? 'all' : names, scopes: null });
  });

  it('offers only the environment of a member who has one', async () => {
    const holder = await at.account();
    const browser = dashboard.browser({ ...holder.developer, environment: 'sandbox' });
    const { body } = await browser.get('/keys/new?kind=secret&environment=live');
    expect(body.match(/name="environment" value="[a-z]+"( checked)?/g)).toEqual([
      'name="environment" value="sandbox" checked',
    ]);
  });

  it.each([
    ['secret', NEW_PAGE.keys, 'APIs'],
    ['public', '/keys/new?kind=public', 'APIs'],
    ['access', NEW_PAGE.accessKeys, 'scopes'],
  ])('for a %s key says if the account has nothing to choose from', async (_kind, path, what) => {
    const holder = await at.account({ apis: [], scopes: [] });
    const { body } = await dashboard.browser(holder.developer).get(path);
    expect(body).toContain(`Your account has no ${what} yet, so you cannot create a key.`);
    expect(body).not.toContain('<form class="settings"');
  });

  it.each(['/keys/new?kind=access', '/keys/new?kind=other', '/keys/new?kind=secret&kind=public'])(
    'does not exist for %s',
    async (path) => {
      expect((await dashboard.browser((await at.account()).developer).get(path)).status).toBe(400);
    },
  );
});

describe('from the list of an environment', () => {
  const formOf = (body: string) => /<form class="settings".*?<\/form>/s.exec(body)?.[0] ?? '';

  it.each(KEY_TYPES)('a new key of %s has that environment', async (keyType) => {
    const holder = await at.account();
    const browser = dashboard.browser(holder.owner);
    await (keyType === 'keys' ? holder.key() : holder.accessKey());
    for (const environment of ['live', 'sandbox']) {
      const list = await browser.get(`${LIST[keyType]}?environment=${environment}`);
      const kinds = keyType === 'keys' ? '/keys/new' : '/access-keys/new';
      expect(list.body).toContain(`href="${MOUNT}${kinds}?environment=${environment}"`);
      if (keyType === 'keys' && environment === 'sandbox') {
        const { body } = await browser.get(`${kinds}?environment=${environment}`);
        for (const form of ['/keys/new?kind=secret&amp;', '/keys/new?kind=public&amp;', '/access-keys/new?']) {
          expect(body).toContain(`href="${MOUNT}${form}environment=${environment}"`);
        }
      }
      const { body } = await browser.get(
        `${NEW_PAGE[keyType]}${keyType === 'keys' ? '&' : '?'}environment=${environment}`,
      );
      expect(formOf(body)).toContain(`name="environment" value="${environment}" checked`);
      const back = environment === 'sandbox' ? '?environment=sandbox' : '';
      expect(formOf(body)).toContain(`href="${MOUNT}${LIST[keyType]}${back}">Cancel</a>`);
      if (keyType === 'keys') expect(/id="expiresAt-warning"[^>]* hidden>/.test(body)).toBe(environment === 'sandbox');
    }
  });

  it.each(['/keys/new?kind=secret&environment=test', '/access-keys/new?environment=%3Cb%3E'])(
    '%s is refused',
    async (path) => {
      expect((await dashboard.browser((await at.account()).owner).get(path)).status).toBe(400);
    },
  );
});

describe.each(KEY_TYPES)('a new key of %s', (keyType) => {
  it('works, and is shown with its example command', async () => {
    const holder = await at.account();
    const made = await create(holder, keyType, { name: 'Till' });
    expect(made.status).toBe(201);
    const [key] = (await at.management[keyType].list(holder.owner)).items;
    expect(key).toMatchObject({ name: 'Till', createdBy: holder.developer.id, state: 'active' });
    const noun = keyType === 'keys' ? 'API key' : 'access key';
    expect(made.body).toContain(`<h1>The ${noun} “<bdi>Till</bdi>” was created</h1>`);
    expect(made.body).toContain(`<title>The ${noun} “Till” was created - `);
    const text = textIn(made);
    if (keyType === 'keys') {
      expect(await isAccepted(at, text)).toBe(true);
      expect(made.body).toContain(
        `curl &#39;https://api.acme.example/payments&#39; -H &#39;Authorization: Bearer ${text}&#39;`,
      );
    } else {
      expect(made.body).toContain(
        `curl &#39;https://access.acme.example/connect/token&#39; -u &#39;${key?.id}:${text}&#39; -d grant_type=client_credentials`,
      );
      expect(made.body).toMatch(new RegExp(`id="identifier"[^>]*>${key?.id}</textarea>`));
    }
  });

  it('M23 its secret is in no other response', async () => {
    const holder = await at.account();
    const made = await create(holder, keyType, { name: 'Till' });
    const [text, [key]] = [textIn(made), (await at.management[keyType].list(holder.owner)).items];
    expect(made.headers['cache-control']).toBe('no-store');
    expect(JSON.stringify(made.headers)).not.toContain(text);
    const browser = dashboard.browser(holder.owner);
    const own = `${PATH[keyType]}/${key?.id}`;
    const again = [
      LIST[keyType],
      `${LIST[keyType]}?text=Till`,
      own,
      `${own}/edit`,
      `${own}/revoke`,
      '/audit',
      '/audit.csv',
    ];
    const replies = await Promise.all(again.map((path) => browser.get(path)));
    replies.push(await browser.post(`${own}/edit`, { version: 'x' }));
    replies.push(await browser.post(`${own}/disable`, { version: '1' }));
    replies.push(await browser.get(PATH[keyType]));
    for (const { headers, body } of replies) {
      expect(headers['cache-control']).toBe('no-store');
      expect(JSON.stringify(headers) + body).not.toContain(text.slice(0, -4));
    }
  });

  it('M23 M38 the form sent again, as by a reload: nothing is created, and the page says that the secret was shown once', async () => {
    const holder = await at.account();
    const form = newForm(keyType);
    const browser = dashboard.browser(holder.developer);
    const [first, again] = [await browser.post(PATH[keyType], form), await browser.post(PATH[keyType], form)];
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(again.body).toContain('was shown only once and cannot be shown again');
    expect(again.body).not.toContain(textIn(first));
    expect((await at.management[keyType].list(holder.owner)).items).toHaveLength(1);
  });

  it('M38 the form sent twice concurrently creates one key', async () => {
    const holder = await at.account();
    const form = newForm(keyType);
    const browser = dashboard.browser(holder.developer);
    const replies = await Promise.all([1, 2, 3].map(() => browser.post(PATH[keyType], form)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 201]);
    expect((await at.management[keyType].list(holder.owner)).items).toHaveLength(1);
  });

  it('the form with changed settings and the same id is refused', async () => {
    const holder = await at.account();
    const form = newForm(keyType);
    const browser = dashboard.browser(holder.developer);
    await browser.post(PATH[keyType], form);
    const { status, body } = await browser.post(PATH[keyType], { ...form, name: 'Other' });
    expect([status, body]).toEqual([409, expect.stringContaining('so this submission was ignored.')]);
    expect(body).not.toContain('No changes were made.');
    expect((await at.management[keyType].list(holder.owner)).items).toHaveLength(1);
  });

  it('each form has its own id', async () => {
    const browser = dashboard.browser((await at.account()).developer);
    const ids = await Promise.all([1, 2].map(async () => fieldOf(await browser.get(NEW_PAGE[keyType]), 'formId')));
    expect(ids[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(ids[0]).not.toBe(ids[1]);
  });

  it.each(['', 'x', '../x'])('a form with the id %j creates nothing', async (formId) => {
    const holder = await at.account();
    expect((await create(holder, keyType, { formId })).status).toBe(400);
    expect((await at.management[keyType].list(holder.owner)).items).toEqual([]);
  });

  it('M24 the response is lost: the key is listed as never used, and can be revoked', async () => {
    const holder = await at.account();
    await cutOff(holder, keyType);
    await eventually(async () => (await at.management[keyType].list(holder.owner)).items.length === 1);
    const browser = dashboard.browser(holder.owner);
    const [key] = (await at.management[keyType].list(holder.owner)).items;
    const page = await browser.get(`${PATH[keyType]}/${key?.id}`);
    expect((await browser.get(LIST[keyType])).body).toContain(String(key?.id));
    expect(page.body).toContain('Never used.');
    expect(textIn(page)).toBe('');
    expect((await browser.post(`${PATH[keyType]}/${key?.id}/revoke`, { confirm: String(key?.id) })).status).toBe(303);
    expect((await at.management[keyType].list(holder.owner)).items).toEqual([]);
  });
});

describe('the page with the secret', () => {
  const named = servedDashboard(at, { productName: 'Acme Pay' });

  it('says what was created, and offers a file that is named after the product and the key', async () => {
    const holder = await at.account();
    const browser = named.browser(holder.developer);
    const form = newForm('keys', { name: 'Order service', environment: 'sandbox', expiresAt: '2030-01-15' });
    const { body } = await browser.post('/keys', form);
    const text = body.replace(/<[^>]+>/g, '');
    expect(text).toContain('Copy the secret key now and store it safely.');
    expect(text).toContain('Environment: Sandbox &middot; APIs: payments &middot; Expires: End of 15 Jan 2030, UTC (');
    expect(text).toContain('The .env file order-service.env sets the variable ACME_PAY_KEY.');
    expect(body).toMatch(
      /<a [^>]*download="order-service.env" href="data:text\/plain;charset=utf-8,ACME_PAY_KEY%3Dsk_/,
    );
    expect(body).not.toMatch(/keyward_/i);
    // The script empties the secret, and the command with the secret, when the page is left.
    expect(body.match(/<textarea [^>]*data-once>/g)).toHaveLength(2);
    const access = (await browser.post('/access-keys', newForm('accessKeys'))).body.replace(/<[^>]+>/g, '');
    expect(access).toContain('Copy the client secret now and store it safely.');
    expect(access).toContain('Environment: Live &middot; Scopes: payments &middot; Expires: never');
  });

  it('has the name of the product in its title, like the page of an error', async () => {
    const browser = named.browser((await at.account()).developer);
    expect((await browser.get('/')).body).toContain('<title>API keys - Acme Pay</title>');
    expect((await browser.get('/nothing')).body).toContain('<title>Not found - Acme Pay</title>');
  });
});

describe('a public key', () => {
  it('is shown with a note that it is not a secret, and again on its page', async () => {
    const holder = await at.account();
    const made = await create(holder, 'keys', { kind: 'public', 'apis.of': [], 'scopes.of': [] });
    expect([made.status, made.body]).toEqual([201, expect.stringContaining('A public key is not a secret')]);
    expect(made.body).not.toContain('data-once');
    const [key] = (await at.management.keys.list(holder.owner)).items;
    expect(key?.publicKey).toBe(textIn(made));
    const page = await dashboard.browser(holder.developer).get(`/keys/${key?.id}`);
    expect(textIn(page)).toBe(textIn(made));
  });
});

describe('settings', () => {
  it('are stored with the key', async () => {
    const holder = await at.account();
    const form: Form = {
      ...{
        environment: 'sandbox',
        'scopes.of': 'some',
        scopes: ['payments', 'disputes'],
        apis: ['payments', 'disputes'],
      },
      ...{ 'channels.of': 'some', channels: 'pc_2', platform: 'shop', expiresAt: '2030-01-15' },
    };
    expect((await create(holder, 'keys', form)).status).toBe(201);
    expect((await at.management.keys.list(holder.owner)).items[0]).toMatchObject({
      ...{ environment: 'sandbox', apis: ['payments', 'disputes'], scopes: ['payments', 'disputes'], name: null },
      // The whole of the day.
      ...{ channels: ['pc_2'], platform: 'shop', expiresAt: new Date('2030-01-16T00:00:00Z') },
    });
  });

  it('of an access key are stored too', async () => {
    const holder = await at.account();
    const form: Form = {
      scopes: ['payments', 'payments:refund'],
      'defaultScopes.of': 'some',
      defaultScopes: 'payments',
    };
    expect((await create(holder, 'accessKeys', form)).status).toBe(201);
    const [key] = (await at.management.accessKeys.list(holder.owner)).items;
    expect(key).toMatchObject({ scopes: ['payments', 'payments:refund'], defaultScopes: ['payments'] });
  });

  it.each<[string, Form, string]>([
    ['neither all nor some', { 'apis.of': [], apis: [] }, 'apis'],
    ['all and some', { 'apis.of': 'all' }, 'apis'],
    ['some, and none', { apis: [] }, 'apis'],
    ['an API that the account lacks', { apis: 'repository' }, 'apis'],
    ['a scope that it lacks', { 'scopes.of': 'some', scopes: 'repository' }, 'scopes'],
    ['a channel that it lacks', { 'channels.of': 'some', channels: 'pc_9' }, 'channels'],
    ['a platform that it lacks', { platform: 'other', 'channels.of': 'some', channels: 'pc_1' }, 'platform'],
    ['a platform with every channel', { platform: 'shop' }, 'channels'],
    [
      'a platform with two channels',
      { platform: 'shop', 'channels.of': 'some', channels: ['pc_1', 'pc_2'] },
      'channels',
    ],
    ['a day that was', { expiresAt: '2001-01-01' }, 'expiresAt'],
    ['no day', { expiresAt: 'soon' }, 'expiresAt'],
    ['a day that there is not', { expiresAt: '2030-02-31' }, 'expiresAt'],
    ['a name too long', { name: 'x'.repeat(101) }, 'name'],
    ['another environment', { environment: 'test' }, 'environment'],
    ['all APIs on a public key', { kind: 'public', 'apis.of': 'all', apis: [] }, 'apis'],
  ])('%s: 400, with the message at the field, and the input is kept', async (_what, more, field) => {
    const holder = await at.account();
    const form = newForm('keys', { name: 'Till', ...more });
    const reply = await dashboard.browser(holder.developer).post('/keys', form);
    expect(reply.status).toBe(400);
    expect(reply.body).toContain(`<a href="#field-${field}">`);
    expect(reply.body).toContain(`id="field-${field}"`);
    expect(reply.body).toContain('<title>Error: ');
    expect(fieldOf(reply, 'formId')).toBe(form.formId);
    expect(reply.body).toContain(`value="${form.name}"`);
    expect((await at.management.keys.list(holder.owner)).items).toEqual([]);
  });
});

function create(holder: Holder, keyType: KeyTypeName, more: Form): Promise<Reply> {
  return dashboard.browser(holder.developer).post(PATH[keyType], newForm(keyType, more));
}

/** Sends a form, and hangs up before the answer. */
async function cutOff(holder: Holder, keyType: KeyTypeName): Promise<void> {
  const { formHeaders, token } = dashboard.browser(holder.developer);
  const sent = request({
    ...{ port: dashboard.port, host: '127.0.0.1', method: 'POST', path: MOUNT + PATH[keyType], agent: false },
    headers: formHeaders as Record<string, string>,
  });
  sent.on('error', () => undefined);
  await new Promise<void>((resolve) => sent.end(encoded({ csrf: token, ...newForm(keyType) }), () => resolve()));
  sent.destroy();
}
