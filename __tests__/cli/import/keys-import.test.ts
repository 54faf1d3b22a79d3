import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { digestOf } from '../../../lib/credentials/digest.js';
import { transcriptOnDatabase } from '../../support/transcript.js';

const keyward = transcriptOnDatabase();

let file: string;

beforeEach(async () => {
  file = join(keyward.folder, 'keys.csv');
  await keyward.json(
    ...['accounts', 'put', 'acme', '--api', 'payments', '--api', 'disputes', '--scope', 'payments:read'],
    ...['--channel', 'pc_1', '--channel', 'pc_2', '--platform', 'shop'],
  );
});

/** How long it took is the only number that differs from run to run. */
const withoutTimes = (text: string) =>
  text.replace(/in [\d.]+ s \(\d+ per second\)/, 'in N s (N per second)').replace(/"seconds":[\d.]+/, '"seconds":0');

async function importing(text: string | Buffer, ...args: string[]): Promise<string> {
  writeFileSync(file, text);
  return withoutTimes(await keyward.run('keys', 'import', file, '--account', 'acme', ...args));
}

const HEADING = 'digest,kind,apis,id,name,scopes,channels,platform,hint,environment,created_at,expires_at';
const COLUMNS = HEADING.split(',');
const lineOf = (key: string, cells: Readonly<Record<string, string>> = {}) =>
  COLUMNS.map((name) => cells[name] ?? { digest: digestOf(key), kind: 'secret', apis: 'payments' }[name] ?? '').join();

describe('the whole output of keyward keys import', () => {
  it('with every column, then again, and what list and view print of these keys', async () => {
    const full = lineOf('full', {
      ...{ apis: 'payments  disputes', id: 'old-7', name: '"Till, ""two"""', scopes: 'payments:read' },
      ...{ channels: 'pc_1', platform: 'shop', hint: 'live_1234', environment: 'sandbox' },
      ...{ created_at: '2020-01-02T03:04:05.678+01:00', expires_at: '2099-01-01' },
    });
    const few = lineOf('few', { id: 'old-8', kind: 'public', channels: 'all' });
    const all = lineOf('all', { id: 'old-9', apis: 'all', channels: 'pc_1 pc_2' });
    const text = [HEADING, full, few, all, ''].join('\n');
    expect(await importing(text)).toMatchSnapshot();
    expect(await importing(text, '--json')).toMatchSnapshot();
    for (const id of ['old-7', 'old-8', 'old-9']) expect(await keyward.both('keys', 'view', id)).toMatchSnapshot();
  });

  it('with each mistake in a line', async () => {
    const lines = [
      ...[{ digest: 'x' }, { digest: '' }, { kind: 'private' }, { kind: '' }, { kind: 'access' }, { apis: '' }],
      ...[{ apis: 'payouts' }, { kind: 'public', apis: 'all' }, { id: 'a b' }, { environment: 'test' }],
      ...[{ name: 'n'.repeat(101) }, { scopes: 'other' }, { channels: 'pc_3' }, { platform: 'market' }],
      ...[{ platform: 'shop', channels: 'pc_1 pc_2' }, { hint: 'h'.repeat(101) }, { created_at: 'yesterday' }],
      ...[{ created_at: '1969-12-31' }, { expires_at: 'tomorrow' }, { expires_at: '2020-01-01' }],
      ...[{ created_at: '2030-01-01' }],
    ].map((cells, at) => lineOf(`key ${at}`, cells));
    const faults = [`${lineOf('a')},`, 'few,cells', lineOf('b', { name: '"open' }), lineOf('c', { name: '\uFFFD' })];
    const text = [HEADING, ...lines, ...faults, lineOf('twice'), lineOf('twice'), lineOf('good'), ''].join('\n');
    expect(await importing(text)).toMatchSnapshot();
    expect(await importing(text, '--json')).toMatchSnapshot();
  });

  it('with more mistakes than are printed, in two batches', async () => {
    const bad = (count: number) => Array.from({ length: count }, (_, at) => lineOf(`bad ${at}`, { kind: 'x' }));
    const good = (from: number, count: number) => Array.from({ length: count }, (_, at) => lineOf(`${from + at}`));
    const text = [HEADING, ...bad(30), ...good(0, 970), ...bad(30), ...good(1_000, 970), ...good(2_000, 5)].join('\n');
    const lines = (await importing(text)).split('\n');
    expect(lines.filter((line) => line.startsWith('line '))).toHaveLength(50);
    expect(lines.filter((line) => !line.startsWith('line '))).toMatchSnapshot();
  });

  it.each([
    ['no column', ''],
    ['a blank heading', ' \n'],
    ['a key in the first line', `${lineOf('x')}\n`],
    ['an unsupported column', 'digest,kind,apis,owner\n'],
    ['two unsupported columns', 'digest,owner,kind,apis,team\n'],
    ['a column twice', 'digest,kind,apis,digest\n'],
    ['two columns twice', 'digest,kind,apis,digest,apis\n'],
    ['a missing column', 'digest,kind\n'],
    ['three missing columns', 'name\n'],
  ])('of a file with %s', async (_what, text) => {
    expect(await importing(text)).toMatchSnapshot();
    expect(await importing(text, '--json')).toMatchSnapshot();
  });

  it('of a file that does not exist, is a folder, or has no such line', async () => {
    const other = (path: string) => keyward.run('keys', 'import', path, '--account', 'acme');
    expect(await other(join(keyward.folder, 'none.csv'))).toMatchSnapshot();
    expect(await other(keyward.folder)).toMatchSnapshot();
    expect(await importing(`${HEADING}\n${lineOf('a')}\n`, '--from-line', '9')).toMatchSnapshot();
    expect(await importing(`${HEADING}\n${lineOf('a')}\n`, '--account', 'nobody')).toMatchSnapshot();
    expect(await importing(`${HEADING}\n`)).toMatchSnapshot();
  });

  it('that cannot be read to its end', async () => {
    const endless = 'x'.repeat(1_000_001);
    expect(await importing([HEADING, lineOf('a'), endless].join('\n'))).toMatchSnapshot();
    const many = Array.from({ length: 999 }, (_, at) => lineOf(`${at}`));
    expect(await importing([HEADING, 'bad', ...many, endless].join('\n'), '--json')).toMatchSnapshot();
  });
});
