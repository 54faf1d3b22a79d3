import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { KeyView } from 'keyward/management';
import { managed, OPERATOR } from '../../support/managed.js';
import { servedDashboard } from '../served-dashboard.js';

const at = managed('memory');
const dashboard = servedDashboard(at);

const textOf = (body: string) => body.replace(/<[^>]+>/g, '').trim();
/** What was done by whom and to what, the newest entry first. */
const sentencesIn = (body: string) => [...body.matchAll(/<li><p>(.*?)<\/p>/gs)].map(([, text = '']) => textOf(text));

describe('the sentence of an entry', () => {
  it('names each operation on an API key', async () => {
    const holder = await at.account();
    const { keys } = at.management;
    const { key } = await holder.key({ name: 'Till' });
    const operations = [
      () => keys.edit(holder.owner, key.id, { version: 1, channels: ['pc_1'] }),
      () => keys.rotate(holder.owner, key.id, 60),
      () => keys.endGrace(holder.owner, key.id),
      () => keys.revoke(holder.owner, key.id),
    ];
    for (const operation of operations) {
      at.clock.advance(1_000);
      await operation();
    }
    at.clock.advance(1_000);
    await keys.import(OPERATOR, holder.id, [{ kind: 'secret', apis: ['payments'], id: 'old', digest: 'a'.repeat(64) }]);
    const { body } = await dashboard.browser(holder.developer).get('/audit');
    expect(sentencesIn(body).toReversed()).toEqual([
      `${OPERATOR} (operator) changed the settings of the account ${holder.id}`,
      `${holder.developer.id} (developer) created Till`,
      `${holder.owner.id} (owner) edited Till`,
      `${holder.owner.id} (owner) rotated Till`,
      `${holder.owner.id} (owner) ended the grace period of Till`,
      `${holder.owner.id} (owner) revoked Till`,
      `${OPERATOR} (operator) imported keys into the account`,
    ]);
    expect(body).toContain(' from 203.0.113.7</p>');
  });

  it('names each operation on an access key, and on the account', async () => {
    const holder = await at.account();
    const { accessKeys, accounts } = at.management;
    const { key } = await holder.accessKey();
    const jwk = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
    const view = () => accessKeys.view(holder.owner, key.id);
    const operations = [
      () => accessKeys.edit(holder.owner, key.id, { version: 1, name: 'Batch' }),
      () => accessKeys.rotate(holder.owner, key.id, 60),
      () => accessKeys.endGrace(holder.owner, key.id),
      () => accessKeys.addSecret(holder.owner, key.id),
      async () => accessKeys.deleteSecret(holder.owner, key.id, (await view()).secrets[0]?.id ?? ''),
      () => accessKeys.addPublicKey(holder.owner, key.id, jwk),
      async () => accessKeys.removePublicKey(holder.owner, key.id, (await view()).publicKeys[0]?.kid ?? ''),
      () => accessKeys.revoke(holder.owner, key.id),
      () => accounts.setDisabled(OPERATOR, holder.id, true),
      () => accounts.setDisabled(OPERATOR, holder.id, false),
    ];
    for (const operation of operations) {
      at.clock.advance(1_000);
      await operation();
    }
    const sentences = sentencesIn((await dashboard.browser(holder.developer).get('/audit')).body).toReversed();
    expect(sentences.slice(2)).toEqual([
      ...[
        'edited',
        'rotated',
        'ended the grace period of',
        'added a client secret to',
        'deleted a client secret from',
        'added a public key to',
        'removed a public key from',
        'revoked',
      ].map((verb) => `${holder.owner.id} (owner) ${verb} Batch`),
      `${OPERATOR} (operator) disabled the account ${holder.id}`,
      `${OPERATOR} (operator) enabled the account ${holder.id}`,
    ]);
  });

  it('says why an operation was refused, not its code', async () => {
    const holder = await at.account();
    const { keys } = at.management;
    const { key } = await holder.key({ name: 'Till' });
    await keys.edit(holder.owner, key.id, { version: 1, name: 'Desk' });
    await keys.edit(holder.owner, key.id, { version: 1, name: 'Late' }).catch(() => undefined);
    await keys.revoke(holder.owner, key.id);
    at.clock.advance(1_000);
    await keys.edit(holder.owner, key.id, { version: 3, name: 'Later' }).catch(() => undefined);
    const { body } = await dashboard.browser(holder.owner).get('/audit');
    const refused = sentencesIn(body).filter((sentence) => sentence.includes('Refused'));
    expect(refused).toEqual([
      expect.stringContaining('tried to edit Desk. Refused: the key was already revoked'),
      expect.stringContaining('tried to edit Desk. Refused: the key was changed'),
    ]);
  });
});

