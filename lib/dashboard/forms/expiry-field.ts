/** The form field for the expiration date of a key, with buttons for common dates. */
import { type Html, html } from '../components/html.js';
import { formatLongDay, formatTime } from '../components/times.js';
import { describedBy, errorOf, type SettingsForm } from './field-errors.js';

const DAY = 86_400_000;

/** Buttons that fill in the date. They work only with the script. */
const PRESETS = [
  { days: 30, title: 'In 30 days' },
  { days: 90, title: 'In 90 days' },
  { days: 365, title: 'In 1 year' },
];

export function expiryField(form: SettingsForm): Html {
  const error = errorOf(form, 'expiresAt');
  return html`<div class="field"><label for="field-expiresAt">Expiration date</label>
<p class="hint" id="expiresAt-hint">The key expires at the end of the day that you choose, in UTC. Leave this empty for a key that never expires.</p>
${error !== undefined && html`<p class="error" id="expiresAt-error">${error}</p>`}
<input id="field-expiresAt" type="date" name="expiresAt" value="${form.values.expiresAt}"${describedBy('expiresAt', error)}>
${exactTime(form)}<p class="presets" hidden data-presets="field-expiresAt">${PRESETS.map(({ days, title }) =>
    presetButton(new Date(form.now + days * DAY), title),
  )}<button type="button" class="plain" data-day="">Never</button></p>
${warnsAboutExpiry(form) && html`<p class="banner" id="expiresAt-warning" data-warns="field-expiresAt"${form.values.environment === 'sandbox' && html` hidden`}>Without an expiration date, this live secret key is accepted until you revoke it. Choose a date, or rotate the key at least once a year.</p>`}</div>`;
}

/** Shows the exact time of an expiry that is not at midnight, because the date field shows only the day. */
function exactTime({ expiresAt }: SettingsForm): Html | undefined {
  if (expiresAt === undefined || expiresAt === null || expiresAt.getTime() % DAY === 0) return undefined;
  return html`<p class="hint">The key expires on ${formatTime(expiresAt)}. This exact time is kept unless you choose another date.</p>\n`;
}

/** The server computes the day, because the clock of the browser may be wrong and the day is in UTC. */
function presetButton(end: Date, title: string): Html {
  return html`<button type="button" class="plain" data-day="${end.toISOString().slice(0, 10)}" title="${formatLongDay(end)}">${title}</button> `;
}

/**
 * Whether the form contains the warning that a live secret key does not expire. The form for a new secret key always
 * contains the warning. The script hides it if the member chooses the sandbox or a date.
 */
function warnsAboutExpiry({ kind, values, isNew }: SettingsForm): boolean {
  if (kind !== 'secret') return false;
  return isNew || (values.environment === 'live' && values.expiresAt === '');
}
