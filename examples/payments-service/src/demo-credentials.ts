/**
 * The credentials of the demo: made once, by the key management that a platform's Dashboard stands on. One that is no
 * longer what the demo says of it gets another in its place.
 *
 * The store holds digests alone, so what is to be printed again at the next start is kept in a file beside it.
 */
import {
  type CreatedKey,
  createManagement,
  type KeySettings,
  type Management,
  ManagementError,
} from 'keyward/management';
import type { CredentialStore } from 'keyward/store';
import { faultOfAccessKey, faultOfAccount, faultOfKey } from './demo-faults.js';
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
  /** What has another in its place, and why: a sentence each. */
  readonly renewed: readonly string[];
}

/** Those of an earlier start, where they hold, and new ones. */
export async function demoCredentials({ store, beside, toBeginAnew }: DemoStore): Promise<DemoStart> {
  const file = `${beside}.demo.json`;
  const management = createManagement({ store });
  const kept = (await hasAccount(management, toBeginAnew)) ? keptIn(file) : {};
  const renewed: string[] = [];
  const isGood = (what: string, fault: string | undefined) => {
    if (fault !== undefined) renewed.push(`${what} ${fault}. There is a new one in its place.`);
    return fault === undefined;
  };

  const texts: Partial<Record<KeyName, string>> = {};
  for (const name of KEY_NAMES) {
    const text = kept[name];
    const what = `The demo's ${KEYS[name].kind} key "${KEYS[name].name}"`;
    const holds = text !== undefined && isGood(what, await faultOfKey(store, name, text));
    texts[name] = holds ? text : await newKey(store, name);
  }
  const { accessKeyId: id, accessKeySecret: secret } = kept;
  const isKept = id !== undefined && secret !== undefined;
  const holds = isKept && isGood(`The demo's access key ${id}`, await faultOfAccessKey(store, id, secret));
  const accessKey = holds ? { accessKeyId: id, accessKeySecret: secret } : await newAccessKey(management);

  const credentials = { ...(texts as Record<KeyName, string>), ...accessKey, defaultScopes: DEFAULT_SCOPES };
  writeSecretFile(file, JSON.stringify(credentials, undefined, 2));
  return { credentials, renewed };
}

/** Whether the account is there; a new one has no credentials yet. */
async function hasAccount({ accounts }: Management, toBeginAnew: string): Promise<boolean> {
  const account = await accounts.view(ACCOUNT).catch((error: unknown) => {
    if (error instanceof ManagementError && error.code === 'not_found') return undefined;
    throw error;
  });
  if (account === undefined) {
    await accounts.put('the demo', ACCOUNT, ENTITLEMENT);
    return false;
  }
  const fault = faultOfAccount(account);
  if (fault !== undefined) {
    throw new Error(`The demo's account ${ACCOUNT} ${fault}. Undo that with "keyward accounts". ${toBeginAnew}`);
  }
  return true;
}

function keptIn(file: string): Partial<DemoCredentials> {
  try {
    return JSON.parse(readSecretFile(file) ?? '{}');
  } catch {
    throw new Error(`${file} cannot be read. Delete it, and start again: the demo makes other credentials.`);
  }
}

async function newKey(store: CredentialStore, name: KeyName): Promise<string> {
  const settings: KeySettings = KEYS[name];
  if (name !== 'expiredKey') return textOf(await createManagement({ store }).keys.create(MEMBER, settings));
  const yesterday = { now: () => Date.now() - 24 * HOUR, monotonic: () => performance.now() };
  const { keys } = createManagement({ store, clock: yesterday });
  return textOf(await keys.create(MEMBER, { ...settings, expiresAt: new Date(Date.now() - HOUR) }));
}

async function newAccessKey({ accessKeys }: Management) {
  const made = await accessKeys.create(MEMBER, ACCESS_KEY);
  return { accessKeyId: made.key.id, accessKeySecret: textOf(made) };
}

function textOf({ secret }: Pick<CreatedKey, 'secret'>): string {
  if (secret === undefined) throw new TypeError('the secret of a new key is shown once');
  return secret;
}
