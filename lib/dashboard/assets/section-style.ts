/** The CSS for sections of a page: usage, activity and `<details>`. It is appended to `style.ts`. */
export const SECTION_STYLE_TEXT: string = `summary { cursor: pointer; }
.end { white-space: nowrap; }
/* Wide enough for "Copied", so that the text beside the button does not move. */
[data-copy] { min-width: 6rem; }
.copied { display: flex; gap: .25rem .5rem; align-items: center; }
.copied code { min-width: 0; }
.copied button { min-width: 4.5rem; padding-inline: .5rem; font-size: .875rem; flex: none; margin-block: -10px; }
@media (pointer: fine) { .copied button { min-height: 1.75rem; margin-block: -2px; } }
/* The hidden button keeps its space, so that nothing moves when the script shows it. */
.copied [hidden] { display: inline-flex !important; visibility: hidden; }
.section { margin: 2rem 0 .75rem; min-height: 2.5rem; }
.section > * { margin: 0; }
.usage { margin: 0 0 1.5rem; padding: 1rem 1.25rem; background: var(--kw-surface); border: 1px solid var(--kw-line); border-radius: var(--kw-radius); }
.usage h2 { margin: 0 0 .5rem; }
.usage p { margin: 0; }
.usage .scroll { margin: .5rem 0 0; }
.totals { display: flex; flex-wrap: wrap; gap: .25rem 2.5rem; margin: 0 0 .75rem; }
.totals dt { font-size: .875rem; }
.totals dd { font-size: 1.25rem; font-weight: 600; line-height: 1.25; }
figure { margin: 0 0 .5rem; color: var(--kw-accent); }
figure svg { display: block; }
figcaption span:nth-child(odd) { white-space: nowrap; }
figcaption { display: flex; justify-content: space-between; gap: 1rem; margin-top: .25rem; color: var(--kw-muted); font-size: .875rem; }
.activity { list-style: none; margin: 0 0 1rem; padding: 0; background: var(--kw-surface); border: 1px solid var(--kw-line); border-radius: var(--kw-radius); }
.activity li { padding: .75rem 1.25rem; border-top: 1px solid var(--kw-line); overflow-wrap: anywhere; }
.activity > li:first-child { border: 0; }
.activity p { margin: 0; }
.activity .changes { margin-top: .25rem; font-size: .875rem; }
.activity .changes li { padding: 0; border: 0; }
.activity .when { font-size: .875rem; color: var(--kw-muted); }
.changed { margin-top: .25rem; font-size: .875rem; }
.changed summary { color: var(--kw-muted); }
.group > summary { margin: 0 0 .75rem; font-size: 1.125rem; font-weight: 600; }
.panel > summary { font-weight: 600; }
.panel[open] > summary { margin-bottom: .5rem; }
.more { flex: 1 1 8rem; }
.more[open] { flex-basis: 100%; }
.more > summary { display: flex; align-items: center; min-height: 2.5rem; font-size: .875rem; font-weight: 600; }
.more > summary::before { content: "+"; width: 1rem; }
.more[open] > summary::before { content: "\\2212"; }
.more::details-content { display: flex; flex-wrap: wrap; gap: .75rem; }
@media (width > 47.99rem) {
  .activity > li { display: grid; grid-template-columns: 1fr auto; gap: 0 1.5rem; }
  .activity > li > * { grid-column: 1; min-width: 0; }
  .activity > li > .when { grid-area: 1 / 2; }
  /* On a wide screen all filters are side by side, without the summary. */
  @supports selector(::details-content) {
    .more { display: contents; }
    .more > summary { display: none; }
    .more::details-content { display: contents; content-visibility: visible; }
  }
}
@media (pointer: coarse) { summary { min-height: 44px; align-content: center; } }
`;
