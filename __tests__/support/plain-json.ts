/**
 * Whether bytes are a JSON object that means one thing: RFC 8259 read word for word, by plain descent, with the bounds
 * of the reader that it is held against.
 */
export function isPlainObject(bytes: Uint8Array): boolean {
  try {
    const reader = new PlainReader(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
    return reader.isOneObject();
  } catch {
    return false;
  }
}

const DEEPEST = 32;
const MAX_MEMBERS = 1_000;
const SPACE = /[ \t\n\r]*/y;
const STRING = /"(?:[^"\\\p{Cc}]|[\u007f-\u009f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const WORD = /true|false|null/y;

class PlainReader {
  readonly #text: string;
  #at = 0;
  #members = 0;

  constructor(text: string) {
    this.#text = text;
  }

  isOneObject(): boolean {
    this.#take(SPACE);
    if (this.#text[this.#at] !== '{') return false;
    this.#value(1);
    this.#take(SPACE);
    return this.#at === this.#text.length;
  }

  #value(depth: number): void {
    this.#take(SPACE);
    const next = this.#text[this.#at];
    if (next === '{') this.#object(depth);
    else if (next === '[') this.#series(']', depth, () => this.#value(depth + 1));
    else this.#take(next === '"' ? STRING : /[tfn]/.test(next ?? '') ? WORD : NUMBER);
    this.#take(SPACE);
  }

  #object(depth: number): void {
    const names = new Set<string>();
    this.#series('}', depth, () => {
      this.#take(SPACE);
      const name = JSON.parse(this.#take(STRING));
      if (names.has(name)) throw new SyntaxError('a name twice');
      names.add(name);
      this.#take(SPACE);
      this.#take(/:/y);
      this.#value(depth + 1);
    });
  }

  #series(end: '}' | ']', depth: number, member: () => void): void {
    if (depth > DEEPEST) throw new SyntaxError('too deep');
    this.#at += 1;
    this.#take(SPACE);
    if (this.#text[this.#at] === end) {
      this.#at += 1;
      return;
    }
    for (;;) {
      this.#members += 1;
      if (this.#members > MAX_MEMBERS) throw new SyntaxError('too many members');
      member();
      if (this.#take(/[,}\]]/y) === ',') continue;
      if (this.#text[this.#at - 1] !== end) throw new SyntaxError('another end');
      return;
    }
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [taken] = pattern.exec(this.#text) ?? [];
    if (taken === undefined) throw new SyntaxError(`not what stands at ${this.#at}`);
    this.#at += taken.length;
    return taken;
  }
}
