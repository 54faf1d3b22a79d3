/** The rules for sections of a page: usage, activity, and what can be closed. They follow the rules of `style.ts`. */
export const SECTION_STYLE_TEXT = `summary { cursor: pointer; }
.end { white-space: nowrap; }
.usage { margin: 0 0 1.5rem; padding: 1rem 1.25rem; background: var(--kw-surface); border: 1px solid var(--kw-line); border-radius: var(--kw-radius); }
.usage h2 { margin: 0 0 .5rem; }
.usage p { margin: 0; }
.usage .scroll { margin: .5rem 0 0; }
.totals { display: flex; flex-wrap: wrap; gap: .25rem 2.5rem; margin: 0 0 .75rem; }
.totals dt { font-size: .875rem; }
.totals dd { font-size: 1.25rem; font-weight: 600; line-height: 1.25; }
figure { margin: 0 0 .5rem; color: var(--kw-accent); }
figure svg { display: block; }
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
@media (width > 40rem) {
  .activity > li { display: grid; grid-template-columns: 1fr auto; gap: 0 1.5rem; }
  .activity > li > * { grid-column: 1; min-width: 0; }
  .activity > li > .when { grid-area: 1 / 2; }
  /* On a wide screen all filters stand side by side. */
  @supports selector(::details-content) {
    .more { display: contents; }
    .more > summary { display: none; }
    .more::details-content { display: contents; content-visibility: visible; }
  }
}
@media (pointer: coarse) { summary { min-height: 44px; align-content: center; } }
`;
