import { expect, it } from '@jest/globals';
import { ASSETS } from '../../../lib/dashboard/assets/assets.js';

it.each(ASSETS.map(({ path, type, text }) => ({ name: path.replace(/-[\w-]{12}\./, '.'), type, text })))(
  'the asset $name, one rule or statement on each line',
  ({ type, text }) => {
    const lines = type.startsWith('text/css') ? text.replaceAll('}', '}\n') : text.replaceAll(';', ';\n');
    expect(`${type}\n${lines.replace(/[^\n\x20-\x7e]/g, (one) => `U+${one.charCodeAt(0)}`)}`).toMatchSnapshot();
  },
);
