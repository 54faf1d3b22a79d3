/** JSON at random that a lenient reader would take, or read in two ways. */
import fc from 'fast-check';

/** A text of JSON, and whether some object in it names a member twice. */
export interface JsonDraw {
  readonly text: string;
  readonly ambiguous: boolean;
}

const NAMES = ['a', 'b', '"', '\\', '__proto__', 'constructor', ''];
const LEAVES = ['1', '-0', '1e400', '"a"', '"a\\"b\\":1,"', '"{[,"', '"\\ud800"', '"é"', 'null', 'true'];
const space = fc.constantFrom('', '', ' ', '\n', '\r\t');
const spelledName = fc.tuple(fc.constantFrom(...NAMES), fc.boolean()).map(([name, escaped]) => ({
  name,
  text: escaped ? `"${inEscapes(name)}"` : JSON.stringify(name),
}));

const { objectNode } = fc.letrec<{ node: JsonDraw; objectNode: JsonDraw }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(...LEAVES).map((text) => ({ text, ambiguous: false })),
    tie('objectNode'),
    fc.tuple(fc.array(tie('node'), { maxLength: 3 }), space).map(([nodes, gap]) => ({
      text: `[${gap}${nodes.map(({ text }) => text).join(`${gap},`)}${gap}]`,
      ambiguous: nodes.some(({ ambiguous }) => ambiguous),
    })),
  ),
  objectNode: fc.tuple(fc.array(fc.tuple(spelledName, tie('node')), { maxLength: 3 }), space).map(([pairs, gap]) => ({
    text: `{${gap}${pairs.map(([name, node]) => `${name.text}${gap}:${gap}${node.text}`).join(`${gap},${gap}`)}${gap}}`,
    ambiguous:
      new Set(pairs.map(([{ name }]) => name)).size < pairs.length || pairs.some(([, { ambiguous }]) => ambiguous),
  })),
}));

/** Objects in good JSON, some of which name a member twice. */
export const jsonObjects: fc.Arbitrary<JsonDraw> = objectNode;

/** What somebody may put into JSON to be read in two ways, or to keep a reader busy. */
const HOSTILE_TEXTS = [
  ...['"', '\\', '{', '}', '[', ']', ',', ':', "'", '//', '/**/', '\n', '\t', '\u0000', '\u001f', '\u007f'],
  ...['\ufeff', '\u00a0', '\u2028', 'é', '\\u0061', '\\ud800', '\\x41', '\\u00', 'nul', 'True', 'NaN', 'undefined'],
  ...['01', '+1', '.5', '1.', '-', '0x1', '1e999', '1e', '"a":1,', ',"a":1', '"\\u0061":1,', '"__proto__":{"a":1},'],
];
const HOSTILE_BYTES = [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xc3]];

const hostilePieces = fc.oneof(
  { weight: 40, arbitrary: fc.constantFrom(...HOSTILE_TEXTS).map((text) => Buffer.from(text)) },
  { weight: 8, arbitrary: fc.constantFrom(...HOSTILE_BYTES).map((bytes) => Buffer.from(bytes)) },
  { weight: 4, arbitrary: fc.constant(Buffer.alloc(0)) },
  { weight: 2, arbitrary: fc.integer({ min: 26, max: 34 }).map(nested) },
  { weight: 1, arbitrary: fc.integer({ min: 990, max: 1_002 }).map(listOf) },
);
const edits = fc.array(
  fc.record({ at: fc.oneof(fc.constant(1), fc.nat()), drop: fc.constantFrom(0, 0, 1, 2), put: hostilePieces }),
  {
    maxLength: 3,
  },
);

/** A text of JSON, with hostile pieces put into some places of it. */
export function spoilt(texts: fc.Arbitrary<string>): fc.Arbitrary<Buffer> {
  return fc.tuple(texts, edits).map(([text, list]) => {
    let bytes = Buffer.from(text);
    for (const { at, drop, put } of list) {
      const place = at % (bytes.length + 1);
      bytes = Buffer.concat([bytes.subarray(0, place), put, bytes.subarray(place + drop)]);
    }
    return bytes;
  });
}

function nested(depth: number): Buffer {
  return Buffer.from(`"d":${'['.repeat(depth)}${']'.repeat(depth)},`);
}

function listOf(length: number): Buffer {
  return Buffer.from(`"l":[${Array(length).fill('0').join()}],`);
}

function inEscapes(name: string): string {
  return [...name].map((character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
}
