import { inspect } from 'node:util';

const PIECE = 12;

/** Finds pieces of secrets in what a system says. */
export interface Canaries {
  /** The pieces of twelve characters that a text gives away. */
  heardIn(text: string): readonly string[];
}

/** @param secrets - The secret parts of credentials: what a prefix, a header or a claim says is not secret. */
export function canariesOf(secrets: readonly string[]): Canaries {
  const pieces = new Set(secrets.flatMap((secret) => [...piecesOf(secret)]));
  return {
    heardIn(text) {
      const heard: string[] = [];
      for (const piece of piecesOf(text)) if (pieces.has(piece)) heard.push(piece);
      return heard;
    },
  };
}

/** Every way in which a value may come to be printed. */
export function printed(value: unknown): string {
  const depth = Number.POSITIVE_INFINITY;
  const prints = [
    () => inspect(value, { depth, showHidden: true, getters: true, maxStringLength: null, maxArrayLength: null }),
    () => JSON.stringify(value),
    () => String(value),
    () => (value instanceof Error ? `${value.stack} ${inspect(value.cause, { depth, showHidden: true })}` : ''),
  ];
  return prints.map((print) => print()).join('\n');
}

function* piecesOf(text: string): Generator<string> {
  for (let at = 0; at + PIECE <= text.length; at += 1) yield text.slice(at, at + PIECE);
}
