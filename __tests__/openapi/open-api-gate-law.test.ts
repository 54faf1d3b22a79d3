/** Random documents, requests and credentials: the gate and the specification agree. */
import { type IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { describe } from '@jest/globals';
import express, { type ErrorRequestHandler, type Express } from 'express';
import fc from 'fast-check';
import { type CredentialVerifier, requireAny, requireBearer, requireKeyKind, requireScopes } from 'keyward';
import { describeSecurity, openApiGate } from 'keyward/openapi';
import { law } from '../support/law.js';
import {
  type DrawnCredential,
  type DrawnDocument,
  isAmbiguous,
  oracleAnswer,
  type Security,
} from '../support/openapi-oracle.js';
import { requestOf } from '../support/passage.js';

const SCOPES = ['r', 'w'];
const scopesDrawn = fc.subarray(SCOPES);

/** A verifier of credentials such as `t.r.w.good`: scheme, scopes, and whether it is good. */
function verifierOf(scheme: 't' | 'k'): CredentialVerifier {
  const kind = scheme === 't' ? 'access' : 'secret';
  return {
    kinds: [kind],
    verify(credential) {
      const [own, ...rest] = credential.reveal().split('.');
      if (own !== scheme) return { outcome: 'declined' };
      if (rest.pop() !== 'good') return { outcome: 'refused', reason: 'drawn' };
      const reach = { apis: [], channels: [], scopes: rest } as const;
      return { outcome: 'accepted', principal: { kind, keyId: 'key_1', account: 'acc', ...reach } as never };
    },
  };
}
const verifiers = { t: verifierOf('t'), k: verifierOf('k') };
const textOf = ({ scheme, scopes, isGood }: DrawnCredential) => [scheme, ...scopes, isGood ? 'good' : 'bad'].join('.');

const credentialDrawn = fc.option(
  fc.record({ scheme: fc.constantFrom('t', 'k', 'x'), scopes: scopesDrawn, isGood: fc.boolean() }),
  { nil: undefined },
);
const alternativeDrawn: fc.Arbitrary<Readonly<Record<string, readonly string[]>>> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.tuple(fc.constantFrom('t', 'k'), scopesDrawn).map(([name, scopes]) => ({ [name]: scopes })),
  },
  { weight: 1, arbitrary: fc.constant({}) },
);
const securityDrawn: fc.Arbitrary<Security> = fc.array(alternativeDrawn, { maxLength: 3 });

/** Documents of few paths that meet often. */
const TEMPLATES = [
  '/',
  '/a',
  '/A',
  '/b/',
  '/{x}',
  '/{y}',
  '/a/b',
  '/a/{x}',
  '/{x}/b',
  '/{x}/{y}',
  '/a.b',
  '/{x}.b',
  '/a/{x}.b',
];
const PATHS = [
  ...[
    '/',
    '//',
    '/a',
    '/A',
    '/a/',
    '/b',
    '/B/',
    '/b//',
    '/c',
    '/a/b',
    '/a/B/',
    '/A/B',
    '/a/c',
    '/c/b',
    '/c/d',
    '/a//b',
    '//a',
  ],
  ...['/a.b', '/A.B', '/c.b', '/.b', '/a/c.b', '/a/b/c', '/%61', '/a%2Fb', '/a/%2e%2e'],
];
const METHODS = ['GET', 'POST', 'HEAD', 'OPTIONS', 'DELETE'];
const operationDrawn = fc.option(securityDrawn, { nil: null, freq: 4 });
const documentDrawn: fc.Arbitrary<DrawnDocument> = fc.record({
  security: fc.option(securityDrawn, { nil: undefined }),
  paths: fc
    .uniqueArray(
      fc.tuple(
        fc.constantFrom(...TEMPLATES),
        fc.dictionary(fc.constantFrom('get', 'post', 'delete'), operationDrawn, { maxKeys: 2 }),
      ),
      { maxLength: 4, selector: ([path]) => path },
    )
    .map((entries) => Object.fromEntries(entries)),
});

/** Both schemes are declared, so one operation that no request is asks for both. */
function written({ security, paths }: DrawnDocument): object {
  const operations = Object.entries(paths).map(([path, methods]) => [
    path,
    Object.fromEntries(Object.entries(methods).map(([method, own]) => [method, own === null ? {} : { security: own }])),
  ]);
  const securitySchemes = { t: { type: 'http', scheme: 'bearer' }, k: { type: 'http', scheme: 'bearer' } };
  const rest = { '/x/y/z/never': { trace: { security: [{ t: [] }, { k: [] }] } } };
  return {
    ...{ openapi: '3.1.0', components: { securitySchemes }, paths: { ...Object.fromEntries(operations), ...rest } },
    ...(security === undefined ? {} : { security }),
  };
}

type Handler = ReturnType<typeof openApiGate>;

function drawnRequest(method: string, url: string, credential: DrawnCredential | undefined) {
  const headers = credential === undefined ? {} : { authorization: `Bearer ${textOf(credential)}` };
  return requestOf({ method, url, headers });
}

/** The status that a middleware answers. */
function statusOf(middleware: Handler, method: string, url: string, credential: DrawnCredential | undefined): number {
  const req = drawnRequest(method, url, credential);
  let status = 0;
  middleware(req, new ServerResponse(req), (error) => {
    status = error === undefined ? 200 : (error as { status: number }).status;
  });
  return status;
}

