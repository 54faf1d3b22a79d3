import { Script } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { ASSETS, SCRIPT, STYLE } from '../../../lib/dashboard/assets/assets.js';
import { managed } from '../../support/managed.js';
import { servedDashboard } from '../served-dashboard.js';

const at = managed('memory');
const dashboard = servedDashboard(at);

describe('assets', () => {
  it.each(ASSETS.map((asset) => [asset.path, asset] as const))(
    '%s is served with its content type',
    async (path, { type, text }) => {
      const { status, headers, body } = await dashboard.browser().get(path);
      expect([status, headers['content-type'], body]).toEqual([200, type, text]);
      const head = await dashboard.browser().send('HEAD', path, {});
      expect([head.status, head.headers['content-length'], head.body]).toEqual([200, String(text.length), '']);
    },
  );

  it('are not found under another name', async () => {
    expect((await dashboard.browser().get('/assets/style.css')).status).toBe(404);
  });

  it('the script is valid and never inserts text as HTML', () => {
    expect(() => new Script(SCRIPT.text)).not.toThrow();
    expect(SCRIPT.text).not.toMatch(/innerHTML|outerHTML|insertAdjacent|document\.write|eval|Function\(|XMLHttp/);
  });

  it('the stylesheet loads nothing from other origins, and respects user preferences', () => {
    expect(STYLE.text).not.toMatch(/@import|url\(/);
    for (const query of ['prefers-color-scheme:dark', 'prefers-reduced-motion', 'pointer:coarse', 'forced-colors']) {
      expect(STYLE.text).toContain(query);
    }
  });

  it.each(['light', 'dark'])('the colors of the %s scheme have AA contrast', (scheme) => {
    const [light = '', dark = ''] = STYLE.text.split('@media (prefers-color-scheme:dark)');
    const colours = new Map([
      ...valuesIn(light),
      ...(scheme === 'dark' ? valuesIn(`${dark.split('}', 1).join()}}`) : []),
    ]);
    const ratio = (one: string, other: string) => contrast(colours.get(one) ?? '', colours.get(other) ?? '');
    for (const paper of ['page', 'surface']) {
      for (const ink of ['text', 'muted', 'accent', 'danger', 'good', 'warn']) {
        expect([paper, ink, ratio(paper, ink) >= 4.5]).toEqual([paper, ink, true]);
      }
      expect(ratio(paper, 'edge')).toBeGreaterThanOrEqual(3);
    }
    const pairs = [
      ['accent', 'on-accent'],
      ['danger', 'on-danger'],
      ['warn-page', 'text'],
      ['warn-page', 'accent'],
    ] as const;
    for (const [one, other] of pairs) expect(ratio(one, other)).toBeGreaterThanOrEqual(4.5);
  });
});

function valuesIn(css: string): readonly (readonly [string, string])[] {
  return [...css.matchAll(/--kw-([\w-]+):(#[0-9a-f]{3,6})[;}]/g)].map(([, name = '', value = '']) => [name, value]);
}

/** WCAG 2.2, "contrast ratio". */
function contrast(one: string, other: string): number {
  const [high = 0, low = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
}

function luminance(colour: string): number {
  const digits = colour.length === 4 ? [...colour.slice(1)].map((digit) => digit + digit).join('') : colour.slice(1);
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => {
    const share = Number.parseInt(digits.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
