import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fieldText, html, join, userText } from '../../../lib/dashboard/components/html.js';
import { anyCharacter } from '../../support/any-character.js';
import { law } from '../../support/law.js';

describe('html', () => {
  it('escapes values, and leaves its own HTML unchanged', () => {
    const inner = html`<b>${'<&>"\'`'}</b>`;
    expect(html`<p title="${'"'}">${inner}</p>`.text).toBe(
      '<p title="&quot;"><b>&lt;&amp;&gt;&quot;&#39;&#96;</b></p>',
    );
  });

  it('accepts numbers and lists; undefined and false give nothing', () => {
    expect(html`${0}|${[html`<i>`, html`<b>`]}|${undefined}|${false}|${''}`.text).toBe('0|<i><b>|||');
  });

  it('escapes values that only look like HTML', () => {
    const forged = { text: '<script>' } as never;
    expect(() => html`${forged}`.text).toThrow();
    expect(html`${['<script>'] as never}`.text).not.toContain('<script>');
  });

  it.each([
    ['\u202e', '[U+202E]'],
    ['\u2066', '[U+2066]'],
    ['\u200b', '[U+200B]'],
    ['\ufeff', '[U+FEFF]'],
    ['\u00ad', '[U+00AD]'],
    ['\0', '[U+0000]'],
    ['\u001b', '[U+001B]'],
    ['\u2028', '[U+2028]'],
    ['\ud800', '[U+D800]'],
    ['\u{e0041}', '[U+E0041]'],
    ['\u3164', '[U+3164]'],
  ])('writes %j as its code point', (character, number) => {
    expect(html`${`a${character}b`}`.text).toBe(`a${number}b`);
  });

  it('keeps every character of the value of a field: a reference, or as it is', () => {
    const text = 'a\u200c\u202e\t\0<\n\x85';
    const escaped = 'a&#x200C;&#x202E;&#x9;&#x0;&lt;\n\x85';
    expect(html`<input value="${text}">`.text).toBe(`<input value="${escaped}">`);
    expect(fieldText(text).text).toBe(escaped);
    expect(html`<i title="${'\u200c'}">`.text).toBe('<i title="[U+200C]">');
  });

  it('leaves visible characters unchanged', () => {
    const text = 'M\u00fcller \u65e5\u672c \u05e9\u05dc\u05d5\u05dd \u{1f511}';
    expect(userText(text).text).toBe(`<bdi>${text}</bdi>`);
  });

  it('joins pieces', () => {
    expect(join([html`<i>`, html`<b>`], html`, `).text).toBe('<i>, <b>');
    expect(join([], html`, `).text).toBe('');
  });

  law('leaves no text a way out of an element or an attribute', () =>
    fc.property(fc.string({ unit: anyCharacter }), (text) => {
      expect(html`${text}`.text).not.toMatch(/[<>"'`\p{Cc}\p{Cf}\p{Cs}]/u);
      expect(fieldText(text).text).not.toMatch(/[<>"'`\p{Cf}\p{Cs}]/u);
    }),
  );
});
