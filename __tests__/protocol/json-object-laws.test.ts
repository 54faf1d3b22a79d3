import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { parseJsonObject } from '../../lib/protocol/strict-json.js';
import { anyCharacter } from '../support/any-character.js';
import { jsonObjects, spoilt } from '../support/hostile-json.js';
import { law } from '../support/law.js';
import { isPlainObject } from '../support/plain-json.js';

const parse = (text: string) => parseJsonObject(Buffer.from(text));

describe('parseJsonObject', () => {
  law('agrees with JSON.parse on every object whose names differ', () =>
    fc.property(
      fc.dictionary(fc.string({ unit: anyCharacter }), fc.jsonValue({ maxDepth: 4 }), { maxKeys: 5 }),
      (value) => {
        expect(JSON.stringify(parse(JSON.stringify(value)))).toBe(JSON.stringify(value));
        expect(JSON.stringify(parse(JSON.stringify(value, null, '\t')))).toBe(JSON.stringify(value));
      },
    ),
  );

  law('refuses a name that comes twice, at any depth and in any spelling, and nothing else', () =>
    fc.property(jsonObjects, (node) => {
      const { text, ambiguous } = node;
      expect(JSON.stringify(parse(text))).toBe(ambiguous ? undefined : JSON.stringify(JSON.parse(text)));
    }),
  );

  law('takes of hostile JSON what a plain reader takes, as JSON.parse reads it, and throws for nothing', () =>
    fc.property(spoilt(jsonObjects.map(({ text }) => text)), (bytes) => {
      const expected = isPlainObject(bytes) ? JSON.stringify(JSON.parse(bytes.toString())) : undefined;
      expect(JSON.stringify(parseJsonObject(bytes))).toBe(expected);
    }),
  );
});