describe('the changes of an entry', () => {
  const changesOf = async (key: Pick<KeyView, 'id'>, holder: Awaited<ReturnType<typeof at.account>>) => {
    const { body } = await dashboard.browser(holder.owner).get(`/audit?subject=${key.id}`);
    return [...body.matchAll(/<li><p>.*?<\/p>(.*?)<p class="when">/gs)].map(([, html = '']) => html);
  };

  it.each([
    [3, { name: 'Desk', channels: ['pc_1'], scopes: ['payments'] }, false],
    [4, { name: 'Desk', channels: ['pc_1'], scopes: ['payments'], apis: ['payments', 'disputes'] }, true],
  ] as const)('are closed if there are more than three: %i', async (count, edit, isClosed) => {
    const holder = await at.account();
    const { key } = await holder.key({ name: 'Till' });
    at.clock.advance(1_000);
    await at.management.keys.edit(holder.owner, key.id, { version: 1, ...edit });
    const [changes = ''] = await changesOf(key, holder);
    expect(changes.match(/<li>/g)).toHaveLength(count);
    expect(changes.startsWith('<details class="changed"><summary>Show 4 ')).toBe(isClosed);
    if (isClosed) expect(changes).toContain('<li>APIs: <bdi>payments</bdi> &rarr; <bdi>payments, disputes</bdi></li>');
  });

  it('of an edit that also disables the key are all shown', async () => {
    const holder = await at.account();
    const { key } = await holder.key({ name: 'Till' });
    at.clock.advance(1_000);
    await at.management.keys.edit(holder.owner, key.id, { version: 1, name: 'Desk', disabled: true });
    const [changes = ''] = await changesOf(key, holder);
    expect(textOf(changes)).toContain('name: Till &rarr; Desk');
    expect(textOf(changes)).toContain('disabled: ');
    const { body } = await dashboard.browser(holder.owner).get('/audit');
    expect(sentencesIn(body)[0]).toBe(`${holder.owner.id} (owner) edited Desk`);
  });

  it('name a platform and default scopes as forms do', async () => {
    const holder = await at.account();
    const { key } = await at.management.accessKeys.create(holder.owner, { scopes: ['payments', 'disputes'] });
    at.clock.advance(1_000);
    const edit = { version: 1, defaultScopes: ['payments'], platform: 'shop', channels: ['pc_1'] } as const;
    await at.management.accessKeys.edit(holder.owner, key.id, edit);
    const [changes = ''] = await changesOf(key, holder);
    const names = [...changes.matchAll(/<li>([^:<]*):/g)].map(([, name]) => name);
    expect(names.sort()).toEqual(['channels', 'default scopes', 'e-commerce platform']);
  });

  it('show an empty list as none, unlike scopes that are not set', async () => {
    const holder = await at.account();
    const { key } = await holder.key({ scopes: [] });
    for (const [version, scopes] of [['payments'], [], null].entries()) {
      at.clock.advance(1_000);
      await at.management.keys.edit(holder.owner, key.id, { version: version + 1, scopes });
    }
    const { body } = await dashboard.browser(holder.owner).get(`/keys/${key.id}`);
    const changes = [...body.matchAll(/<li>(scopes: .*?)<\/li>/g)].map(([, html = '']) => textOf(html));
    expect(changes).toEqual([
      ...['scopes: none &rarr; all', 'scopes: payments &rarr; none', 'scopes: none &rarr; payments', 'scopes: none'],
    ]);
  });

  it('of an account show an empty list as none', async () => {
    const holder = await at.account();
    at.clock.advance(1_000);
    await at.management.accounts.put(OPERATOR, holder.id, { apis: [], scopes: [] });
    const { body } = await dashboard.browser(holder.owner).get('/audit');
    expect(textOf(body)).toMatch(/APIs: .* &rarr; none/);
    expect(textOf(body)).toMatch(/scopes: .* &rarr; none/);
  });

  it('are cut after 200 characters', async () => {
    const holder = await at.account();
    const { key } = await holder.key();
    at.clock.advance(1_000);
    await at.management.keys.edit(holder.owner, key.id, { version: 1, metadata: { a: 'x'.repeat(300) } });
    const [changes = ''] = await changesOf(key, holder);
    expect(/<bdi>([^<]*) \.\.\.<\/bdi>/.exec(changes)?.[1]?.replaceAll('&quot;', '"')).toBe(`{"a":"${'x'.repeat(194)}`);
  });

  it('name the client secret that was added or ended, and no secret that had ended before', async () => {
    const holder = await at.account();
    const { accessKeys } = at.management;
    const { key } = await holder.accessKey();
    await accessKeys.rotate(holder.owner, key.id, 0);
    at.clock.advance(1_000);
    const added = (await accessKeys.addSecret(holder.owner, key.id)).key.secrets;
    at.clock.advance(1_000);
    const deleted = added.find(({ state, hint }) => state === 'current' && hint !== added[0]?.hint);
    await accessKeys.deleteSecret(holder.owner, key.id, deleted?.id ?? '');
    const [deletion = '', addition = ''] = (await changesOf(key, holder)).map(textOf);
    expect(deletion).toBe(`secret no longer accepted: ${deleted?.hint}`);
    expect(addition).toBe(`secret added: ${added[0]?.hint}`);
  });

  it('call the value of a public key a public key', async () => {
    const holder = await at.account();
    const { key } = await holder.key({ kind: 'public' });
    at.clock.advance(1_000);
    const { hint } = (await at.management.keys.rotate(holder.owner, key.id, 0)).key;
    const [changes = ''] = (await changesOf(key, holder)).map(textOf);
    expect(changes).toBe(`public key added: ${hint}public key no longer accepted: ${key.hint}`);
  });

  it('have the titles of the settings, and times of day as they are', async () => {
    const holder = await at.account();
    const { accessKeys } = at.management;
    const { key } = await holder.accessKey();
    const jwk = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
    at.clock.advance(1_000);
    await accessKeys.addPublicKey(holder.owner, key.id, jwk);
    at.clock.advance(1_000);
    await accessKeys.edit(holder.owner, key.id, { version: 2, revokeTokens: true });
    at.clock.advance(1_000);
    await accessKeys.revoke(holder.owner, key.id);
    const [revoked = '', tokens = '', added = ''] = (await changesOf(key, holder)).map(textOf);
    expect(revoked).toMatch(/^revoked: (?:\S+ &rarr; )?\d+ Jan 2027, \d\d:\d\d UTC$/);
    expect(tokens).toMatch(/^tokens last revoked: (?:\S+ &rarr; )?\d+ \w+ \d{4}, \d\d:\d\d UTC$/);
    expect(added).toMatch(/^public keys: /);
  });
});
