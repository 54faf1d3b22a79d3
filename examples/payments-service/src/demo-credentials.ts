/**
 * The credentials of the demo. They are created at the first start; a credential that was changed or revoked since then is
 * replaced at the next start.
 *
 * The store has only digests, so the values that each start prints are saved in a file beside it.
 */
import {
  type CreatedKey,
  createManagement,
  type KeySettings,
  type Management,
  ManagementError,
} from 'keyward/management';
import type { CredentialStore } from 'keyward/store';
import { changeOfAccessKey, changeOfAccount, changeOfKey } from './demo-changes.js';
import { ACCESS_KEY, ACCOUNT, DEFAULT_SCOPES, ENTITLEMENT, KEY_NAMES, KEYS, type KeyName } from './demo-keys.js';
import type { DemoStore } from './demo-store.js';
import { readSecretFile, writeSecretFile } from './secret-file.js';

const HOUR = 3_600_000;
const MEMBER = { id: 'the demo', account: ACCOUNT, permissions: ['developer'] } as const;

export interface DemoCredentials extends Readonly<Record<KeyName, string>> {
  readonly accessKeyId: string;
  readonly accessKeySecret: string;
  readonly defaultScopes: readonly string[];
}

export interface DemoStart {
  readonly credentials: DemoCredentials;
  /** One sentence for each credential that was replaced: which one, and why. */
  readonly replaced: readonly string[];
}

/** Returns the saved credentials that are still unchanged, and creates the others. */
export async function demoCredentials({ store, beside, startOver }: DemoStore): Promise<DemoStart> {
  const file = `${beside}.demo.json`;
  const management = createManagement({ store });
  const saved = (await hasAccount(management, startOver)) ? readSaved(file) : {};
  const replaced: string[] = [];
  const isUnchanged = (what: string, change: string | undefined) => {
    if (change !== undefined) replaced.push(`${what} ${change}, so it was replaced.`);
    return change === undefined;
  };

  const keys: Partial<Record<KeyName, string>> = {};
  for (const name of KEY_NAMES) {
    const secret = saved[name];
    const what = `The demo's ${KEYS[name].kind} key "${KEYS[name].name}"`;
    const isUsable = secret !== undefined && isUnchanged(what, await changeOfKey(store, name, secret));
    keys[name] = isUsable ? secret : await newKey(store, name);
  }
  const { accessKeyId: id, accessKeySecret: secret } = saved;
  const isSaved = id !== undefined && secret !== undefined;
  const isUsable = isSaved && isUnchanged(`The demo's access key ${id}`, await changeOfAccessKey(store, id, secret));
  const accessKey = isUsable ? { accessKeyId: id, accessKeySecret: secret } : await newAccessKey(management);

  const credentials = { ...(keys as Record<KeyName, string>), ...accessKey, defaultScopes: DEFAULT_SCOPES };
  writeSecretFile(file, JSON.stringify(credentials, undefined, 2));
  return { credentials, replaced };
}

/** Returns whether the account existed. If not, it is created, and has no credentials yet. */
async function hasAccount({ accounts }: Management, startOver: string): Promise<boolean> {
  const account = await accounts.view(ACCOUNT).catch((error: unknown) => {
    if (error instanceof ManagementError && error.code === 'not_found') return undefined;
    throw error;
  });
  if (account === undefined) {
    await accounts.put('the demo', ACCOUNT, ENTITLEMENT);
    return false;
  }
  const change = changeOfAccount(account);
  if (change !== undefined) {
    throw new Error(`The demo's account ${ACCOUNT} ${change}. Change it back with "keyward accounts". ${startOver}`);
  }
  return true;
}

function readSaved(file: string): Partial<DemoCredentials> {
  try {
    return JSON.parse(readSecretFile(file) ?? '{}');
  } catch {
    throw new Error(`${file} is not valid JSON. Delete it and start again; the demo then creates new credentials.`);
  }
}

async function newKey(store: CredentialStore, name: KeyName): Promise<string> {
  const settings: KeySettings = KEYS[name];
  if (name !== 'expiredKey') return secretOf(await createManagement({ store }).keys.create(MEMBER, settings));
  const yesterday = { now: () => Date.now() - 24 * HOUR, monotonic: () => performance.now() };
  const { keys } = createManagement({ store, clock: yesterday });
  return secretOf(await keys.create(MEMBER, { ...settings, expiresAt: new Date(Date.now() - HOUR) }));
}

async function newAccessKey({ accessKeys }: Management) {
  const created = await accessKeys.create(MEMBER, ACCESS_KEY);
  return { accessKeyId: created.key.id, accessKeySecret: secretOf(created) };
}

function secretOf({ secret }: Pick<CreatedKey, 'secret'>): string {
  if (secret === undefined) throw new TypeError('the new key has no secret');
  return secret;
}
