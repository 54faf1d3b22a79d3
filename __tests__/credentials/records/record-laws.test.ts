import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { readAccessKeyRecord, readKeyRecord } from '../../../lib/credentials/records/key-records.js';
import { RecordError } from '../../../lib/credentials/records/record-error.js';
import { law } from '../../support/law.js';
import { accessKeyDraws, keepsRules, keyDraws, recordOf, rightKeyDraws } from '../../support/record-draws.js';

describe('readKeyRecord', () => {
  law('takes exactly the records that keep every rule, and refuses the others with a RecordError', () =>
    fc.property(keyDraws(), (draw) => {
      expect(outcomeOf(() => readKeyRecord(recordOf(draw)))).toBe(keepsRules(draw) ? 'accepted' : 'refused');
    }),
  );

  law('reads into its facts what a record says', () =>
    fc.property(rightKeyDraws.filter(keepsRules), (draw) => {
      const record = recordOf(draw);
      const { id, kind, account, environment, apis } = record;
      expect(readKeyRecord(record)).toEqual({
        ...{ id, kind, account, environment, apis },
        channels: record.channels ?? 'all',
        scopes: record.scopes ?? undefined,
        platform: record.platform ?? undefined,
        acceptedUntil: record.acceptedUntil instanceof Date ? record.acceptedUntil.getTime() : undefined,
        validity: {
          expiresAt: Math.min(...[record.expiresAt, record.acceptedUntil].map((date) => Number(date ?? Infinity))),
          revokedAt: Number(record.revokedAt ?? Number.POSITIVE_INFINITY),
          disabled: record.disabled ?? false,
        },
      });
    }),
  );

  law('throws nothing but a RecordError for whatever plain data it is given', () =>
    fc.property(fc.anything({ withDate: true, withMap: true, withSet: true, withNullPrototype: true }), (value) => {
      expect(outcomeOf(() => readKeyRecord(value))).toBe('refused');
      expect(outcomeOf(() => readAccessKeyRecord(value))).toBe('refused');
    }),
  );
});

describe('readAccessKeyRecord', () => {
  law('takes exactly the records that keep every rule, and refuses the others with a RecordError', () =>
    fc.property(accessKeyDraws, (draw) => {
      expect(outcomeOf(() => readAccessKeyRecord(recordOf(draw)))).toBe(keepsRules(draw) ? 'accepted' : 'refused');
    }),
  );
});

function outcomeOf(read: () => unknown): string {
  try {
    read();
    return 'accepted';
  } catch (error) {
    return error instanceof RecordError ? 'refused' : `threw ${error}`;
  }
}
