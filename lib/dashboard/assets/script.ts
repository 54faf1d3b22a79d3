/** The script of the Dashboard. Every page also works without it. */
export const SCRIPT_TEXT: string = `'use strict';
let copied = false;

// A copy button is shown only if the browser can write to the clipboard.
for (const button of document.querySelectorAll('[data-copy]')) {
  const field = document.getElementById(button.dataset.copy);
  const select = () => { if (field.select) field.select(); else getSelection().selectAllChildren(field); };
  field.addEventListener('focus', select);
  if (!navigator.clipboard) continue;
  button.hidden = false;
  const label = button.firstChild;
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(field.value ?? field.textContent);
      label.data = 'Copied';
      if ('once' in field.dataset) copied = true;
    } catch {
      field.focus();
      select();
      label.data = 'Press Ctrl+C';
    }
    setTimeout(() => { label.data = 'Copy'; }, 3000);
  });
}

// The browser asks for confirmation if the user leaves the page before copying the secret; when the page is left, the
// secret is removed from it.
const once = document.querySelectorAll('[data-once]');
if (once.length > 0) {
  for (const field of once) field.addEventListener('copy', () => { copied = true; });
  addEventListener('beforeunload', (event) => { if (!copied) event.preventDefault(); });
  const saves = document.querySelectorAll('[data-saves]');
  for (const link of saves) link.addEventListener('click', () => { copied = true; });
  addEventListener('pagehide', () => {
    for (const field of once) field.value = field.textContent = '';
    for (const link of saves) link.removeAttribute('href');
  });
}

// The filter is sent to the server while the user types, because only the server can search all pages of the list.
const filters = document.querySelector('[data-live]');
if (filters) {
  const results = document.getElementById('results');
  const found = document.getElementById('found');
  let timer;
  let asking;
  const ask = async () => {
    asking?.abort();
    asking = new AbortController();
    const { signal } = asking;
    const url = new URL(filters.action);
    for (const [name, value] of new FormData(filters)) if (value !== '') url.searchParams.append(name, value);
    try {
      const response = await fetch(url, { signal });
      const page = new DOMParser().parseFromString(await response.text(), 'text/html');
      const next = page.getElementById('results');
      if (signal.aborted) return;
      // The response is not the list, for example because the user is no longer signed in.
      if (!next) { location.assign(url); return; }
      results.replaceChildren(...next.childNodes);
      found.textContent = page.getElementById('found').textContent;
      history.replaceState(null, '', url);
    } catch {
      if (!signal.aborted) filters.submit();
    }
  };
  filters.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(ask, 200);
  });
  filters.addEventListener('submit', () => { clearTimeout(timer); asking?.abort(); });
}

// A page from the back/forward cache may be outdated, so it is loaded again.
addEventListener('pageshow', (event) => { if (event.persisted) location.reload(); });

// A double click sends a form only once.
for (const form of document.querySelectorAll('form[method=post]')) {
  let sent = false;
  form.addEventListener('submit', (event) => {
    if (sent) event.preventDefault();
    sent = true;
  });
}

// A private key is refused in the browser: the server would refuse it too, but only after it was sent.
for (const field of document.querySelectorAll('[data-public-key]')) {
  field.addEventListener('input', () => {
    const isPrivate = /PRIVATE KEY|"(?:d|k|p|q)"\\s*:/.test(field.value);
    field.setCustomValidity(isPrivate ? 'This is a private key. Paste the public key, and keep this one with the client.' : '');
  });
}

// Ticking or typing a single value selects "some", and selecting "all" clears the single values.
for (const choice of document.querySelectorAll('[data-choice]')) {
  const some = choice.querySelector('[value=some]');
  const all = choice.querySelector('[value=all]');
  if (!some) continue;
  const parts = choice.querySelectorAll('[type=checkbox], [name$=".named"]');
  for (const part of parts) part.addEventListener('input', () => { some.checked = true; });
  const apply = () => { for (const part of parts) part.disabled = all.checked; };
  choice.addEventListener('input', apply);
  if (!choice.querySelector('.error')) apply();
}

// A live secret key that does not expire is worth a warning.
for (const warning of document.querySelectorAll('[data-warns]')) {
  const field = document.getElementById(warning.dataset.warns);
  const apply = () => {
    const environment = field.form.querySelector('[name=environment]:checked');
    warning.hidden = field.value !== '' || environment?.value === 'sandbox';
  };
  field.form.addEventListener('input', apply);
  apply();
}

// Buttons that fill in a date. The server has computed it: the clock of the browser may be wrong.
for (const presets of document.querySelectorAll('[data-presets]')) {
  const field = document.getElementById(presets.dataset.presets);
  const apply = () => {
    for (const button of presets.children) button.setAttribute('aria-pressed', field.value === button.dataset.day);
  };
  presets.hidden = false;
  presets.addEventListener('click', ({ target: { dataset } }) => {
    if (dataset.day === undefined) return;
    field.value = dataset.day;
    field.dispatchEvent(new Event('input', { bubbles: true }));
  });
  field.addEventListener('input', apply);
  apply();
}

// The error of a field goes away when the field changes.
for (const error of document.querySelectorAll('.settings .error')) {
  const field = error.parentNode;
  field.addEventListener('input', () => {
    error.remove();
    field.querySelector('[aria-invalid]')?.removeAttribute('aria-invalid');
  }, { once: true });
}

// The errors get the focus, so that a screen reader reads them first.
const errors = document.getElementById('errors');
if (errors) errors.focus();
`;
