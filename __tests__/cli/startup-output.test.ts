import { expect, it } from '@jest/globals';
import type { Io, Output } from '../../lib/cli/io.js';
import type { ServedDashboard } from '../../lib/cli/serve/served-dashboard.js';
import { announcementOn } from '../../lib/cli/serve/startup-output.js';

const LINKS = { url: 'http://127.0.0.1/dashboard', account: 'acme', developer: '/sign-in?d', owner: '/sign-in?o' };
const DASHBOARD = { links: () => LINKS } as ServedDashboard;

it.each([
  ['a terminal', true, {}, true],
  ['a file', false, {}, false],
  ['a file, with --sign-in-links', false, { signInLinks: true }, true],
])('sign-in links of a Dashboard that comes later, in JSON to %s', (_what, isTerminal, settings, hasLinks) => {
  let out = '';
  const output: Output = {
    write(text) {
      out += text;
    },
    flush: async () => undefined,
    isTerminal,
  };
  // The links go to standard output, whatever standard error is.
  const stderr: Output = { ...output, isTerminal: !isTerminal };
  const announcement = announcementOn({ stdout: output, stderr } as Io, { json: true, ...settings });
  announcement.later({ state: 'chosen', account: 'acme' }, DASHBOARD);
  const { developer, owner, ...place } = LINKS;
  expect(JSON.parse(out)).toEqual({ dashboard: hasLinks ? { ...place, developer, owner } : place });
});
