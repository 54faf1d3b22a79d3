import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { KeyView, Management, PublicKeyInput } from 'keyward/management';
import { type Holder, managed, OPERATOR, refusalOf, refusing } from '../support/managed.js';
import { engines } from '../support/test-stores.js';

interface Made {
  readonly holder: Holder;
  readonly key: KeyView;
  readonly access: KeyView;
}

type Work = (management: Management, made: Made) => Promise<unknown>;

const CREATING: Readonly<Record<string, Work>> = {
  'create a secret key': ({ keys }, { holder }) => keys.create(holder.owner, { kind: 'secret', apis: ['payments'] }),
  'create a public key': ({ keys }, { holder }) =>
    keys.create(holder.developer, { kind: 'public', apis: ['payments'] }),
  'create an access key': ({ accessKeys }, { holder }) => accessKeys.create(holder.developer, { scopes: ['payments'] }),
  'rotate a key': ({ keys }, { holder, key }) => keys.rotate(holder.owner, key.id),
  'rotate an access key': ({ accessKeys }, { holder, access }) => accessKeys.rotate(holder.owner, access.id),
  'add a secret': ({ accessKeys }, { holder, access }) => accessKeys.addSecret(holder.owner, access.id),
};

const PUBLIC_JWK = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }) as PublicKeyInput;

const CLOSING: Readonly<Record<string, Work>> = {
  'view, list and read the audit': async ({ keys, audit }, { holder, key }) => {
    await keys.view(holder.developer, key.id);
    await keys.list(holder.developer);
    await audit(holder.developer);
  },
  'end a grace period': ({ keys }, { holder, key }) => keys.endGrace(holder.owner, key.id),
  'disable a key': ({ keys }, { holder, key }) =>
    keys.edit(holder.owner, key.id, { version: key.version, disabled: true }),
  'revoke tokens': ({ accessKeys }, { holder, access }) =>
    accessKeys.edit(holder.owner, access.id, { version: access.version, revokeTokens: true }),
  'revoke a key': ({ keys }, { holder, key }) => keys.revoke(holder.owner, key.id),
};

describe.each(engines)('on %s, members of a disabled account', (engine) => {
  const at = managed(engine);

  async function make(): Promise<Made> {
    const holder = await at.account();
    const { key } = await holder.key();
    const { key: access } = await holder.accessKey();
    const made = { holder, key: (await at.management.keys.rotate(holder.owner, key.id, 3_600)).key, access };
    await at.management.accounts.setDisabled(OPERATOR, holder.id, true);
    return made;
  }

  it.each(Object.entries(CREATING))('N35 cannot %s', async (_what, create) => {
    const made = await make();
    const { holder } = made;
    expect(await refusalOf(create(at.management, made))).toEqual(refusing(403, 'forbidden'));
    expect((await holder.story()).at(-1)).toMatchObject({ outcome: 'refused', after: { refused: 'forbidden' } });
    const keys = [...(await at.management.keys.list(holder.owner)).items].concat(
      (await at.management.accessKeys.list(holder.owner)).items,
    );
    expect(keys).toEqual([made.key, made.access]);
    await at.management.accounts.setDisabled(OPERATOR, holder.id, false);
    await create(at.management, made);
  });

  it('cannot add a public key', async () => {
    const { holder, access } = await make();
    const add = () => at.management.accessKeys.addPublicKey(holder.owner, access.id, PUBLIC_JWK);
    expect(await refusalOf(add())).toEqual(refusing(403, 'forbidden'));
    await at.management.accounts.setDisabled(OPERATOR, holder.id, false);
    expect((await add()).publicKeys).toHaveLength(1);
  });

  it.each(Object.entries(CLOSING))('can %s', async (_what, close) => {
    const made = await make();
    await close(at.management, made);
    expect((await made.holder.story()).at(-1)?.outcome).toBe('done');
  });
});
