/** The script of the Dashboard. Every page also works without it. */
export const SCRIPT_TEXT: string = `'use strict';
let copied = false;
const sent = new Set();

const announcement = document.getElementById('announcement');

// Makes each field select its text on focus. Shows its copy button only if the browser can write to the clipboard.
for (const button of document.querySelectorAll('[data-copy]')) {
  const field = document.getElementById(button.dataset.copy);
  const select = () => { if (field.select) field.select(); else getSelection().selectAllChildren(field); };
  field.addEventListener('focus', select);
  if (!navigator.clipboard) continue;
  button.hidden = false;
  const [label, name] = button.childNodes;
  let timer;
  // A screen reader reads the announcement aloud. It would not notice the new label of the button (WCAG 4.1.3).
  const show = (text, said) => {
    label.data = text;
    announcement.textContent = said;
    clearTimeout(timer);
    timer = setTimeout(() => show('Copy', ''), 3000);
  };
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(field.value ?? field.textContent);
      show('Copied', name.textContent.trim() + ' copied');
      if ('once' in field.dataset) copied = true;
    } catch {
      field.focus();
      select();
      show('Copy failed', 'Copy failed. Select the text and copy it.');
    }
  });
}

// Asks for confirmation if the member leaves the page before copying the secret. Removes the secret when the page is
// left, so that the Back button does not show it.
const once = document.querySelectorAll('[data-once]');
if (once.length > 0) {
  for (const field of once) field.addEventListener('copy', () => { copied = true; });
  addEventListener('beforeunload', (event) => {
    if (copied) return;
    event.preventDefault();
    // If the member decides to stay, the browser does not send a submitted form. The member can then submit it again.
    sent.clear();
  });
  const saves = document.querySelectorAll('[data-saves]');
  for (const link of saves) link.addEventListener('click', () => { copied = true; });
  addEventListener('pagehide', () => {
    for (const field of once) field.value = field.textContent = '';
    for (const link of saves) link.removeAttribute('href');
  });
}

// Updates the list while the member types a filter. The server filters, because the page has only a part of the list.
const filters = document.querySelector('[data-live]');
if (filters) {
  const found = document.getElementById('found');
  let timer;
  let request;
  const update = async () => {
    request?.abort();
    request = new AbortController();
    const { signal } = request;
    const url = new URL(filters.action);
    for (const [name, value] of new FormData(filters)) if (value !== '') url.searchParams.append(name, value);
    try {
      const response = await fetch(url, { signal });
      const page = new DOMParser().parseFromString(await response.text(), 'text/html');
      if (signal.aborted) return;
      // If the response has no list, for example because the session has ended, the browser opens the page instead.
      const next = page.getElementById('results');
      if (!next) { location.assign(url); return; }
      document.getElementById('results').replaceWith(next);
      const links = (of) => of.querySelectorAll('.switch a');
      links(page).forEach(({ href }, at) => { links(document)[at].href = href; });
      found.textContent = page.getElementById('found').textContent;
      history.replaceState(null, '', url);
    } catch {
      if (!signal.aborted) filters.submit();
    }
  };
  filters.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(update, 200);
  });
  filters.addEventListener('submit', () => { clearTimeout(timer); request?.abort(); });
}

// Reloads a page that the browser took from its back/forward cache, because it may be outdated.
addEventListener('pageshow', (event) => { if (event.persisted) location.reload(); });

// Sends a form only once after a double click.
for (const form of document.querySelectorAll('form[method=post]')) {
  form.addEventListener('submit', (event) => {
    if (sent.has(form)) { event.preventDefault(); return; }
    sent.add(form);
    // After 15 seconds, the form can be sent again, because the member may have stopped the request in the browser.
    setTimeout(() => sent.delete(form), 15000);
  });
}

// Refuses a private key before it is sent. The server refuses it too.
for (const field of document.querySelectorAll('[data-public-key]')) {
  field.addEventListener('input', () => {
    const isPrivate = /PRIVATE KEY|"(?:d|k|p|q)"\\s*:/.test(field.value);
    field.setCustomValidity(isPrivate ? 'This is a private key. Keep it on the client, and paste the public key instead.' : '');
  });
}

// Checking or typing a value selects "some". Selecting "all" disables the values, so that they are not sent.
for (const choice of document.querySelectorAll('[data-choice]')) {
  // An API or a scope may be called "some" too.
  const some = choice.querySelector('[type=radio][value=some]');
  const all = choice.querySelector('[type=radio][value=all]');
  if (!some) continue;
  const parts = choice.querySelectorAll('[type=checkbox], [name$=".named"]');
  for (const part of parts) part.addEventListener('input', () => { some.checked = true; });
  const apply = () => { for (const part of parts) part.disabled = all.checked; };
  choice.addEventListener('input', apply);
  if (!choice.querySelector('.error')) apply();
}

// Shows the warning for a live secret key without an expiration date.
for (const warning of document.querySelectorAll('[data-warns]')) {
  const field = document.getElementById(warning.dataset.warns);
  const apply = () => {
    const environment = field.form.querySelector('[name=environment]:checked');
    warning.hidden = field.value !== '' || environment?.value === 'sandbox';
  };
  field.form.addEventListener('input', apply);
  apply();
}

// Lets buttons fill in a date. The server computed the dates, because the clock of the browser may be wrong.
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

// Removes the error of a field when the field changes.
for (const error of document.querySelectorAll('.settings .error, .panel .error')) {
  const field = error.parentNode;
  field.addEventListener('input', () => {
    error.remove();
    field.querySelector('[aria-invalid]')?.removeAttribute('aria-invalid');
  }, { once: true });
}

// Focuses the errors, so that a screen reader reads them first.
const errors = document.getElementById('errors');
if (errors) errors.focus();
`;
