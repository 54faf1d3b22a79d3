import { describe, expect, it } from '@jest/globals';
import { BearerError, KeywardError } from 'keyward';
import { TokenClientError } from 'keyward/client';
import { ManagementError } from 'keyward/management';
import { StoreError } from 'keyward/store';
import ts from 'typescript';
import { libSources } from '../support/lib-sources.js';

/** Each class of the package that extends another, as `[file, name, the class it extends]`. */
const classes = libSources.flatMap(({ name: file, nodes }) =>
  nodes.filter(ts.isClassDeclaration).flatMap((node) => {
    const base = node.heritageClauses?.find(({ token }) => token === ts.SyntaxKind.ExtendsKeyword)?.types[0];
    return base === undefined ? [] : [{ file, name: node.name?.text ?? '', base: base.expression.getText() }];
  }),
);

/** Classes that others may extend; all but the first are some themselves. */
const OWN = ['KeywardError', 'RefusalError', 'HttpError'];

describe('errors of the package', () => {
  it('extend KeywardError, and no other class of errors', () => {
    const foreign = classes.filter(({ base }) => /^(?:[A-Z]\w*)?Error$/.test(base) && !OWN.includes(base));
    expect(foreign).toEqual([{ file: 'errors/keyward-error.ts', name: 'KeywardError', base: 'Error' }]);
  });

  it('have a name that ends in Error', () => {
    const others = classes.filter(({ base, name }) => OWN.includes(base) && !name.endsWith('Error'));
    expect(others).toEqual([]);
  });

  it.each<[string, KeywardError, string, number | undefined]>([
    ['BearerError', new BearerError('invalid_token', {}, undefined), 'invalid_token', 401],
    ['StoreError', new StoreError('store_conflict', 'conflict'), 'store_conflict', undefined],
    ['ManagementError', new ManagementError('not_found', 'no'), 'not_found', 404],
    [
      'TokenClientError',
      new TokenClientError('token_request_refused', 'no', { status: 400 }),
      'token_request_refused',
      400,
    ],
  ])('%s has its name, code and status', (name, error, code, status) => {
    expect(error).toBeInstanceOf(KeywardError);
    expect([error.name, error.code, error.status]).toEqual([name, code, status]);
    expect(error.stack).toContain(error.message);
  });

  it('KeywardError keeps a cause, and has none by default', () => {
    const cause = new Error('why');
    expect(new KeywardError('odd', 'it is odd', { cause, status: 500 })).toMatchObject({
      cause,
      status: 500,
      code: 'odd',
    });
    expect(new KeywardError('odd', 'it is odd')).not.toHaveProperty('cause');
  });
});
