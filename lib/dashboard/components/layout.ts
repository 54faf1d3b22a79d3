/** The HTML around the content of a page. `layout` has the navigation for a member, `bareLayout` has no navigation. */
import { ICON, SCRIPT, STYLE } from '../assets/assets.js';
import { tokenField } from '../http/csrf-token.js';
import type { PageContext } from '../http/page-context.js';
import { roleTitle } from '../http/permissions.js';
import { ACCESS_KEYS, API_KEYS } from '../key-type.js';
import { type Html, html, type Piece, userText } from './html.js';

export type Tab = 'keys' | 'accessKeys' | 'audit';

const TABS: readonly { readonly tab: Tab; readonly path: string; readonly title: string }[] = [
  { tab: API_KEYS.name, path: API_KEYS.list, title: API_KEYS.title },
  { tab: ACCESS_KEYS.name, path: ACCESS_KEYS.list, title: ACCESS_KEYS.title },
  { tab: 'audit', path: '/audit', title: 'Audit log' },
];

export interface Content {
  /** The title in the browser tab. */
  readonly title: string;
  readonly tab: Tab;
  readonly main: Html;
}

export function layout({ site, base, member, browserToken }: PageContext, { title, tab, main }: Content): Html {
  // With the response header `Referrer-Policy: no-referrer`, browsers send `Origin: null` with forms, which
  // `assertSameOrigin` refuses. This element overrides the header.
  const head = html`<meta name="referrer" content="same-origin">`;
  return frame(
    { title, product: site.productName, base, stylesheet: site.stylesheet, head },
    html`<header class="bar"><div class="inner">
<p class="brand">${site.logoUrl !== undefined && html`<img src="${site.logoUrl}" alt="" width="24" height="24">`}<strong>${userText(site.productName)}</strong> <span class="account">${userText(member.account)}</span></p>
<details class="menu who"><summary><span class="unseen">Signed in as </span>${userText(member.id)}</summary>
<div class="items"><p>${userText(member.id)}<br><span class="muted">${roleTitle(member)} of ${userText(member.account)}</span></p>
${
  site.signOutUrl !== undefined &&
  html`<form method="post" action="${site.signOutUrl}">${tokenField(browserToken)}<button class="plain">Sign out</button></form>`
}</div></details>
<nav aria-label="Dashboard"><ul class="tabs">
${TABS.map(
  (entry) =>
    html`<li><a href="${base}${entry.path}"${entry.tab === tab && html` aria-current="page"`}>${entry.title}</a></li>`,
)}
</ul></nav>
</div></header>
<main id="main" tabindex="-1">
${main}
<p class="unseen" role="status" id="announcement"></p>
</main>`,
  );
}

/** The content of a page without navigation, which must not show data of a member. */
export interface BareContent {
  readonly title: string;
  readonly product: string;
  readonly base: string;
  readonly stylesheet: string | undefined;
  readonly head?: Piece;
  readonly main: Html;
}

export function bareLayout({ title, product, base, stylesheet, head, main }: BareContent): Html {
  return frame(
    { title, product, base, stylesheet, head },
    html`<main id="main" class="bare" tabindex="-1">\n${main}\n</main>`,
  );
}

interface Frame {
  readonly title: string;
  readonly product: string;
  readonly base: string;
  readonly stylesheet: string | undefined;
  readonly head?: Piece;
}

function frame({ title, product, base, stylesheet, head }: Frame, body: Html): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
${head}
<title>${title} - ${product}</title>
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
