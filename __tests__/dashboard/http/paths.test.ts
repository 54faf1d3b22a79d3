import { describe, expect, it } from '@jest/globals';
import { managed } from '../../support/managed.js';
import { getRaw } from '../../support/raw-http.js';
import { MOUNT, servedDashboard } from '../served-dashboard.js';

const at = managed('memory');
const dashboard = servedDashboard(at);

describe('a path that does not exist', () => {
  it.each([
    '/..%2f..%2fpackage.json',
    '/%2e%2e/%2e%2e/package.json',
    '/../package.json',
    '/keys/..%2f..%2f..%2fpackage.json',
    '/assets/..%2f..%2fpackage.json',
    '/assets/..%5c..%5cpackage.json',
    '/assets/../../package.json',
    '/..\\..\\package.json',
    '/keys/..\\..\\package.json',
    '/%00',
    '/keys/%00',
    '/keys/key_a%00.html',
    '/assets/style.css%00',
    '/keys/%',
    '/keys/%zz',
    '/keys/%c0%ae%c0%ae',
    '/keys/%ff',
    '//evil.example',
    '/keys/key_a/edit/more',
    '/KEYS/new',
    '/assets',
    '/index.html',
    '/.env',
  ])('M44 %s: 404', async (path) => {
    const { owner } = await at.account();
    const { cookie } = dashboard.browser(owner).formHeaders;
    const { status, headers, text } = await getRaw(dashboard.port, [`Cookie: ${cookie}`], MOUNT + path);
    expect(status).toBe(404);
    // A path that leaves the mount is the host app's.
    if (!path.startsWith('/../')) expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(text).not.toContain('"name"');
  });

  it('M44 the page does not contain the requested path', async () => {
    const browser = dashboard.browser((await at.account()).owner);
    const [one, other] = [await browser.get('/none-such'), await browser.get('/keys/key_%3Cscript%3E')];
    expect(one.body).toBe(other.body);
    expect(one.body).not.toContain('none-such');
  });
});
