/** A process that fills the cache of a subject, and counts the bytes. It must run with --expose-gc. */
import { readFileSync } from 'node:fs';
import { getHeapSnapshot } from 'node:v8';
import { answer, given } from '../measure/answers.js';
import { recordOf } from '../platform/key-table.js';
import { lane, requestWith } from '../platform/request.js';
import { subjectOf } from '../subjects.js';

// Bytes are not on the heap: a credential that is read there was kept by the subject.
const bytes = readFileSync(given.file);
const [length] = [bytes.indexOf(0x0a) + 1];
const credentialAt = (number) => bytes.latin1Slice(number * length, (number + 1) * length - 1).trimEnd();
/** Those that make the code what it is when it runs, before anything is counted. */
const FIRST = 2_000;
const held = [];

/** Bytes that each of so many cached credentials takes, with its share of whatever holds them. */
async function fill({ count }) {
  const resolveKey = given.kind === 'key' ? recordByNumber() : undefined;
  await cached(0, FIRST, resolveKey);
  const before = settledHeap();
  await cached(FIRST, count, resolveKey);
  return (settledHeap() - before) / count;
}

async function cached(from, count, resolveKey) {
  const { make } = await subjectOf(given.subject);
  const middlewares = await make({ ...given.facts, capacity: count, resolveKey });
  const way = lane(middlewares);
  for (let number = from; number < from + count; number += 1) await way.send(requestWith(credentialAt(number)));
  await way.send(requestWith(credentialAt(from)));
  held.push(middlewares);
}

/** A record of its own for each lookup, and nothing kept of any. */
function recordByNumber() {
  let number = 0;
  return async () => {
    number += 1;
    return recordOf(number);
  };
}

/** How many of a hundred credentials that are cached can be read in the heap, by the half of them that proves. */
async function readable() {
  const pieces = Array.from({ length: 100 }, (_, number) =>
    Buffer.from(credentialAt(FIRST + 1 + number)).subarray(-20),
  );
  const found = new Set();
  let rest = Buffer.alloc(0);
  for await (const chunk of getHeapSnapshot()) {
    const text = Buffer.concat([rest, chunk]);
    for (const [number, piece] of pieces.entries()) if (text.includes(piece)) found.add(number);
    rest = text.subarray(-20);
  }
  return found.size;
}

function settledHeap() {
  for (let i = 0; i < 4; i += 1) globalThis.gc();
  return process.memoryUsage().heapUsed;
}

await answer(() => 'ready', { fill, readable });
