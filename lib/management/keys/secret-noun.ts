import type { KeyView } from './key-view.js';

const NOUNS = Object.freeze({ secret: 'secret', public: 'public key', access: 'client secret' });

/** What a sentence calls the secret of a key. A public key is not secret, so its value has another name. */
export function secretNoun({ kind }: Pick<KeyView, 'kind'>): string {
  return NOUNS[kind];
}
