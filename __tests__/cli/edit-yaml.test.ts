import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { changedYaml } from '../../lib/cli/edit-yaml.js';

/** Sets the value at a path of a YAML text. */
const change = (text: string, path: readonly string[], value: unknown) =>
  changedYaml(text, parse(text, { merge: true }), [{ path, value }]);

describe('changedYaml', () => {
  it('changes the copy of an alias, and neither its target nor another alias of it', async () => {
    const text = '# kept\na: &item\n  x: 1\nb: *item\nc: *item\n';
    expect(await change(text, ['b', 'x'], 2)).toBe('# kept\na: &item\n  x: 1\nb:\n  x: 2\nc: *item\n');
  });

  it('copies a target without the anchors inside it', async () => {
    const text = 'a: &outer\n  y: &inner\n    z: 1\nb: *outer\nc: *inner\n';
    const changed = await change(text, ['b', 'y', 'z'], 2);
    expect(parse(changed ?? '')).toEqual({ a: { y: { z: 1 } }, b: { y: { z: 2 } }, c: { z: 1 } });
    expect(changed?.match(/&inner/g)).toHaveLength(1);
  });

  it('expands an alias in a copy of an alias', async () => {
    const text = 'a: &inner\n  z: 1\nb: &outer\n  y: *inner\nc: *outer\n';
    const changed = await change(text, ['c', 'y', 'z'], 2);
    expect(parse(changed ?? '')).toEqual({ a: { z: 1 }, b: { y: { z: 1 } }, c: { y: { z: 2 } } });
  });

  it('replaces an alias at the end of the path, whose target stays', async () => {
    const text = 'a: &item [1]\nb: *item\n';
    expect(await change(text, ['b'], [2])).toBe('a: &item [ 1 ]\nb:\n  - 2\n');
  });

  it('adds a value below an alias', async () => {
    const changed = await change('a: &item\n  x: 1\nb: *item\n', ['b', 'y'], 2);
    expect(parse(changed ?? '')).toEqual({ a: { x: 1 }, b: { x: 1, y: 2 } });
  });

  it('keeps numbers, merge keys and other values as they are written', async () => {
    const text =
      'a: 0x1F\nb: 1e400\nc: 9223372036854775807\nd: 1.0\ne: -0o17\nf: ~\ng: yes\nh: "1"\ni: &i\n  x: 1\nj:\n  <<: *i\n';
    expect(await change(`${text}k: 1.50\n`, ['k'], 2)).toBe(`${text}k: 2\n`);
    expect(await change(`${text}k: 1.50\n`, ['k'], 2.5)).toBe(`${text}k: 2.5\n`);
  });

  it('keeps several merge keys of one object', async () => {
    const text = '# kept\na: &a\n  x: 1\nb: &b\n  y: 1\nc:\n  <<: *a\n  <<: *b\n  z: 1\n';
    expect(await change(text, ['c', 'z'], 2)).toBe(text.replace('z: 1', 'z: 2'));
  });

  it('keeps the comment of an alias that is copied', async () => {
    expect(await change('a: &item\n  x: 1\nb: *item # note\n', ['b', 'x'], 2)).toBe(
      'a: &item\n  x: 1\nb:\n  # note\n  x: 2\n',
    );
  });

  it.each([
    ['an alias in another place refers to the changed node', 'a: &item\n  x: 1\nb: *item\n', ['a', 'x']],
    ['the value comes from a merge key', 'a: &item\n  x: { y: 1, z: 1 }\nb:\n  <<: *item\n', ['b', 'x', 'y']],
    ['the path leads through a value that is no object', 'a: 1\n', ['a', 'x']],
  ])('gives up if %s', async (_why, text, path) => {
    const document = parse(text, { merge: true });
    expect(await changedYaml(text, document, [{ path, value: 2 }])).toBeUndefined();
  });

  it('gives up on a text that is no YAML', async () => {
    expect(await changedYaml('a: [', {}, [{ path: ['b'], value: 2 }])).toBeUndefined();
  });
});
