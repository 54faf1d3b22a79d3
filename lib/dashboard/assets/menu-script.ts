/** The script for menus: they close when the user goes elsewhere. It follows `script.ts`. */
export const MENU_SCRIPT_TEXT: string = `
const menus = document.querySelectorAll('details.menu');
const closeOthers = ({ target }) => { for (const menu of menus) if (!menu.contains(target)) menu.open = false; };
// A tap outside of links causes no click on some phones.
document.addEventListener('pointerdown', closeOthers);
document.addEventListener('focusin', closeOthers);
document.addEventListener('keydown', ({ key }) => {
  if (key !== 'Escape') return;
  for (const menu of menus) {
    if (!menu.open) continue;
    menu.open = false;
    menu.querySelector('summary').focus();
  }
});
`;