describe('a gate and the specification', () => {
  law('O01 decide alike about every document, request and credential', () =>
    fc.property(
      documentDrawn,
      fc.array(fc.tuple(fc.constantFrom(...METHODS), fc.constantFrom(...PATHS), credentialDrawn), {
        minLength: 1,
        maxLength: 6,
      }),
      (document, requests) => {
        let gate: Handler;
        try {
          gate = openApiGate(written(document), { schemes: verifiers });
        } catch (error) {
          if (isAmbiguous(document, PATHS, METHODS)) return true;
          throw error;
        }
        return requests.every(
          ([method, path, credential]) =>
            statusOf(gate, method, path, credential) === oracleAnswer(document, method, path, credential),
        );
      },
    ),
  );

  law('O06 a document that says two things of one path is refused, and no other', () =>
    fc.property(documentDrawn, (document) => {
      let isRefused = false;
      try {
        openApiGate(written(document), { schemes: verifiers });
      } catch {
        isRefused = true;
      }
      return isRefused === isAmbiguous(document, PATHS, METHODS);
    }),
  );
});

const guardDrawn = fc.oneof(
  fc.subarray(SCOPES, { minLength: 1 }).map((scopes) => requireScopes(...scopes)),
  fc.constantFrom('access' as const, 'secret' as const).map((kind) => requireKeyKind(kind)),
  fc.constant(requireAny(requireScopes('r'), requireScopes('w'))),
  fc.constant(requireAny(requireKeyKind('secret'), requireScopes('w'))),
);
const gateDrawn = fc
  .record({
    accept: fc.subarray(['t', 'k'] as const, { minLength: 1 }),
    scopes: fc.option(fc.subarray(SCOPES, { minLength: 1 }), { nil: undefined }),
    optional: fc.boolean(),
  })
  .map(({ accept, scopes, optional }) =>
    requireBearer({ accept: accept.map((name) => verifiers[name]), scopes, optional }),
  );
const routeDrawn = fc.record({
  gates: fc.array(gateDrawn, { maxLength: 2 }),
  guards: fc.array(guardDrawn, { maxLength: 2 }),
});

const ROUTES = ['/a', '/a/:x', '/:x/b'];
const OPERATIONS = ['/a', '/a/{x}', '/{x}/b'];

/** Guards need a gate before them. */
function handlersOf({ gates, guards }: { gates: readonly unknown[]; guards: readonly unknown[] }): readonly unknown[] {
  return gates.length === 0 ? [] : [...gates, ...guards];
}

describe('an app and the gate of its description', () => {
  law('O14 decide alike about every request', () =>
    fc.asyncProperty(
      fc.constantFrom(0, 1, 2),
      routeDrawn,
      fc.array(fc.tuple(fc.constantFrom('GET', 'HEAD', 'POST'), fc.constantFrom(...PATHS), credentialDrawn), {
        minLength: 1,
        maxLength: 5,
      }),
      async (place, drawn, requests) => {
        // What a router calls by setImmediate holds the app and the request until then.
        await setImmediate();
        const route = ROUTES[place] as string;
        const app = express();
        app.get(route, ...(handlersOf(drawn) as never[]), reached);
        app.use(refused);
        const paths = { [OPERATIONS[place] as string]: { get: { responses: {} } } };
        const gate = gateOfDescription(app, { openapi: '3.1.0', paths });
        if (gate === undefined) return true;
        const bare = express();
        bare.use(gate);
        bare.get(route, reached);
        bare.use(refused);
        // A guard for kinds answers 403; a gate without a verifier for them 401.
        const answerIn = (one: Express, request: (typeof requests)[number]) =>
          [401, 403].includes(statusIn(one, ...request)) ? 'refused' : statusIn(one, ...request);
        return requests.every((request) => answerIn(app, request) === answerIn(bare, request));
      },
    ),
  );
});

const reached = (req: { status?: number }) => {
  req.status = 200;
};

// An error handler of the app itself: its router calls a callback later.
const refused: ErrorRequestHandler = (error, req, _res, _next) => {
  Object.assign(req, { status: error.status });
};

/** The status that an app answers, in the same tick; 404 where no route takes the request. */
function statusIn(app: Express, method: string, url: string, credential: DrawnCredential | undefined): number {
  const req: IncomingMessage & { status?: number } = drawnRequest(method, url, credential);
  app(req as never, new ServerResponse(req) as never, () => {});
  return req.status ?? 404;
}

/** `undefined` where the guards contradict each other, which a document cannot say. */
function gateOfDescription(app: Express, into: object): Handler | undefined {
  for (const names of [['t', 'k'], ['t'], ['k'], []] as const) {
    const schemes = Object.fromEntries(names.map((name) => [name, verifiers[name]]));
    try {
      return openApiGate(describeSecurity(app, { into, schemes }), { schemes });
    } catch (error) {
      if (/credentials in a combination that OpenAPI cannot express|a credential that cannot exist/.test(String(error)))
        return undefined;
      const isOther = /no operation of the document requires|its verifier is missing from "schemes"/.test(
        String(error),
      );
      if (!isOther) throw error;
    }
  }
  throw new Error('no schemes fit');
}
