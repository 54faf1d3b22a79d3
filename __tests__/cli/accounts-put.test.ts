import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type CommandLine, commandLine, typing } from '../support/command-line.js';
import { placesOf, type TestPlace } from '../support/test-stores.js';

let place: TestPlace;
let keyward: CommandLine;

beforeEach(async () => {
  place = await placesOf.SQLite();
  keyward = commandLine(place);
  await keyward.json(
    ...['accounts', 'put', 'acme', '--api', 'payments', '--api', 'disputes', '--scope', 'payments', '--scope', "it's"],
    ...['--channel', 'pc_1', '--channel', 'pc_2', '--platform', 'shop'],
  );
});

afterEach(() => place.remove());

const apis = async () => (await keyward.json<{ account: { apis: unknown } }>('accounts', 'view', 'acme')).account.apis;

describe('keyward accounts put, if an option leaves out what the account has', () => {
  it('says what was removed, and how it is restored', async () => {
    const { code, err } = await keyward.run('accounts', 'put', 'acme', '--api', 'payments', '--scope', 'payments');
    const restore = String.raw`keyward accounts put acme --api payments --api disputes --scope payments --scope 'it'\''s'`;
    expect({ code, err }).toEqual({
      code: 0,
      err: `warning: the command removed the API disputes and the scope it's from the account acme; to undo this, run: ${restore}\n`,
    });
  });

  it('says so as JSON with --json', async () => {
    const { err } = await keyward.run('accounts', 'put', 'acme', '--platform', 'market', '--json');
    const message = 'the command removed the platform shop from the account acme; to undo this, run: ';
    expect(JSON.parse(err)).toEqual({
      warning: { message: `${message}keyward accounts put acme --platform shop` },
    });
  });

  it('names what is left of "all"', async () => {
    await keyward.json('accounts', 'put', 'acme', '--api', 'all');
    const { err } = await keyward.run('accounts', 'put', 'acme', '--api', 'payments');
    expect(err).toMatch(
      /^warning: the command removed all APIs \(except payments\) from the account acme; .* put acme --api all\n$/,
    );
  });

  it.each([
    [
      ['--api', 'payments'],
      'Remove the API disputes from the account acme? Its keys will lose this access immediately. [y/N] ',
    ],
    [
      ['--channel', 'pc_2', '--platform', 'market'],
      'Remove the channel pc_1 and the platform shop from the account acme? Its keys will lose this access immediately. However, existing keys for a removed platform will still be accepted. [y/N] ',
    ],
    [
      ['--platform', 'market'],
      'Remove the platform shop from the account acme? Existing keys for a removed platform will still be accepted. [y/N] ',
    ],
  ])('asks on a terminal before it removes something: %j', async (options, question) => {
    const args = ['accounts', 'put', 'acme', ...options];
    expect(await typing(place, 'n\n', args)).toMatchObject({
      ...{ code: 1, err: `${question}the command was not confirmed, so nothing was changed\n` },
    });
    expect(await apis()).toEqual(['payments', 'disputes']);
    expect(await typing(place, 'y\n', args)).toMatchObject({
      ...{ code: 0, err: expect.stringMatching(/\[y\/N\] warning: /) },
    });
  });

  it('does not ask with --yes', async () => {
    const { code, err } = await typing(place, '', ['accounts', 'put', 'acme', '--api', 'payments', '--yes']);
    expect([code, err]).toEqual([0, expect.stringMatching(/^warning: /)]);
    expect(await apis()).toEqual(['payments']);
  });

  it.each([
    [['acme', '--api', 'disputes', '--api', 'payments', '--api', 'refunds']],
    [['acme', '--channel', 'all']],
    [['globex', '--api', 'payments']],
  ])('neither asks nor warns if nothing is removed: %j', async (args) => {
    expect(await typing(place, '', ['accounts', 'put', ...args])).toMatchObject({ code: 0, err: '' });
  });
});

describe('the help of an option that may be repeated', () => {
  it.each([
    ['accounts put', /the given values replace the existing (?:APIs|scopes|channels|platforms) of the account/g, 4],
    [
      'keys edit',
      /may be repeated; the given values replace the existing (?:APIs|scopes|channels|metadata|allowed addresses|rate limits) of the key/g,
      6,
    ],
    ['access-keys edit', /may be repeated; the given values replace the existing [a-z ]+ of the key/g, 6],
    ['keys create', /replace the existing/g, 0],
  ])('of %s says that it replaces the list', async (command, says, count) => {
    const { out } = await keyward.run(...command.split(' '), '--help');
    expect([...out.replaceAll(/\s+/g, ' ').matchAll(says)]).toHaveLength(count);
  });
});
