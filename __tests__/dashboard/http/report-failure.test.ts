import { expect, it } from '@jest/globals';
import { reportFailure } from '../../../lib/dashboard/http/report-failure.js';
import { ManagementError } from '../../../lib/management/management-error.js';
import { eavesdrop } from '../../support/eavesdrop.js';

it('of the errors of management, only that of a store is for the operator', () => {
  const heard = eavesdrop();
  for (const code of ['invalid', 'forbidden', 'not_found', 'version_conflict', 'unavailable'] as const)
    reportFailure('GET', '/', new ManagementError(code, 'no', undefined, new Error('no disk')));
  heard.stop();
  expect(heard.heard('keyward:dashboard')).toMatchObject([{ warning: 'unavailable', method: 'GET', route: '/' }]);
});
