/** O05 and O11: documents that cannot be enforced are refused when the app starts. */
import { describe, expect, it } from '@jest/globals';
import { openApiGate } from 'keyward/openapi';
import { asking, documentOf, faultOf, keys, kit, SCHEMES, schemes, tokens } from '../support/openapi.js';

const gateOf = (document: unknown, options: unknown = { schemes }) =>
  faultOf(() => openApiGate(document as object, options as { schemes: typeof schemes }));

const uses = { '/x': { get: asking([{ accessToken: [] }, { secretKey: [] }]) } };
const withScheme = (scheme: unknown) =>
  documentOf(uses, { components: { securitySchemes: { ...SCHEMES, secretKey: scheme } } });

describe('schemes that are not supported', () => {
  it.each([
    ['apiKey in a cookie', { type: 'apiKey', in: 'cookie', name: 'Authorization' }],
    ['apiKey in the query', { type: 'apiKey', in: 'query', name: 'authorization' }],
    ['apiKey in another header', { type: 'apiKey', in: 'header', name: 'X-Api-Key' }],
    ['http basic', { type: 'http', scheme: 'basic' }],
    ['http digest', { type: 'http', scheme: 'digest' }],
    ['no type', {}],
    ['an unknown type', { type: 'saml' }],
    ['a type of the prototype', { type: 'constructor' }],
  ])('O05 %s is a TypeError with the pointer', (_name, scheme) => {
    const fault = gateOf(withScheme(scheme));
    expect(fault).toMatch(
      /^TypeError: .*#\/components\/securitySchemes\/secretKey: keyward does not support this security scheme/,
    );
  });

  it.each([
    ['http bearer', { type: 'http', scheme: 'Bearer' }],
    ['apiKey in Authorization', { type: 'apiKey', in: 'header', name: 'authorization' }],
  ])('O05 %s is accepted', (_name, scheme) => {
    expect(gateOf(withScheme(scheme))).toBeUndefined();
  });

  it('O05 a verifier that does not fit its scheme is a TypeError', () => {
    expect(gateOf(withScheme({ type: 'openIdConnect', openIdConnectUrl: 'https://x.example' }))).toMatch(
      /securitySchemes\/secretKey: the verifier for this scheme in the option "schemes" does not accept access tokens/,
    );
    const swapped = { accessToken: tokens, secretKey: tokens };
    const fault = gateOf(withScheme({ type: 'apiKey', in: 'header', name: 'Authorization' }), { schemes: swapped });
    expect(fault).toMatch(/does not accept API keys/);
    expect(gateOf(withScheme({ type: 'mutualTLS' }))).toMatch(
      /the value for this scheme in the option "schemes" must be 'mutualTLS'/,
    );
    expect(gateOf(documentOf(uses), { schemes: { ...schemes, secretKey: 'mutualTLS' } })).toMatch(
      /the value for this scheme in the option "schemes" must be a verifier/,
    );
  });

  it('O05 a scheme that an operation requires and the document does not declare is a TypeError', () => {
    const fault = gateOf(documentOf({ ...uses, '/y': { get: asking([{ other: [] }]) } }));
    expect(fault).toMatch(/#\/paths\/~1y\/get\/security\/0\/other: this scheme is not in components.securitySchemes/);
    expect(gateOf(documentOf(uses, { security: [{ toString: [] }] }))).toMatch(/#\/security\/0\/toString: /);
  });

  it('O05 a scheme of the document without a verifier is a TypeError', () => {
    expect(gateOf(documentOf(uses), { schemes: { accessToken: tokens } })).toMatch(
      /securitySchemes\/secretKey: the option "schemes" of openApiGate has no verifier for the scheme "secretKey"/,
    );
  });

  it('O05 a verifier without a scheme of the document is a TypeError', () => {
    expect(gateOf(documentOf(uses), { schemes: { ...schemes, other: keys } })).toBe(
      'TypeError: openApiGate: option "schemes.other" does not match a scheme in components.securitySchemes of the document; correct the name, remove it, or add the scheme to the document: "keyward openapi describe" does so',
    );
  });

  it('O05 a scheme that no operation requires is a TypeError', () => {
    expect(gateOf(documentOf({ '/x': { get: asking([{ accessToken: [] }]) } }))).toBe(
      'TypeError: openApiGate: no operation of the document uses the scheme "secretKey"; remove it from components.securitySchemes and from the option "schemes"',
    );
  });

  it.each([
    [null, /openApiGate: expected an options object, got null/],
    [{}, /option "schemes" must be an object with a verifier for each security scheme/],
    [{ schemes: [] }, /option "schemes" must be an object/],
    [{ schemes: { ...schemes, secretKey: {} } }, /option "schemes.secretKey" must be 'mutualTLS' or a verifier/],
    [{ schemes: { ...schemes, secretKey: null } }, /option "schemes.secretKey" must be 'mutualTLS' or a verifier/],
    [{ schemes, scheme: 1 }, /unknown option "scheme"/],
    [{ schemes, undocumented: 'open' }, /option "undocumented" must be 'refuse' or 'pass'/],
    [{ schemes, basePath: 'v1' }, /option "basePath" must be a path/],
  ])('O05 the options %j are a TypeError', (options, expected) => {
    expect(gateOf(documentOf(uses), options)).toMatch(/^TypeError: /);
    expect(gateOf(documentOf(uses), options)).toMatch(expected);
  });

  it.each([
    ['no list', 'accessToken', /security: expected an array, got a string/],
    ['a list of texts', ['accessToken'], /security\/0: expected an object, got a string/],
    ['scopes that are none', [{ accessToken: 'a' }], /security\/0\/accessToken: expected an array/],
    [
      'a scope with a space',
      [{ accessToken: ['a b'] }],
      /accessToken\/0: expected a scope that consists of ASCII characters other than spaces/,
    ],
    ['null', null, /security: expected an array, got null/],
  ])('O05 security that is %s is a TypeError', (_name, security, expected) => {
    expect(gateOf(documentOf({ ...uses, '/y': { get: { security } } }))).toMatch(expected);
  });
});

describe('schemes of webhooks and callbacks, which no gate checks', () => {
  const signature = { type: 'apiKey', in: 'header', name: 'X-Signature' };
  const sent = { post: asking([{ signature: [] }]) };
  const withSignature = (more: object = {}, components: object = {}, paths: object = uses) =>
    documentOf(paths as never, {
      components: { securitySchemes: { ...SCHEMES, signature }, ...components },
      ...more,
    });
  const get = { ...uses['/x'].get, callbacks: { paid: { '{$request.body#/url}': sent } } };

  it.each([
    ['a webhook', withSignature({ webhooks: { paid: sent } })],
    ['a webhook that is a $ref', withSignature({ webhooks: { paid: { $ref: '#/x' } } }, { pathItems: { sent } })],
    ['a callback', withSignature({}, {}, { '/x': { get } })],
    ['a shared callback', withSignature({}, { callbacks: { paid: { '{$url}': sent } } })],
    ['a callback of a webhook', withSignature({ webhooks: { paid: { post: { ...get, security: [] } } } })],
    ['an additional operation', withSignature({ webhooks: { paid: { additionalOperations: { COPY: sent.post } } } })],
    [
      'a webhook without its own security',
      withSignature({ security: [{ signature: [] }], webhooks: { a: { put: {} } } }),
    ],
  ])('%s may have a scheme of any type, without a verifier', (_name, document) => {
    expect(gateOf(document)).toBeUndefined();
    const more = faultOf(() => openApiGate(document, { schemes: { ...schemes, signature: keys } }));
    expect(more).toMatch(/securitySchemes\/signature: keyward does not support this security scheme/);
  });

  it('a verifier for such a scheme is a TypeError', () => {
    const document = withSignature(
      { webhooks: { paid: sent } },
      { securitySchemes: { ...SCHEMES, signature: SCHEMES.secretKey } },
    );
    expect(gateOf(document, { schemes: { ...schemes, signature: keys } })).toBe(
      'TypeError: openApiGate: only webhooks and callbacks of the document use the scheme "signature"; remove it from the option "schemes"',
    );
  });

  it('a scheme that an operation requires too needs its verifier', () => {
    const paths = { ...uses, '/y': { get: asking([{ signature: [] }]) } };
    expect(gateOf(withSignature({ webhooks: { paid: sent } }, {}, paths))).toMatch(
      /securitySchemes\/signature: keyward does not support this security scheme/,
    );
  });

  it('a scheme that nothing requires is still checked, whatever the webhooks look like', () => {
    const circular: Record<string, unknown> = { post: { security: [null, 'text', {}] }, get: null };
    circular.put = { callbacks: { again: { url: circular } } };
    for (const webhooks of [null, 7, [], { paid: null }, { paid: circular }]) {
      expect(gateOf(withSignature({ webhooks }))).toMatch(/securitySchemes\/signature: keyward does not support/);
    }
  });
});

describe('documents that cannot be read', () => {
  const referring = (paths: object, components: object = {}) =>
    documentOf(paths as never, { components: { securitySchemes: SCHEMES, ...components } });

  it('O11 a local $ref of a path item and of a scheme is followed, through others', () => {
    const { accessToken } = SCHEMES;
    const components = {
      securitySchemes: { ...SCHEMES, accessToken: { $ref: '#/components/x-schemes/a~1b%20c' } },
      'x-schemes': { 'a/b c': accessToken },
      pathItems: { one: { $ref: '#/components/pathItems/two' }, two: uses['/x'] },
    };
    expect(gateOf(documentOf({ '/x': { $ref: '#/components/pathItems/one' } }, { components }))).toBeUndefined();
    const missing = documentOf(
      { '/x': { $ref: '#/components/pathItems/two' }, '/y': { get: asking([{ nobody: [] }]) } },
      { components },
    );
    expect(gateOf(missing)).toMatch(/#\/paths\/~1y\/get\/security\/0\/nobody/);
  });

  it.each([
    ['circular', '#/components/pathItems/two', /#\/components\/pathItems\/two\/\$ref: this \$ref is circular/],
    ['to itself', '#/paths/~1x', /#\/paths\/~1x\/\$ref: this \$ref is circular/],
    ['missing', '#/components/pathItems/none', /#\/paths\/~1x\/\$ref: this \$ref has no target/],
    ['a name of the prototype', '#/components/pathItems/constructor', /has no target/],
    ['__proto__', '#/components/__proto__', /has no target/],
    ['remote', 'https://example.com/x.json', /this \$ref points outside the document/],
    ['a file', 'other.yaml#/x', /this \$ref points outside the document/],
    ['no pointer', '#x', /this \$ref points outside the document/],
    ['badly encoded', '#/components/%zz', /this \$ref has an invalid percent-escape/],
    ['no text', 7, /expected a string, got a number/],
  ])('O11 a $ref that is %s is a TypeError with the pointer', (_name, $ref, expected) => {
    const pathItems = { one: { $ref: '#/components/pathItems/two' }, two: { $ref: '#/components/pathItems/one' } };
    expect(gateOf(referring({ ...uses, '/x': { $ref } }, { pathItems }))).toMatch(expected);
    expect(gateOf(referring({ ...uses, '/x': { $ref } }, { pathItems }))).toMatch(/^TypeError: /);
  });

  it('O11 a $ref of a scheme that is missing is a TypeError', () => {
    expect(gateOf(withScheme({ $ref: '#/components/securitySchemes/none' }))).toMatch(
      /#\/components\/securitySchemes\/secretKey\/\$ref: this \$ref has no target/,
    );
  });

  it('O11 an operation that is a $ref, or has one, is a TypeError', () => {
    const get = { $ref: '#/paths/~1x/get' };
    expect(gateOf(documentOf({ ...uses, '/y': { get } }))).toMatch(
      /#\/paths\/~1y\/get: an operation cannot be a \$ref/,
    );
    const beside = documentOf({ ...uses, '/y': { $ref: '#/paths/~1x', get: asking([]) } });
    expect(gateOf(beside)).toMatch(/#\/paths\/~1y: "get" is next to a \$ref/);
  });

  it('a $ref with operations or servers beside it is a TypeError, also if another $ref leads to it', () => {
    const paths = { ...uses, '/y': { $ref: '#/components/pathItems/one' } };
    const two = { get: asking([]) };
    const gateWith = (one: object) => gateOf(referring(paths, { pathItems: { one, two } }));
    const $ref = '#/components/pathItems/two';
    expect(gateWith({ $ref })).toBeUndefined();
    expect(gateWith({ $ref, get: asking([]) })).toMatch(/#\/components\/pathItems\/one: "get" is next to a \$ref/);
    expect(gateWith({ $ref, servers: [{ url: '/v9' }] })).toMatch(/"servers" is next to a \$ref/);
    expect(gateWith({ $ref, additionalOperations: {} })).toMatch(/"additionalOperations" is next to a \$ref/);
  });

  it('O11 members named __proto__ are ordinary names', () => {
    const parsed =
      JSON.parse(`{"openapi":"3.1.0","components":{"securitySchemes":{"__proto__":{"type":"http","scheme":"bearer"}}},
      "paths":{"/__proto__":{"get":{"security":[{"__proto__":["a"]}]},"__proto__":{"post":{}}}}}`);
    const given = JSON.parse('{"schemes":{}}');
    Object.defineProperty(given.schemes, '__proto__', { value: keys, enumerable: true });
    expect(gateOf(parsed, given)).toBeUndefined();
    expect(gateOf(parsed, { schemes: {} })).toMatch(
      /securitySchemes\/__proto__: the option "schemes" of openApiGate has no verifier for the scheme "__proto__"/,
    );
  });

  it.each([undefined, null, 'text', 7, [], () => {}])('O11 %p is not a document', (document) => {
    expect(gateOf(document)).toMatch(/^TypeError: OpenAPI document: expected an object/);
  });

  it.each([
    ['Swagger 2', { swagger: '2.0', paths: {} }],
    ['OpenAPI 3.3', { openapi: '3.3.0', paths: {} }],
    ['OpenAPI 4', { openapi: '4.0.0' }],
    ['no version', { paths: {} }],
    ['a version that is a number', { openapi: 3.1 }],
  ])('O11 %s is a TypeError', (_name, document) => {
    expect(gateOf(document, { schemes: {} })).toMatch(/expected OpenAPI 3.0, 3.1 or 3.2/);
  });

  it.each(['3.0.0', '3.0.4', '3.1.1', '3.2.0'])('O11 OpenAPI %s is read', (openapi) => {
    expect(gateOf(documentOf(uses, { openapi }))).toBeUndefined();
  });

  it.each([
    ['paths: []', { paths: [] }, /#\/paths: expected an object, got an empty array/],
    ['a path item that is a text', { paths: { '/x': 'get' } }, /#\/paths\/~1x: expected an object, got a string/],
    [
      'an operation that is null',
      { paths: { '/x': { get: null } } },
      /#\/paths\/~1x\/get: expected an object, got null/,
    ],
    ['a path without a slash', { paths: { x: {} } }, /#\/paths\/x: expected a path that starts with "\/"/],
    ['a path with a query', { paths: { '/x?y': {} } }, /expected a path that starts with "\/"; percent-encode "\?"/],
    ['a path beyond ASCII', { paths: { '/caf\u00e9': {} } }, /percent-encode/],
    [
      'a path with one brace',
      { paths: { '/x{y': {} } },
      /expected every parameter in this path to be a name in braces/,
    ],
    [
      'braces around a slash',
      { paths: { '/{x/y}': {} } },
      /expected every parameter in this path to be a name in braces/,
    ],
  ])('O11 %s is a TypeError with the pointer', (_name, more, expected) => {
    expect(gateOf({ openapi: '3.1.0', ...more }, { schemes: {} })).toMatch(expected);
  });

  it('O11 extensions of paths are ignored, and a document may have no paths', () => {
    expect(gateOf({ openapi: '3.1.0', paths: { 'x-note': 7 } }, { schemes: {} })).toBeUndefined();
    expect(gateOf({ openapi: '3.1.0' }, { schemes: {} })).toBeUndefined();
  });
});

describe('a document that can be read', () => {
  it('may be of a release candidate', () => {
    expect(gateOf(documentOf(uses, { openapi: '3.1.0-rc1' }))).toBeUndefined();
    expect(gateOf(documentOf(uses, { openapi: '3.1.0rc1' }))).toMatch(/expected OpenAPI 3.0, 3.1 or 3.2/);
  });

  it('has names with a tilde: ~01 in a $ref is the text ~1', () => {
    const pathItems = { 'a~1b': uses['/x'] };
    const components = { securitySchemes: SCHEMES, pathItems };
    const paths = { '/x': { $ref: '#/components/pathItems/a~01b' } };
    expect(gateOf(documentOf(paths, { components }))).toBeUndefined();
    const wrong = documentOf({ ...uses, '/~x': { get: asking([{ other: [] }]) } });
    expect(gateOf(wrong)).toMatch(/#\/paths\/~1~0x\/get\/security\/0\/other: /);
  });

  it('may name a verifier of public keys for an apiKey, and one without kinds for any scheme', () => {
    const document = withScheme({ type: 'apiKey', in: 'header', name: 'Authorization' });
    expect(gateOf(document, { schemes: { ...schemes, secretKey: kit.keys('public') } })).toBeUndefined();
    const any = { verify: () => ({ outcome: 'refused', reason: 'no' }) };
    for (const scheme of [{ type: 'openIdConnect' }, { type: 'apiKey', in: 'header', name: 'Authorization' }])
      expect(gateOf(withScheme(scheme), { schemes: { ...schemes, secretKey: any } })).toBeUndefined();
  });
});
