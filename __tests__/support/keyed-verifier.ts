import { type ApiKeysOptions, apiKeys } from 'keyward';
import { PresentedCredential } from '../../lib/http/presented-credential.js';
import { cachedPrincipal } from './cached-principal.js';
import { createKeyTable, type KeyTraits } from './key-table.js';
import { createManualClock } from './manual-clock.js';

/** A verifier over a table of one key, asked without HTTP. */
export function keyedVerifier(traits: KeyTraits = {}, options: Partial<ApiKeysOptions> = {}) {
  const table = createKeyTable();
  const clock = createManualClock();
  const key = table.add(traits);
  const keys = apiKeys({ resolver: table, kinds: ['secret', 'public'], environment: 'live', clock, ...options });
  const verify = async (text = key) => keys.verify(new PresentedCredential(text));
  const cached = (text = key) => cachedPrincipal(keys, text);
  return { table, clock, key, keys, verify, cached };
}
