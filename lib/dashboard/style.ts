/** The stylesheet of the Dashboard. Its custom properties are for sites to give other values. */
export const STYLE_TEXT = `:root {
  color-scheme: light dark;
  --kw-font: system-ui, sans-serif;
  --kw-mono: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
  --kw-radius: 6px;
  --kw-page: #f7f7f9;
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
main { max-width: 80rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
main:focus { outline: none; }
.bare { max-width: 32rem; padding-top: 15vh; }
.muted, .hint { color: var(--kw-muted); }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip { position: absolute; left: 1rem; top: -5rem; z-index: 1; padding: .75rem 1rem; background: var(--kw-surface); }
.skip:focus { top: .5rem; }
.bar { display: flex; flex-wrap: wrap; gap: 0 1rem; align-items: center; justify-content: space-between;
  padding: .5rem 1rem 0; background: var(--kw-surface); border-bottom: 1px solid var(--kw-line); }
.bar nav { flex-basis: 100%; }
.who { margin: 0; font-weight: 600; overflow-wrap: anywhere; }
.who .muted { font-weight: 400; margin-left: .5rem; }
.tabs, .cards { list-style: none; margin: 0; padding: 0; }
.tabs { display: flex; flex-wrap: wrap; gap: .25rem; }
.tabs a { display: inline-flex; align-items: center; min-height: 44px; padding: 0 .75rem; color: inherit; text-decoration: none;
  border-bottom: 3px solid transparent; }
.tabs a:hover { border-color: var(--kw-edge); }
.tabs [aria-current] { border-color: var(--kw-accent); font-weight: 600; }
.head { display: flex; flex-wrap: wrap; gap: 0 1rem; align-items: center; justify-content: space-between; margin-bottom: 1rem; }
.head h1 { margin: 0; }
button, .button { display: inline-flex; align-items: center; justify-content: center; min-height: 2.5rem; padding: .25rem 1rem;
  font: inherit; font-weight: 600; text-decoration: none; border: 1px solid var(--kw-accent); border-radius: var(--kw-radius);
  background: var(--kw-accent); color: var(--kw-on-accent); cursor: pointer; }
button:hover, .button:hover { filter: brightness(1.1); }
button.plain, .button.plain { background: none; border-color: var(--kw-edge); color: var(--kw-text); }
button.danger, .button.danger { background: var(--kw-danger); border-color: var(--kw-danger); color: var(--kw-on-danger); }
:disabled { opacity: .6; cursor: not-allowed; }
[hidden] { display: none; }
input, select { font: inherit; font-weight: 400; color: inherit; accent-color: var(--kw-accent); }
input:not([type=checkbox], [type=radio]), select { width: 100%; min-height: 2.5rem; padding: .25rem .625rem;
  background: var(--kw-surface); border: 1px solid var(--kw-edge); border-radius: var(--kw-radius); }
input.text { font-family: var(--kw-mono); }
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
[data-choice]:has([value=all]:checked) .ticks { opacity: .7; }
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
.needs { margin: .5rem 0 0; color: var(--kw-muted); }
.empty { padding: 2rem 1rem; }
.empty h2 { margin-top: 0; }
.filters { display: flex; flex-wrap: wrap; gap: .75rem; align-items: end; margin-bottom: 1rem; }
.filters .field { margin: 0; flex: 1 1 10rem; font-size: .875rem; }
.pages { display: flex; gap: 1.5rem; margin-top: 1rem; }
.pages a { display: inline-flex; align-items: center; min-height: 44px; }
.copy { display: flex; gap: .5rem; }
.badge { display: inline-block; padding: 0 .5rem; border: 1px solid currentColor; border-radius: 1rem; font-size: .8125rem; white-space: nowrap; }
.badge.active, .badge.done { color: var(--kw-good); }
.badge.disabled, .badge.expired { color: var(--kw-warn); }
.badge.revoked, .badge.refused { color: var(--kw-danger); }
dl { display: grid; grid-template-columns: minmax(8rem, max-content) 1fr; gap: .5rem 1.5rem; margin: 0 0 1.5rem; }
dt { color: var(--kw-muted); }
dd { margin: 0; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; margin-bottom: 1rem; background: var(--kw-surface); border: 1px solid var(--kw-line); border-radius: var(--kw-radius); }
table { width: 100%; border-collapse: collapse; font-size: .875rem; }
caption { text-align: left; padding: .5rem .75rem; color: var(--kw-muted); }
td code { white-space: nowrap; }
th, td { padding: .625rem .75rem; text-align: left; vertical-align: top; border-top: 1px solid var(--kw-line); overflow-wrap: break-word; max-width: 18rem; }
thead th { color: var(--kw-muted); font-weight: 500; white-space: nowrap; }
tbody th { min-width: 9rem; }
td { min-width: 5rem; }
/* Words stay whole; what people and machines are called may be long, and breaks before a column is out of sight. */
tbody th, td[data-title="Created by"], td[data-title=Who] { overflow-wrap: anywhere; }
td[data-title="Created by"], td[data-title=Who] { min-width: 7rem; }
td[data-title=Identifier] code, td[data-title=On] code { white-space: normal; }
@media (max-width: 80rem) { th, td, caption { padding-inline: .5rem; } }
.differs { background: var(--kw-warn-page); }
.changes { margin: 0; padding: 0; list-style: none; }
@media (max-width: 64rem) {
  .scroll { border: 0; background: none; }
  table, thead, tbody, tr, th, td { display: block; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  tbody tr { margin-bottom: 1rem; padding: .5rem 0; background: var(--kw-surface); border: 1px solid var(--kw-line); border-radius: var(--kw-radius); }
  th, tbody th, td, td[data-title] { border: 0; padding: .25rem .75rem; min-width: 0; max-width: none; overflow-wrap: anywhere; }
  tbody th { font-size: 1rem; }
  td code { white-space: normal; }
  td[data-title] { position: relative; padding-left: 9rem; min-height: 1.75rem; }
  td[data-title]::before { content: attr(data-title); position: absolute; left: .75rem; width: 8rem; color: var(--kw-muted); }
  caption { display: block; padding: 0 0 .5rem; }
}
@media (max-width: 30rem) { dl { grid-template-columns: 1fr; gap: 0; } dd { margin-bottom: .75rem; } }
@media (pointer: coarse) {
  button, .button, input:not([type=checkbox], [type=radio]), select, .tick { min-height: 44px; }
  .tick { align-items: center; }
  .tick input { width: 1.5rem; height: 1.5rem; flex: none; }
  tbody th a { display: inline-flex; align-items: center; min-height: 44px; }
}
@media (prefers-reduced-motion: no-preference) { button, .button, .card, .tabs a { transition: border-color .1s, filter .1s; } }
@media (forced-colors: active) { .tabs [aria-current] { border-color: Highlight; } }
`;
