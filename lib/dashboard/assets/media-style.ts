/** The CSS for small screens, touch, reduced motion and forced colors. It is appended to `style.ts`. */
export const MEDIA_STYLE_TEXT: string = `@media (max-width: 67rem) { .wide { display: none; } }
@media (max-width: 50rem) { th, td, caption { padding-inline: .375rem; } }
/* On a wide screen, the list of keys has the column Environment, so a sandbox key needs no badge. */
@media (min-width: 67.01rem) { .keys .sandbox { display: none; } }
/* On a phone, or in a narrow window, a key takes two lines: its name and state, then its hint and last use. */
@media (max-width: 47.99rem) {
  .keys, .keys tbody, .keys caption { display: block; }
  /* The menu of the member opens at the right edge of the page. Below its narrow button, it could leave the screen. */
  .inner, .head { position: relative; }
  .who { position: static; }
  .who .items { right: 1rem; }
  .keys tr { display: grid; grid-template-columns: 1fr auto; gap: 0 1rem; padding: .5rem .75rem; border-top: 1px solid var(--kw-line); }
  .keys th, .keys td { display: none; border: 0; padding: 0; min-width: 0; max-width: none; }
  .keys tbody th, .keys .state, .keys .key, .keys .used { display: block; }
  /* Column headings are invisible here, so their links must not get the focus. "Sort by" offers the same orders. */
  .keys thead .used { display: none; }
  .keys .state { grid-area: 1 / 2; align-self: center; }
  .keys .key { grid-area: 2 / 1; }
  .keys .used { grid-area: 2 / 2; color: var(--kw-muted); font-size: .8125rem; }
  .keys td code { white-space: normal; }
  table:not(.keys, .days) :is(caption, thead, tbody, tr, th, td), table:not(.keys, .days) { display: block; }
  table:not(.days) thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  table:not(.keys, .days) tbody tr { padding: .5rem 0; border-top: 1px solid var(--kw-line); }
  table:not(.keys, .days) :is(tbody th, td) { border: 0; padding: .25rem .75rem; min-width: 0; max-width: none; overflow-wrap: anywhere; }
  table:not(.keys, .days) td[data-title] { position: relative; padding-left: 9rem; min-height: 1.75rem; }
  table:not(.keys, .days) td[data-title]::before { content: attr(data-title); position: absolute; left: .75rem; width: 8rem; color: var(--kw-muted); }
  .keys .state, .keys .used { text-align: right; }
  .keys .used time::before { content: "Used "; }
  .who summary bdi { max-width: 9rem; }
  .account { border: 0; padding: 0; min-width: 0; }
  .account bdi { display: block; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  /* The product and the member are in the first row, the tabs in the second. */
  .brand { flex: 1 1 0; }
  .copy { flex-wrap: wrap; }
  .copy textarea { flex-basis: 100%; }
  .totals { display: grid; grid-template-columns: repeat(3, auto); gap: .25rem .75rem; }
  .filters .field { flex-basis: 8rem; max-width: none; }
  .filters .date { flex-basis: 40%; }
  .filters .action { flex-basis: 100%; }
  .filters .search { flex-basis: 100%; order: -1; }
}
/* On a very narrow screen, the menu button of a key is at the left edge, so its menu must open to the right. */
@media (max-width: 22rem) { .head .menu { position: static; } .head .menu .items { left: 0; right: auto; } }
@media (max-width: 30rem) { .facts > div { grid-template-columns: 7rem 1fr; gap: .75rem; padding: .25rem 0; } .facts { padding-inline: 1rem; } main, .inner { padding-inline: 1rem; } }
@media (pointer: coarse), (max-width: 47.99rem) {
  .tick { min-height: 44px; align-items: center; }
  .tick input { width: 1.5rem; height: 1.5rem; flex: none; }
}
@media (pointer: coarse) {
  .switch a, .actions .menu summary { min-height: 44px; }
  button, .button, input:not([type=checkbox], [type=radio]), select { min-height: 44px; }
  p a, dd a, li a { padding-block: .25rem; }
  .banner a, .empty a { display: inline-flex; align-items: center; min-height: 44px; padding-block: 0; }
  tbody th a, .crumb a, .activity + p a, .actions > a { display: inline-flex; align-items: center; min-height: 44px; }
}
@media (prefers-reduced-motion: no-preference) { button, .button, .card, .tabs a { transition: border-color .1s, filter .1s; } }
@media (forced-colors: active) { .tabs [aria-current] { border-color: Highlight; } }
`;
