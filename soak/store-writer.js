/**
 * A process that writes to a store until it is killed: `node soak/store-writer.js <url of a store> <number of the run>`.
 * It creates, edits, rotates and revokes keys on several lanes at once, each on an account of its own. Every operation is
 * written to the pipe before it begins, and again when the store has acknowledged it.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';
import { accountRow, keyRow, openReady, secretRow } from './store-rows.js';

const [url, run] = process.argv.slice(2);
const LANES = 4;
/** Of ten operations on a lane that has keys. */
const CHANCES = ['create', 'create', 'create', 'edit', 'edit', 'edit', 'rotate', 'rotate', 'revoke', 'revoke'];
const STDOUT = 1;

const OPERATIONS = {
  account: (tx, { account }) => tx.insertAccount(accountRow(account)),
  async create(tx, { account, key, value, at }) {
    await tx.insertKey(keyRow(key, account), [secretRow(value, key)]);
    await tx.insertCreation({ account, idempotency_key: key, request: value, key_id: key, at }, 0);
  },
  async edit(tx, { key, value }) {
    const { version } = await tx.key(key);
    await tx.updateKey(key, version, { name: value });
  },
  async rotate(tx, { key, value, at }) {
    const { version } = await tx.key(key);
    const secrets = await tx.secrets(key);
    for (const { digest, ended_at } of secrets)
      if (ended_at === null) await tx.endSecret(digest, at);
      else await tx.deleteSecret(digest);
    await tx.insertSecret(secretRow(value, key));
    await tx.updateKey(key, version, {});
  },
  async revoke(tx, { key, at }) {
    const { version } = await tx.key(key);
    await tx.updateKey(key, version, { revoked_at: at });
  },
};

const store = await openReady(url);
await Promise.all(Array.from({ length: LANES }, (_, lane) => write(`acc_${run}_${lane}`)));

async function write(account) {
  const live = [];
  await perform(account, { what: 'account' });
  for (;;) {
    const key = live[Math.floor(Math.random() * live.length)];
    const what = key === undefined ? 'create' : CHANCES[Math.floor(Math.random() * CHANCES.length)];
    const operation = {
      what,
      key: what === 'create' ? `key_${randomUUID()}` : key,
      value: randomBytes(32).toString('hex'),
    };
    await perform(account, operation);
    if (what === 'create') live.push(operation.key);
    if (what === 'revoke') live.splice(live.indexOf(key), 1);
  }
}

/** One transaction, of as many rows as management writes. */
async function perform(account, { what, key, value }) {
  const id = randomUUID();
  report({ account, id, what, key, value });
  await store.repository.transact(async (tx) => {
    await OPERATIONS[what](tx, { account, key, value, at: Date.now() });
    const subject = key ?? account;
    const empty = { role: null, before: null, after: null, origin: null };
    await tx.audit({ at: Date.now(), account, actor: 'soak', action: what, outcome: id, subject, ...empty });
    tx.notify(key === undefined ? { account } : { key });
  });
  report({ account, done: id });
}

function report(line) {
  writeSync(STDOUT, `${JSON.stringify(line)}\n`);
}
