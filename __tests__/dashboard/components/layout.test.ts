import { describe, expect, it } from '@jest/globals';
import { managed } from '../../support/managed.js';
import { MOUNT, servedDashboard } from '../served-dashboard.js';

const at = managed('memory');
const plain = servedDashboard(at);
const branded = servedDashboard(at, { logoUrl: '/logo.svg?v=1', productName: 'Acme & Co', stylesheet: '/theme.css' });

describe('every page of a member', () => {
  it.each([
    ['/', '/', 'API keys'],
    ['/keys/new?kind=secret', '/', 'API keys'],
    ['/access-keys', '/access-keys', 'Access keys'],
    ['/access-keys/new', '/access-keys', 'Access keys'],
    ['/audit', '/audit', 'Audit log'],
  ])('%s marks its tab as the current one', async (path, tab, title) => {
    const { body } = await plain.browser((await at.account()).developer).get(path);
    const tabs = /<ul class="tabs">.*?<\/ul>/s.exec(body)?.[0] ?? '';
    expect([...tabs.matchAll(/<a href="([^"]*)"( aria-current="page")?>([^<]*)</g)].filter(([, , now]) => now)).toEqual(
      [expect.arrayContaining([`${MOUNT}${tab}`, title])],
    );
    expect(tabs.match(/<a /g)).toHaveLength(3);
  });

  it('is not indexed, and has a link that skips the navigation', async () => {
    const { body } = await plain.browser((await at.account()).developer).get('/');
    expect(body).toContain('<meta name="robots" content="noindex">');
    expect(body).toMatch(/<body>\s*<a class="skip" href="#main">/);
    expect(body).toContain('<main id="main" tabindex="-1">');
    expect(body).toContain('<html lang="en">');
  });

  it('has the logo, the name and the stylesheet of the site, and no sign-out without a path for it', async () => {
    const { developer } = await at.account();
    const { body } = await branded.browser(developer).get('/');
    expect(body).toContain('<img src="/logo.svg?v=1" alt="" width="24" height="24"><strong><bdi>Acme &amp; Co</bdi>');
    expect(body).toMatch(/assets\/style-[^>]*>\s*<link rel="stylesheet" href="\/theme\.css">/);
    const other = (await plain.browser(developer).get('/')).body;
    for (const absent of ['<img', 'theme.css', 'Sign out']) expect(other).not.toContain(absent);
  });

  it.each([
    [['reader'], 'Reader'],
    [['developer'], 'Developer'],
    [['owner'], 'Owner'],
    [['reader', 'owner'], 'Owner'],
  ] as const)('says who is signed in, with the highest permission of %j', async (permissions, role) => {
    const { developer, id } = await at.account();
    const { body } = await plain.browser({ ...developer, permissions }).get('/');
    expect(body.replace(/<[^>]+>/g, '')).toContain(`${developer.id}${role} of ${id}`);
  });
});
