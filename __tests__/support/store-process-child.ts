/** The other end of `startStoreProcess`: run in a process of its own. */
import { randomUUID } from 'node:crypto';
import { apiKeys } from '../../lib/api-keys/api-keys.js';
import type { CredentialVerifier } from '../../lib/contracts/credential-verifier.js';
import { PresentedCredential } from '../../lib/http/presented-credential.js';
import type { CredentialStore } from '../../lib/store/credential-store.js';
import { openStore } from '../../lib/store/open-store.js';
import type { StoreAnswer, StoreOrder } from './store-process.js';
import { accountRow, keyRow, secretRow } from './stored-rows.js';

let store: CredentialStore;
let gate: CredentialVerifier | undefined;

process.on('message', async (order: StoreOrder) => {
  const answer = await obey(order);
  if (process.connected) process.send?.(answer);
});

async function obey(order: StoreOrder): Promise<StoreAnswer> {
  if ('open' in order) {
    store = await openStore(order.open);
    return {};
  }
  if ('add' in order) return { ids: await addMany(order.add) };
  if ('fill' in order) return { code: await addMany(Number.POSITIVE_INFINITY).then(String, codeOf) };
  if ('find' in order) {
    const found = await store.resolveKey({ digest: order.find, kind: 'secret', environment: 'live', reveal: () => '' });
    return { found: found !== undefined };
  }
  if ('present' in order) return { outcome: await present(order.present) };
  if ('close' in order) {
    await store.close();
    process.disconnect();
    return {};
  }
  await revoke('revoke' in order ? order.revoke : order.revokeAndDie);
  if ('revokeAndDie' in order) process.kill(process.pid, 'SIGKILL');
  return {};
}

async function present(key: string): Promise<string> {
  gate ??= apiKeys({ resolver: store, kinds: ['secret'], environment: 'live' });
  return (await gate.verify(new PresentedCredential(key))).outcome;
}

async function addMany(count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  while (ids.length < count) ids.push(await addOne());
  return ids;
}

async function addOne(): Promise<string> {
  const id = `ack_${randomUUID()}`;
  await store.repository.transact(async (tx) => {
    if ((await tx.account('acme')) === undefined) await tx.insertAccount(accountRow());
    await tx.insertKey(keyRow({ id, kind: 'access', scopes: '[]', default_scopes: '[]' }), [secretRow(id, `${id} 1`)]);
    await new Promise((resolve) => setImmediate(resolve));
    await tx.insertSecret(secretRow(id, `${id} 2`));
    tx.notify({ accessKey: id });
  });
  return id;
}

async function revoke(id: string): Promise<void> {
  await store.repository.transact(async (tx) => {
    const row = await tx.key(id);
    await tx.updateKey(id, row?.version ?? 0, { revoked_at: Date.now() });
    tx.notify({ key: id });
  });
}

function codeOf(error: unknown): string {
  return (error as { driverCode: string }).driverCode;
}
