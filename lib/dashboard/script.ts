/** The script of the Dashboard: comfort alone. Every page works without it. */
export const SCRIPT_TEXT = `'use strict';
let copied = false;

// Copy buttons are there where something can be copied.
for (const button of document.querySelectorAll('[data-copy]')) {
  const field = document.getElementById(button.dataset.copy);
  field.addEventListener('focus', () => field.select());
  if (!navigator.clipboard) continue;
  button.hidden = false;
  const label = button.firstChild;
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(field.value);
      label.data = 'Copied';
      if ('once' in field.dataset) copied = true;
    } catch {
      field.focus();
      label.data = 'Press Ctrl+C';
    }
    setTimeout(() => { label.data = 'Copy'; }, 3000);
  });
}

// The page that shows a secret asks before it is left, until the secret was copied; and it forgets it then.
const once = document.querySelectorAll('[data-once]');
if (once.length > 0) {
  for (const field of once) field.addEventListener('copy', () => { copied = true; });
  addEventListener('beforeunload', (event) => { if (!copied) event.preventDefault(); });
  addEventListener('pagehide', () => { for (const field of once) field.value = ''; });
}

// Rows of the page are filtered while one types; Enter asks the server, which has them all.
const table = document.querySelector('[data-filtered]');
const search = document.querySelector('.filters [name=text]');
if (table && search) {
  const started = search.value;
  search.addEventListener('input', () => {
    const wanted = search.value === started ? '' : search.value.toLowerCase();
    for (const row of table.tBodies[0].rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
  });
}

// Who names some does not mean all.
for (const choice of document.querySelectorAll('[data-choice]')) {
  const some = choice.querySelector('[value=some]');
  const all = choice.querySelector('[value=all]');
  if (!some) continue;
  const parts = choice.querySelectorAll('[type=checkbox], [name$=".named"]');
  for (const part of parts) part.addEventListener('input', () => { some.checked = true; });
  all.addEventListener('input', () => {
    for (const part of parts) if (part.type === 'checkbox') part.checked = false; else part.value = '';
  });
}

// Those who hear the page hear first what is wrong with their form.
const errors = document.getElementById('errors');
if (errors) errors.focus();
`;
