/**
 * The script that closes an open menu when the member presses Escape, or clicks or focuses something outside it. It is
 * appended to `script.ts`.
 */
export const MENU_SCRIPT_TEXT: string = `
const menus = document.querySelectorAll('details.menu');
const closeOthers = ({ target }) => { for (const menu of menus) if (!menu.contains(target)) menu.open = false; };
// The event is not click: on some phones, a tap on text or on the background causes no click event.
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
