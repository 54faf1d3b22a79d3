import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** An issuer that nobody here wrote: oidc-provider, in a process of its own. */
export interface ForeignIssuer {
  readonly url: string;
  /** Obtains a token for a scope and an audience. */
  obtainToken(scope: string, audience: string, headers?: Readonly<Record<string, string>>): Promise<string>;
  /** From now on it publishes keys of these names, and signs with the first; the one of the beginning is `first`. */
  publish(...keys: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/** The client of the foreign issuer. */
export const FOREIGN_CLIENT = { id: 'foreign_client', secret: 's'.repeat(43) };
const SCRIPT = fileURLToPath(new URL('oidc-provider-process.js', import.meta.url));

/** @param client - More metadata of its client, such as `token_endpoint_auth_method`. */
export async function startForeignIssuer(audience: string, client: object = {}): Promise<ForeignIssuer> {
  const child = fork(SCRIPT, [FOREIGN_CLIENT.id, FOREIGN_CLIENT.secret, audience, JSON.stringify(client)], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    execArgv: [],
  });
  // A test that gave up on it must not wait for it: it ends when we do.
  child.unref();
  child.channel?.unref();
  const started = await Promise.race([once(child, 'message'), once(child, 'exit')]);
  const url: unknown = started[0];
  if (typeof url !== 'string') throw new Error(`the foreign issuer ended: ${url}`);
  const authorization = `Basic ${Buffer.from(`${FOREIGN_CLIENT.id}:${FOREIGN_CLIENT.secret}`).toString('base64')}`;
  return {
    url,
    async obtainToken(scope, resource, others = {}) {
      const body = new URLSearchParams({ grant_type: 'client_credentials', scope, resource });
      const issued = await fetch(`${url}/token`, { method: 'POST', headers: { authorization, ...others }, body });
      const { access_token } = (await issued.json()) as { access_token?: string };
      if (access_token === undefined) throw new Error(`the foreign issuer answered ${issued.status}`);
      return access_token;
    },
    async publish(...keys) {
      child.send({ publish: keys });
      await once(child, 'message');
    },
    async close() {
      child.disconnect();
      await once(child, 'exit');
    },
  };
}
