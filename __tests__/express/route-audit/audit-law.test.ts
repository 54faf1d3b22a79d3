import { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { describe, expect } from '@jest/globals';
import express, { type IRouter } from 'express';
import fc from 'fast-check';
import { auditRoutes } from 'keyward';
import { gate, written } from '../../support/audited.js';
import { law } from '../../support/law.js';
import { requestOf } from '../../support/passage.js';

const REQUESTS = 16;

// Every refusal would write its stack down: half of the time that the law takes.
Error.stackTraceLimit = 0;

/** A number below another, out of what the law has drawn. */
type Draw = (below: number) => number;

/** The same draws for the same seed (mulberry32): a stream of fast-check's would take most of the time. */
function drawsFrom(seed: number): Draw {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** A router with what is mounted in it: gates, and the next router, or the route where there is none. */
interface Level {
  readonly parts: readonly string[];
  readonly gates: number;
  readonly caseSensitive: boolean;
}

const PARTS = ['/a', '/b', '/A', '/a.b', '/:x', written('/*x', '/*'), written('{/:x}', '/:x?')];
const levels: fc.Arbitrary<Level[]> = fc.array(
  fc.record({
    parts: fc.array(fc.constantFrom(...PARTS), { maxLength: 2 }),
    gates: fc.nat({ max: 1 }),
    caseSensitive: fc.boolean(),
  }),
  { minLength: 1, maxLength: 3 },
);

/** One path of parts; parameters of one path must have names of their own. */
const pathOf = (parts: readonly string[]) => parts.map((part, i) => part.replace('x', `x${i}`)).join('') || '/';

/** A gate that seems to stand on the way: at a part of it, each name as it is, in another case, or any. */
function gatePathFor(parts: readonly string[], draw: Draw): string {
  const part = (text: string) => [text, text, text.toUpperCase(), '/:x'][draw(4)] ?? text;
  return pathOf(parts.slice(0, draw(parts.length + 1)).map((text) => (/^\/[ab.]+$/i.test(text) ? part(text) : text)));
}

function mount(at: IRouter, [level, ...inner]: readonly Level[], handler: () => void, draw: Draw): void {
  if (level === undefined) return;
  const ahead = [level, ...inner].flatMap(({ parts }) => parts);
  for (let i = 0; i < level.gates; i += 1) at.use(gatePathFor(ahead, draw), gate);
  if (inner.length === 0) {
    at.get(pathOf(level.parts), handler);
    return;
  }
  const router = express.Router({ caseSensitive: level.caseSensitive });
  mount(router, inner, handler, draw);
  at.use(pathOf(level.parts), router);
}

/** Writes the path as somebody may who looks for a way around: other cases, more slashes, dots, escapes. */
function requestFor(path: string, draw: Draw): string {
  const choose = (...choices: string[]) => choices[draw(choices.length)] ?? '';
  return path
    .replaceAll(/\{([^}]*)\}|(\/:\w+)\?/g, (_whole, braced, marked) => choose('', braced ?? marked))
    .replaceAll(/:\w+/g, () => choose('a', 'b', 'A', 'c', 'a.b', '%61'))
    .replaceAll(/\*\w*/g, () => choose('', '/', 'a', 'b/a', '/a'))
    .replaceAll(/\/+/g, (slashes) => choose(slashes, slashes, slashes, '/', '//'))
    .replaceAll(/[a-z]/gi, (letter) => choose(letter, letter, letter, letter.toUpperCase(), letter.toLowerCase()))
    .concat(choose('', '', '', '/', '.', '/.'));
}

describe('a route that the audit reports as guarded', () => {
  law('is reached by no request without a credential, however paths, cases and routers are mixed', () =>
    fc.asyncProperty(levels, fc.boolean(), fc.nat(), async (list, caseSensitive, seed) => {
      const draw = drawsFrom(seed);
      const reachedBy: string[] = [];
      let url = '';
      const app = express();
      if (caseSensitive) app.enable('case sensitive routing');
      mount(app, list, () => void reachedBy.push(url), draw);
      const [route] = auditRoutes(app);
      if (route?.open !== false) return;
      const path = list.map(({ parts }) => parts.join('')).join('') || '/';
      const req = requestOf();
      const res = new ServerResponse(req);
      for (let i = 0; i < REQUESTS; i += 1) {
        url = requestFor(path, draw);
        app(Object.assign(req, { url, originalUrl: url }) as never, res as never, () => {});
      }
      expect(reachedBy).toEqual([]);
      // A router calls what comes after it by setImmediate: until then it holds the app and the request.
      await setImmediate();
    }),
  );
});
