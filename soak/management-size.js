/** An import of many keys by the command line, and the first page of a list among them, beside the same among few. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { createManagement } from 'keyward/management';
import { openStore } from 'keyward/store';
import { median, megabytes } from './figures.js';
import { now } from './store-clock.js';
import { placesOf } from './store-places.js';

const CLI = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const FEW = 1_000;
const ROUNDS = 200;
const BOUND = 1.5;
/** Bytes: an import that kept its lines would need many times as much. */
const MAX_MEMORY = 400 * 1_048_576;

export async function managementSize(count) {
  const folder = mkdtempSync(join(tmpdir(), 'keyward-import-'));
  const figures = [];
  try {
    const files = [join(folder, 'few.csv'), join(folder, 'many.csv')];
    await writeKeys(files[0], FEW);
    await writeKeys(files[1], count);
    for (const [engine, makePlace] of Object.entries(placesOf)) {
      const places = [makePlace(), makePlace()];
      try {
        const [, many] = [await importInto(places[0], files[0]), await importInto(places[1], files[1])];
        figures.push(
          [
            `${engine}: imported`,
            `${many.imported} at ${Math.round(many.imported / many.seconds)} a second`,
            many.imported === count,
          ],
          [`${engine}: memory of the import`, `${megabytes(many.memory)} MB`, many.memory < MAX_MEMORY],
          ...(await compareLists(engine, places)),
        );
      } finally {
        await Promise.all(places.map((place) => place.remove()));
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return {
    title: `Management: ${count.toLocaleString('en')} keys imported and listed, beside ${FEW.toLocaleString('en')}`,
    figures,
  };
}

async function writeKeys(file, count) {
  const out = createWriteStream(file);
  out.write('digest,kind,apis,created_at\n');
  for (let i = 0; i < count; i += 1) {
    const digest = createHash('sha256').update(`soak key ${i}`).digest('hex');
    const kind = i % 3 === 0 ? 'public' : 'secret';
    const at = new Date(1_700_000_000_000 + i * 1_000).toISOString();
    const more = out.write(`${digest},${kind},${i % 2 === 0 ? 'payments' : 'disputes'},${at}\n`);
    if (!more) await new Promise((resolve) => out.once('drain', resolve));
  }
  out.end();
  await finished(out);
}

async function importInto({ url }, file) {
  await run(url, 'accounts', 'put', 'acme', '--api', 'payments', '--api', 'disputes');
  const { out, memory } = await run(url, 'keys', 'import', file, '--account', 'acme', '--json');
  return { ...JSON.parse(out), memory };
}

/** Runs a command; what it printed, and the most memory that was seen of it. */
async function run(url, ...args) {
  const child = spawn(process.execPath, [CLI, ...args], { env: { ...process.env, KEYWARD_DATABASE: url } });
  let [out, memory] = ['', 0];
  child.stdout.setEncoding('utf8').on('data', (text) => {
    out += text;
  });
  child.stderr.pipe(process.stderr);
  const timer = setInterval(() => {
    memory = Math.max(memory, residentOf(child.pid));
  }, 100);
  const code = await new Promise((resolve) => child.once('close', resolve));
  clearInterval(timer);
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}`);
  return { out, memory };
}

function residentOf(pid) {
  try {
    return 1_024 * Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

async function compareLists(engine, places) {
  const stores = await Promise.all(places.map(({ url }) => openStore(url)));
  const services = stores.map((store) => createManagement({ store }).keys);
  const member = { id: 'soak', account: 'acme', permissions: ['developer'] };
  const times = [[], []];
  for (let round = -10; round < ROUNDS; round += 1) {
    for (const which of round % 2 === 0 ? [0, 1] : [1, 0]) {
      const start = now();
      const { items } = await services[which].list(member, { kind: 'secret', api: 'payments' });
      if (round >= 0) times[which].push(now() - start);
      if (items.length !== 50) throw new Error(`a page has ${items.length} keys`);
    }
  }
  await Promise.all(stores.map((store) => store.close()));
  const [few, many] = times.map(median);
  const ratio = many / few;
  return [
    [`${engine}: first page among few`, `${few.toFixed(2)} ms`],
    [`${engine}: first page among many`, `${many.toFixed(2)} ms`],
    [`${engine}: ratio of the medians`, ratio.toFixed(2), ratio <= BOUND],
  ];
}
