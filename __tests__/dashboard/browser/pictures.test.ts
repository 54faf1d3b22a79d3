import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const DOCS = new URL('../../../docs/', import.meta.url);
const FOLDER = fileURLToPath(new URL('dashboard/', DOCS));
const PICTURES = [
  ...['access-key.png', 'access-keys.png', 'audit.png', 'disable.png', 'disabled.png', 'edit.png', 'empty.png'],
  ...['first-run.png', 'key.png', 'missing.png', 'new-access.png', 'new-secret.png', 'new.png', 'overview.png'],
  ...['phone.png', 'public.png', 'revoke.png', 'rotate.png', 'shown-once.png', 'unused.png'],
];
/** Bytes of one. */
const LARGEST = 100_000;

/** `npm run screenshots` takes them. */
describe('the pictures of the documentation', () => {
  it('are small, and each is shown in docs/dashboard.md', () => {
    const page = readFileSync(new URL('dashboard.md', DOCS), 'utf8');
    expect(readdirSync(FOLDER).sort()).toEqual(PICTURES);
    for (const name of PICTURES) {
      expect(readFileSync(FOLDER + name).length).toBeLessThan(LARGEST);
      expect(page).toContain(`](dashboard/${name})`);
    }
  });
});
