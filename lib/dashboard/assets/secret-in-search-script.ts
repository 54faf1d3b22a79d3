/**
 * The script that shortens a complete secret in a search field to its last characters, so that the secret is not sent
 * in a URL. It is appended to `script.ts`.
 */
import { HINT_LENGTH } from '../../credentials/secret-hint.js';
import { WHOLE_SECRET } from '../../credentials/whole-secret.js';

export const SECRET_SCRIPT_TEXT: string = `
for (const field of document.querySelectorAll('[data-shortens]')) {
  field.addEventListener('input', () => {
    const secret = field.value.match(/${WHOLE_SECRET.source}/i);
    if (!secret) return;
    field.value = secret[0].slice(-${HINT_LENGTH});
    document.getElementById('shortened').hidden = false;
  });
}
`;
