import { describe, expect, it } from '@jest/globals';
import type { Io } from '../../lib/cli/io.js';
import type { AccountChoice, ServedDashboard } from '../../lib/cli/serve/served-dashboard.js';
import { type Announcement, announcementOn } from '../../lib/cli/serve/startup-output.js';
import { outputInto } from '../support/command-line.js';

const LINKS = { url: 'http://127.0.0.1/dashboard', account: 'acme', developer: '/sign-in?d', owner: '/sign-in?o' };
const DASHBOARD = { links: () => LINKS } as ServedDashboard;

/** What is printed to a terminal or elsewhere, of standard output and of standard error. */
function printed(
  print: (announcement: Announcement) => void,
  { isTerminal = false, ...settings }: { isTerminal?: boolean; json?: boolean; signInLinks?: boolean },
) {
  const [out, err]: [string[], string[]] = [[], []];
  const io: Io = {
    ...{ env: {}, stdin: process.stdin },
    stdout: { ...outputInto(out), isTerminal },
    // The links go to standard output, whatever standard error is.
    stderr: { ...outputInto(err), isTerminal: !isTerminal },
  };
  print(announcementOn(io, settings));
  return { out: out.join(''), err: err.join('') };
}

const CHOSEN: AccountChoice = { state: 'chosen', account: 'acme' };
const PLACE = 'Dashboard  http://127.0.0.1/dashboard, account acme\n';
const OWNER = 'Sign in as Owner (the link works once and expires after 15 minutes):\n/sign-in?o\n';
const DEVELOPER = 'Sign in as Developer (the link works once and expires after 15 minutes):\n/sign-in?d\n';
const AGAIN = `kill -USR2 ${process.pid}\n`;

describe('a Dashboard that comes later', () => {
  it.each([
    ['a terminal', { isTerminal: true }, true],
    ['a file', {}, false],
    ['a file, with --sign-in-links', { signInLinks: true }, true],
  ])('has sign-in links in JSON to %s', (_what, settings, hasLinks) => {
    const { out, err } = printed(({ later }) => later(CHOSEN, DASHBOARD), { json: true, ...settings });
    const { developer, owner, ...place } = LINKS;
    expect(JSON.parse(out)).toEqual({ dashboard: hasLinks ? { ...place, developer, owner } : place });
    expect(err).toBe('');
  });

  it('has sign-in links as text', () => {
    expect(printed(({ later }) => later(CHOSEN, DASHBOARD), { isTerminal: true })).toEqual({
      ...{ out: `${PLACE}${OWNER}${DEVELOPER}For new sign-in links, run: ${AGAIN}`, err: '' },
    });
  });

  it('has no sign-in links as text to a file, and says why', () => {
    expect(printed(({ later }) => later(CHOSEN, DASHBOARD), {})).toEqual({
      out: `${PLACE}Sign-in links are not printed here, because the output is not a terminal. To print them anyway, run: ${AGAIN}`,
      err: '',
    });
  });
});

describe('a Dashboard that does not come', () => {
  it.each<[AccountChoice, string]>([
    [{ state: 'waiting', reason: 'there is no account' }, 'the Dashboard is not available yet: there is no account'],
    [{ state: 'none', reason: 'there are two' }, 'the Dashboard is not available: there are two'],
  ])('has a reason: %j', (choice, message) => {
    expect(printed(({ later }) => later(choice, undefined), {})).toEqual({ out: '', err: `warning: ${message}\n` });
    const { out, err } = printed(({ later }) => later(choice, undefined), { json: true });
    expect([out, JSON.parse(err)]).toEqual(['', { warning: { message } }]);
  });

  it('has none if the operator wants no Dashboard', () => {
    expect(printed(({ later }) => later({ state: 'none' }, undefined), {})).toEqual({ out: '', err: '' });
  });
});
