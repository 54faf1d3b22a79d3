/**
 * The parts in which mutants are tried: the folders of lib/ that are changed, the folders of __tests__/ that are run, and how many of
 * the mutants must be detected, in percent.
 */
const PARTS = {
  protocol: {
    folders: ['api-keys', 'protocol'],
    tests: ['api-keys', 'behaviours/api-keys*', 'protocol'],
    bound: 95,
  },
  tokens: {
    folders: ['tokens'],
    tests: ['behaviours/{algorithms,claims,confirmation,dpop,introspected,jwt,key-set,token}*', 'rfc', 'tokens'],
    bound: 95,
  },
  records: { folders: ['cache', 'credentials'], tests: ['behaviours', 'cache', 'credentials', 'testing'], bound: 95 },
  express: {
    folders: ['express'],
    tests: ['behaviours/{headers,leakage,separation,truth}*', 'express', 'rfc'],
    bound: 95,
  },
  issuer: { folders: ['client', 'issuer'], tests: ['client', 'issuer', 'rfc'], bound: 90 },
  management: { folders: ['management'], tests: ['management'], bound: 90 },
  store: { folders: ['store'], tests: ['store'], bound: 90 },
  cli: { folders: ['cli'], tests: ['cli'], bound: 90 },
  dashboard: { folders: ['dashboard'], tests: ['dashboard'], bound: 85 },
};

/** The part of this run: `KEYWARD_MUTATION=issuer npm run mutation`. */
export const name = process.env.KEYWARD_MUTATION ?? 'tokens';

if (!Object.hasOwn(PARTS, name)) throw new Error(`KEYWARD_MUTATION must be one of ${Object.keys(PARTS).join(', ')}`);

export const { folders, tests, bound } = PARTS[name];
