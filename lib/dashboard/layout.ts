/** What all pages have around them. */
import { isAllowed } from '../management/permissions.js';
import { ICON, SCRIPT, STYLE } from './assets.js';
import { tokenField } from './form-token.js';
import { chosen, type Html, html, type Piece } from './html.js';
import { ACCESS_KEYS, API_KEYS } from './sort.js';
import type { Visit } from './visit.js';

export type Tab = 'keys' | 'accessKeys' | 'audit';

const TABS: readonly { readonly tab: Tab; readonly path: string; readonly title: string }[] = [
  { tab: API_KEYS.name, path: API_KEYS.list, title: API_KEYS.title },
  { tab: ACCESS_KEYS.name, path: ACCESS_KEYS.list, title: ACCESS_KEYS.title },
  { tab: 'audit', path: '/audit', title: 'Audit' },
];

/** A page within the Dashboard. */
export interface Content {
  /** What the page is called, by its tab in the browser. */
  readonly title: string;
  readonly tab: Tab;
  readonly main: Html;
}

export function layout({ site, base, member, formToken }: Visit, { title, tab, main }: Content): Html {
  const role = isAllowed('edit', member.permissions) ? 'Owner' : 'Developer';
  // Under no-referrer, which the header says, browsers send forms with `Origin: null`.
  const head = html`<meta name="referrer" content="same-origin">`;
  return frame(
    { title, base, stylesheet: site.stylesheet, head },
    html`<header class="bar">
<p class="who">${chosen(member.account)} <span class="muted">${chosen(member.id)}, ${role}</span></p>
${
  site.signOutUrl !== undefined &&
  html`<form method="post" action="${site.signOutUrl}">${tokenField(formToken)}<button class="plain">Sign out</button></form>`
}
<nav aria-label="Dashboard"><ul class="tabs">
${TABS.map(
  (entry) =>
    html`<li><a href="${base}${entry.path}"${entry.tab === tab && html` aria-current="page"`}>${entry.title}</a></li>`,
)}
</ul></nav>
</header>
<main id="main" tabindex="-1">
${main}
</main>`,
  );
}

/** A page without a member: of errors, the same for everybody. */
export interface BareContent {
  readonly title: string;
  readonly base: string;
  readonly stylesheet: string | undefined;
  /** More for the head of the document. */
  readonly head?: Piece;
  readonly main: Html;
}

export function bareLayout({ title, base, stylesheet, head, main }: BareContent): Html {
  return frame({ title, base, stylesheet, head }, html`<main id="main" class="bare" tabindex="-1">\n${main}\n</main>`);
}

interface Frame {
  readonly title: string;
  readonly base: string;
  readonly stylesheet: string | undefined;
  readonly head?: Piece;
}

function frame({ title, base, stylesheet, head }: Frame, body: Html): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
${head}
<title>${title} - keyward</title>
<link rel="icon" href="${base}${ICON.path}">
<link rel="stylesheet" href="${base}${STYLE.path}">
${stylesheet !== undefined && html`<link rel="stylesheet" href="${stylesheet}">`}
<script src="${base}${SCRIPT.path}" defer></script>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
${body}
</body>
</html>
`;
}
