import { beforeAll, describe, expect, it } from '@jest/globals';
import { EXPRESS } from '../../support/audited.js';
import { type Instrumented, type InstrumentedResult, runInstrumented } from '../../support/instrumented-app.js';

type Wrapper = Pick<Instrumented, 'by' | 'load'>;

const WRAPPERS: Wrapper[] = [
  { by: 'OpenTelemetry', load: 'require' },
  { by: 'OpenTelemetry', load: 'import' },
];
// It reads files that Express 5 does not have.
if (EXPRESS === 4) WRAPPERS.push({ by: 'express-async-errors', load: 'require' });

describe('an app whose functions are wrapped', () => {
  let plain: InstrumentedResult;
  beforeAll(async () => {
    plain = await runInstrumented({ by: 'nobody', load: 'require' });
  });

  it.each(WRAPPERS)(
    'N02 by $by, with Express loaded by $load: it starts, decides and is audited like an unwrapped app',
    async (wrapper) => {
      const result = await runInstrumented(wrapper);
      expect([plain.isWrapped, result.isWrapped]).toEqual([false, true]);
      expect(result.answers).toEqual(plain.answers);
      expect(result.audited).toEqual(plain.audited);
      expect(result.fault).toBe(plain.fault);
      if (wrapper.by === 'OpenTelemetry') expect(result.spans).toContain('middleware - bearerGate');
    },
  );

  it('the reference app has gates, a guard, and one route without a gate', () => {
    const answers = (path: string) =>
      plain.answers.filter((answer) => answer.startsWith(path)).map((answer) => answer.split(' ')[2]);
    expect(['/health', '/payments/1', '/all', '/reports', '/plain'].map(answers)).toEqual([
      ...Array.from({ length: 4 }, () => ['401', '200', '401']),
      ['200', '200', '200'],
    ]);
    expect(plain.answers[0]).toBe('/health undefined 401 {"error_description":"A credential is required"}');
    expect(plain.audited).toEqual([
      'GET /health false ',
      'GET /payments/:id false requireApi(payments)',
      'ALL /all false ',
      'USE /reports false ',
      'GET /plain true ',
    ]);
    expect(plain.fault).toContain('1 route is not guarded');
    expect(plain.fault).toContain('GET /plain has no requireBearer');
  });
});
