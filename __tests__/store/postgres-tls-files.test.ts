import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { openStore, type StoreWarning } from 'keyward/store';
import pg from 'pg';
import { connectionConfigOf } from '../../lib/store/postgres/connection-config.js';
import { type Eavesdropper, eavesdrop } from '../support/eavesdrop.js';
import { onDatabase } from '../support/store-database.js';
import { makeStores, type Stores } from '../support/store-places.js';
import { eventually } from '../support/store-wait.js';
import { onServer } from '../support/test-stores.js';

/** What pg knows of TLS when it connects. */
interface Tls {
  readonly ssl: unknown;
  readonly sslNegotiation: unknown;
}

const WRONG_PORT = /^openStore: the port of the PostgreSQL server is invalid; expected a number from 1 to 65535$/;

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keyward-tls-'));
  file = join(folder, 'tls.pem');
  writeFileSync(file, 'first');
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
  jest.restoreAllMocks();
});

const clientOf = (config: pg.ClientConfig) => {
  const client = new pg.Client(config);
  const { ssl, sslNegotiation } = client as unknown as Tls;
  const { host, port, user, database } = client;
  // `pg` hides the private key, so that it is not logged.
  const key = (ssl as { readonly key?: string }).key;
  return {
    tls: { ssl, sslNegotiation, key, of: (client.connection as unknown as Tls).ssl },
    host,
    port,
    user,
    database,
  };
};

describe('the TLS settings of a PostgreSQL URL', () => {
  it.each([
    ...['', 'ssl=true', 'ssl=1', 'ssl=0', 'ssl=no-verify', 'sslmode=disable', 'sslmode=prefer', 'sslmode=require'],
    ...['sslmode=verify-ca', 'sslmode=verify-full', 'sslmode=no-verify', 'sslnegotiation=direct'],
    ...['sslmode=require&sslnegotiation=direct', 'uselibpqcompat=true&sslmode=require', 'sslrootcert=FILE'],
    ...['uselibpqcompat=true&sslmode=prefer', 'uselibpqcompat=true&sslmode=disable&sslrootcert=FILE'],
    ...['sslmode=verify-full&sslrootcert=FILE&sslcert=FILE&sslkey=FILE', 'sslmode=no-verify&sslrootcert=FILE'],
    ...['sslmode=disable&sslrootcert=FILE', 'sslkey=FILE&sslmode=require&sslmode=no-verify&application_name=a%20b'],
  ])('"%s" means what it means to pg, and no client reads a file', (parameters) => {
    jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const url = `postgres://ada:p%40ss@db.test:6543/base?${parameters.replaceAll('FILE', encodeURIComponent(file))}`;
    const expected = clientOf({ connectionString: url });
    const config = connectionConfigOf(url)();
    rmSync(file);
    expect(clientOf(config)).toEqual(expected);
  });

  it.each(['uselibpqcompat=true&sslmode=require', 'uselibpqcompat=true&sslmode=verify-ca'])(
    '"%s" with a root certificate checks the certificate, but not its name',
    (parameters) => {
      const url = `postgres://db.test/base?${parameters}&sslrootcert=${encodeURIComponent(file)}`;
      expect(clientOf(connectionConfigOf(url)()).tls.ssl).toEqual({
        ...{ ca: 'first', checkServerIdentity: expect.any(Function) },
      });
    },
  );

  it('are those of the environment if the URL has none', () => {
    jest.replaceProperty(process, 'env', { ...process.env, PGSSLMODE: 'no-verify' });
    expect(clientOf(connectionConfigOf('postgres://db.test/base')()).tls.ssl).toEqual({ rejectUnauthorized: false });
  });

  it.each([1, 65_535])('are read for the port %i', (port) => {
    expect(clientOf(connectionConfigOf(`postgres://db.test/base?port=${port}`)())).toMatchObject({ port });
  });

  it('have the files as they are now, and as they were last if one cannot be read', () => {
    const config = connectionConfigOf(`postgres://db.test/base?sslrootcert=${encodeURIComponent(file)}`);
    const ca = () => (config().ssl as { readonly ca: string }).ca;
    expect(ca()).toBe('first');
    writeFileSync(file, 'second');
    expect(ca()).toBe('second');
    rmSync(file);
    expect(ca()).toBe('second');
    writeFileSync(file, 'third');
    expect(ca()).toBe('third');
  });

  it.each([
    ['a file that does not exist', 'sslrootcert=/nothing/here.pem', 'ENOENT', /^openStore: (?!.*secret)/],
    ['a parameter that pg refuses', 'sslnegotiation=never', '', /^openStore: (?!.*secret)/],
    ['a port that is not a number', 'port=x', '', WRONG_PORT],
    ['a port that is too low', 'port=0', '', WRONG_PORT],
    ['a port that is too high', 'port=65536', '', WRONG_PORT],
  ])('%s makes openStore fail at once', async (_what, parameters, driverCode, message) => {
    await expect(openStore(`postgres://ada:secret@127.0.0.1:1/none?${parameters}`)).rejects.toMatchObject({
      ...{ name: 'StoreError', code: 'store_unusable', driverCode },
      message: expect.stringMatching(message),
    });
  });
});

onServer('a TLS file that is missing while connections are replaced', () => {
  let stores: Stores;
  let events: Eavesdropper;

  beforeEach(async () => {
    stores = await makeStores('PostgreSQL');
    events = eavesdrop();
  });

  afterEach(async () => {
    events.stop();
    await stores.close();
  });

  it('ends neither the process nor the lookups, and listening begins again', async () => {
    const isListening = () =>
      events.heard<StoreWarning>('keyward:store').some(({ warning }) => warning === 'listening');
    const application = `own_${randomBytes(6).toString('hex')}`;
    const parameters = `sslmode=disable&sslrootcert=${encodeURIComponent(file)}&application_name=${application}`;
    const store = await stores.open({}, `${stores.url}&${parameters}`);
    await eventually(isListening);
    events.clear();
    rmSync(file);
    await onDatabase(
      stores.url,
      `select pg_terminate_backend(pid, 5000) from pg_stat_activity where application_name = '${application}'`,
    );
    await eventually(isListening);
    // There are more lookups than connections, so that some wait in the queue of the pool.
    const lookups = Array.from({ length: 12 }, () => store.resolveAccessKey('none'));
    expect(new Set(await Promise.all(lookups))).toEqual(new Set([undefined]));
  });
});
