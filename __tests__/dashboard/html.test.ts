import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { chosen, html, joined } from '../../lib/dashboard/html.js';
import { law } from '../support/law.js';

describe('html', () => {
  it('escapes what is put in, and takes what came out of it as it is', () => {
    const inner = html`<b>${'<&>"\'`'}</b>`;
    expect(html`<p title="${'"'}">${inner}</p>`.text).toBe(
      '<p title="&quot;"><b>&lt;&amp;&gt;&quot;&#39;&#96;</b></p>',
    );
  });

  it('takes numbers and lists; nothing for undefined and false', () => {
    expect(html`${0}|${[html`<i>`, html`<b>`]}|${undefined}|${false}|${''}`.text).toBe('0|<i><b>|||');
  });

  it('takes nothing for HTML that only looks like it', () => {
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
  ])('writes %j by its number', (character, number) => {
    expect(html`${`a${character}b`}`.text).toBe(`a${number}b`);
  });

  it('leaves what can be seen', () => {
    const text = 'M\u00fcller \u65e5\u672c \u05e9\u05dc\u05d5\u05dd \u{1f511}';
    expect(chosen(text).text).toBe(`<bdi>${text}</bdi>`);
  });

  it('joins', () => {
    expect(joined([html`<i>`, html`<b>`], html`, `).text).toBe('<i>, <b>');
    expect(joined([], html`, `).text).toBe('');
  });

  law('leaves no text a way out of an element or an attribute', () =>
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(html`${text}`.text).not.toMatch(/[<>"'`\p{Cc}\p{Cf}\p{Cs}]/u);
    }),
  );
});
