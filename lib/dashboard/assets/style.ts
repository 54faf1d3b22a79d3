/** The stylesheet of the Dashboard. Sites can override its custom properties. */
export const STYLE_TEXT: string = `:root {
  color-scheme: light dark;
  --kw-font: system-ui, sans-serif;
  --kw-mono: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
  --kw-radius: 8px;
  --kw-width: 70rem;
  --kw-page: #f6f7f9;
  --kw-surface: #fff;
  --kw-text: #1b1b20;
  --kw-muted: #5a5a66;
  --kw-line: #dedee5;
  --kw-edge: #83838f;
  --kw-accent: #4a42c0;
  --kw-on-accent: #fff;
  --kw-danger: #b3261e;
  --kw-on-danger: #fff;
  --kw-good: #17663a;
  --kw-warn: #7a4b00;
  --kw-warn-page: #fff4dc;
}
@media (prefers-color-scheme: dark) {
  :root {
    --kw-page: #131316;
    --kw-surface: #1c1c21;
    --kw-text: #ececf1;
    --kw-muted: #a9a9b5;
    --kw-line: #34343d;
    --kw-edge: #80808e;
    --kw-accent: #aba6ff;
    --kw-on-accent: #131316;
    --kw-danger: #ffb0a8;
    --kw-on-danger: #131316;
    --kw-good: #7fd6a2;
    --kw-warn: #f3c56b;
    --kw-warn-page: #2e2613;
  }
}
*, ::before, ::after { box-sizing: border-box; }
body { margin: 0; background: var(--kw-page); color: var(--kw-text); font: 1rem/1.5 var(--kw-font); }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 1rem; overflow-wrap: anywhere; }
h2 { font-size: 1.125rem; margin: 2rem 0 .75rem; }
p { margin: 0 0 1rem; }
a { color: var(--kw-accent); }
code, .text { font-family: var(--kw-mono); font-size: .875em; overflow-wrap: anywhere; }
:focus-visible { outline: 3px solid var(--kw-accent); outline-offset: 2px; }
main, .inner { max-width: var(--kw-width); margin: 0 auto; padding-inline: 1.5rem; }
main { padding-block: 2rem 4rem; }
main:focus { outline: none; }
.bare { max-width: 32rem; padding-top: 15vh; }
.muted, .hint { color: var(--kw-muted); }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip { position: absolute; left: 1rem; top: -5rem; z-index: 1; padding: .75rem 1rem; background: var(--kw-surface); }
.skip:focus { top: .5rem; }
.bar { background: var(--kw-surface); border-bottom: 1px solid var(--kw-line); }
.inner { display: flex; flex-wrap: wrap; gap: 0 1rem; align-items: center; justify-content: space-between; padding-top: .5rem; }
.inner nav { flex-basis: 100%; }
.brand { display: flex; gap: .25rem .5rem; flex: 0 1 auto; align-items: center; margin: 0; min-height: 44px; overflow-wrap: anywhere; min-width: 0; }
.brand img { border-radius: 6px; }
.account { color: var(--kw-muted); padding-left: .75rem; border-left: 1px solid var(--kw-line); }
.tabs, .cards { list-style: none; margin: 0; padding: 0; }
.switch { display: inline-flex; border: 1px solid var(--kw-edge); border-radius: var(--kw-radius); margin: 0; padding: 0; list-style: none; }
.switch a { display: inline-flex; align-items: center; min-height: 2.5rem; padding: 0 .875rem; color: var(--kw-muted); text-decoration: none; }
.switch a[aria-current] { background: var(--kw-accent); color: var(--kw-on-accent); font-weight: 600; }
.switch li:first-child a { border-radius: 7px 0 0 7px; }
.switch li:last-child a { border-radius: 0 7px 7px 0; }
.tabs { display: flex; flex-wrap: wrap; gap: 0 1.5rem; }
.tabs a { display: inline-flex; align-items: center; min-height: 44px; color: var(--kw-muted); text-decoration: none;
  border-bottom: 2px solid transparent; }
.tabs a:hover { border-color: var(--kw-edge); color: var(--kw-text); }
.tabs [aria-current] { border-color: var(--kw-accent); color: var(--kw-text); font-weight: 600; }
.menu { position: relative; min-width: 0; }
.menu summary { display: flex; align-items: center; gap: .5rem; min-height: 44px; cursor: pointer; list-style: none; overflow-wrap: anywhere; }
.menu summary::-webkit-details-marker { display: none; }
.menu summary::after { content: ""; flex: none; width: .4rem; height: .4rem; border: solid currentColor; border-width: 0 2px 2px 0; transform: rotate(45deg) translate(-1px, -1px); }
.who { margin-left: auto; }
.who summary bdi { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; max-width: 14rem; }
.menu .items { position: absolute; right: 0; top: 100%; z-index: 2; width: max-content; min-width: 12rem; max-width: min(20rem, 85vw); padding: .5rem;
  background: var(--kw-surface); border: 1px solid var(--kw-line); border-radius: var(--kw-radius); box-shadow: 0 8px 24px #0003; overflow-wrap: anywhere; }
.menu .items p { margin: .5rem; }
.menu .items ul { list-style: none; margin: 0; padding: 0; }
.menu .items a { display: flex; align-items: center; min-height: 44px; padding: 0 .75rem; border-radius: 6px; color: inherit; text-decoration: none; }
.menu .items a:hover { background: var(--kw-page); }
.menu .items a.danger { color: var(--kw-danger); }
.menu .item { width: 100%; }
.menu button.item { justify-content: start; border: 0; background: none; color: var(--kw-muted); padding: 0 .75rem; }
.presets { display: flex; flex-wrap: wrap; gap: .5rem; margin: .5rem 0 0; }
.crumb { margin: 0 0 .25rem; overflow-wrap: anywhere; }
.ask { max-width: 40rem; padding: 1.25rem; }
.ask fieldset { border: 0; padding: 0; }
.ask .actions { margin: 0; }
.actions .menu summary { min-height: 2.5rem; padding: 0 1rem; border: 1px solid var(--kw-edge); border-radius: var(--kw-radius); font-weight: 600; }
.head { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; justify-content: space-between; margin-bottom: 1.25rem; }
.head > * { min-width: 0; }
.head h1 { margin: 0; }
button, .button { display: inline-flex; align-items: center; justify-content: center; min-height: 2.5rem; padding: .25rem 1rem;
  font: inherit; font-weight: 600; text-decoration: none; border: 1px solid var(--kw-accent); border-radius: var(--kw-radius);
  background: var(--kw-accent); color: var(--kw-on-accent); cursor: pointer; }
button:hover, .button:hover { filter: brightness(1.1); }
button.plain, .button.plain { background: none; border-color: var(--kw-edge); color: var(--kw-text); }
button.plain[aria-pressed=true] { border-color: var(--kw-accent); color: var(--kw-accent); box-shadow: inset 0 0 0 1px var(--kw-accent); }
button.danger, .button.danger { background: var(--kw-danger); border-color: var(--kw-danger); color: var(--kw-on-danger); }
:disabled { opacity: .6; cursor: not-allowed; }
/* Without this, a rule that sets display for a class would show an element with the hidden attribute. */
[hidden] { display: none !important; }
input { text-overflow: ellipsis; }
input, select { font: inherit; font-weight: 400; color: inherit; accent-color: var(--kw-accent); }
input:not([type=checkbox], [type=radio]), select { width: 100%; min-height: 2.5rem; padding: .25rem .625rem;
  background: var(--kw-surface); border: 1px solid var(--kw-edge); border-radius: var(--kw-radius); }
[aria-invalid] { border-color: var(--kw-danger); }
label, legend { font-weight: 600; }
.field { display: block; margin: 0 0 1.25rem; max-width: 40rem; }
.hint, .error { margin: 0 0 .25rem; font-weight: 400; }
.error, .errors h2 { color: var(--kw-danger); }
fieldset { margin: 0 0 1.25rem; padding: .75rem 1rem; max-width: 40rem; border: 1px solid var(--kw-line); border-radius: var(--kw-radius);
  background: var(--kw-surface); min-width: 0; }
fieldset.quiet { border: 0; padding: 0; margin: 0; background: none; }
.tick { display: flex; gap: .5rem; align-items: baseline; padding: .25rem 0; font-weight: 400; overflow-wrap: anywhere; }
.ticks { display: grid; grid-template-columns: repeat(auto-fill, minmax(13rem, 1fr)); gap: 0 1rem; }
.tick + .ticks { margin-left: 1.5rem; }
[data-choice]:has([type=radio][value=all]:checked):not(:has(.error)) :is(.ticks, .field) { display: none; }
.group { max-width: 40rem; margin: 0 0 1.5rem; padding: 1rem 1.25rem .25rem; background: var(--kw-surface); border: 1px solid var(--kw-line); border-radius: var(--kw-radius); }
.group h2 { margin: 0 0 1rem; }
/* If a link jumps to a field, its label and error above must be visible too. */
[id^=field-] { scroll-margin-top: 8rem; }
:is(.group, .ask) legend { padding: 0; }
.group fieldset { padding: 0; border: 0; }
.group .banner { margin: .75rem 0 0; }
.field textarea { width: 100%; }
.field textarea:not([readonly]) { background: var(--kw-surface); }
.actions { display: flex; flex-wrap: wrap; gap: .75rem 1rem; align-items: center; }
.errors, .banner, .status, .card, .empty, .panel, .button { overflow-wrap: anywhere; }
.errors, .banner, .status, .card, .empty, .panel { display: block; margin: 0 0 1.25rem; padding: .75rem 1rem; background: var(--kw-surface);
  border: 1px solid var(--kw-line); border-radius: var(--kw-radius); }
.errors { border-color: var(--kw-danger); }
.error::first-letter { text-transform: uppercase; }
.errors p { margin: .25rem 0 0; }
.errors h2 { margin: 0; font-size: 1rem; }
.errors ul { margin: .25rem 0 0; padding-left: 1.25rem; }
.banner { background: var(--kw-warn-page); border-color: var(--kw-warn); }
.status { border-left: 4px solid var(--kw-good); }
.card { color: inherit; text-decoration: none; max-width: 40rem; }
.card:hover { border-color: var(--kw-accent); }
.card strong { display: block; color: var(--kw-accent); }
.panel h3, .panel h2 { margin: 0 0 .25rem; font-size: 1rem; }
.panels { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 20rem), 1fr)); gap: 1.25rem; align-items: start; }
.panels .panel { margin: 0; }
.needs { margin: 0; color: var(--kw-muted); flex-basis: 100%; }
.cards { max-width: 40rem; }
.empty { padding: 2rem 1rem; }
.empty h2 { margin-top: 0; }
.filters { display: flex; flex-wrap: wrap; gap: .75rem; align-items: end; margin-bottom: 1rem; }
.filters .field { margin: 0; flex: 1 1 7rem; max-width: 16rem; font-size: .875rem; }
/* Wide enough for the longest text of each filter. */
.filters .search { flex-basis: 15rem; }
.filters .state { flex-basis: 8rem; }
.filters :is(.unused, .sort) { flex-basis: 10rem; }
.filters .date { flex-basis: 9rem; }
.filters .action { flex-basis: 18rem; max-width: 20rem; }
.pages { display: flex; gap: 1.5rem; margin-top: 1rem; }
.pages a { display: inline-flex; align-items: center; min-height: 44px; }
.copy { display: flex; gap: .5rem; align-items: start; }
textarea { width: 100%; min-width: 0; min-height: 2.5rem; font: .875rem/1.5 var(--kw-mono); color: inherit; background: var(--kw-page);
  border: 1px solid var(--kw-edge); border-radius: var(--kw-radius); padding: .5rem .625rem; word-break: break-all; }
.copy textarea { flex: 1; resize: none; field-sizing: content; }
.once .field { max-width: none; }
.steps { padding-left: 1.25rem; }
.badge { display: inline-block; padding: 0 .625rem; border: 1px solid currentColor; border-radius: 1rem; font-size: .8125rem; font-weight: 500; line-height: 1.5rem; letter-spacing: 0; white-space: nowrap; vertical-align: middle; }
.badge.sandbox { color: var(--kw-muted); }
.badge.active, .badge.done { color: var(--kw-good); }
.badge.disabled, .badge.expired { color: var(--kw-warn); }
.badge.revoked, .badge.refused { color: var(--kw-danger); }
.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 22rem), 1fr)); gap: 0 2rem; margin: 0 0 1.5rem; padding: .5rem 1.25rem;
  background: var(--kw-surface); border: 1px solid var(--kw-line); border-radius: var(--kw-radius); }
.facts > div { display: grid; grid-template-columns: 9rem 1fr; gap: 1rem; padding: .5rem 0; }
dt { color: var(--kw-muted); }
dd { margin: 0; overflow-wrap: anywhere; min-width: 0; }
.scroll { overflow-x: auto; margin-bottom: 1rem; background: var(--kw-surface); border: 1px solid var(--kw-line); border-radius: var(--kw-radius); }
table { width: 100%; border-collapse: collapse; font-size: .875rem; }
caption { text-align: left; padding: .5rem .75rem; color: var(--kw-muted); }
td code { white-space: nowrap; }
.keys tbody th { font-size: .9375rem; font-weight: 600; }
.keys tbody th a { text-underline-offset: .15em; }
.keys tbody tr:hover { background: var(--kw-page); }
th, td { padding: .625rem .75rem; text-align: left; vertical-align: top; border-top: 1px solid var(--kw-line); overflow-wrap: break-word; max-width: 18rem; }
thead th { color: var(--kw-muted); font-weight: 500; white-space: nowrap; }
thead th a { color: inherit; text-decoration: none; }
thead th a:hover { color: var(--kw-text); text-decoration: underline; }
thead th a:hover::after { content: " \\2195"; }
thead [aria-sort] a { color: var(--kw-text); font-weight: 600; }
thead [aria-sort] a::after { content: " \\2193"; }
thead [aria-sort=ascending] a::after { content: " \\2191"; }
.recent { white-space: nowrap; }
h3 { font-size: 1rem; }
.recent svg { color: var(--kw-accent); }
tbody th { min-width: 9rem; }
td { min-width: 5rem; }
/* Breaks long names and IDs, which would otherwise push a column off the screen. */
tbody th { overflow-wrap: anywhere; }
@media (max-width: 80rem) { th, td, caption { padding-inline: .5rem; } }
.differs { background: var(--kw-warn-page); }
.changes { margin: 0; padding: 0; list-style: none; }
`;
