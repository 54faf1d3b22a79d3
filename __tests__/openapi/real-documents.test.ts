/**
 * O12: public documents, from a folder that KEYWARD_TEST_OPENAPI names; none is in the repository. What keyward cannot prove, such as
 * http basic, is left out of a copy first, as its user would; a document without schemes gets one.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { openApiGate } from 'keyward/openapi';
import { parse } from 'yaml';
import { keys, kit } from '../support/openapi.js';
import { pass, requestOf } from '../support/passage.js';

const FOLDER = process.env.KEYWARD_TEST_OPENAPI;
const METHODS = ['get', 'put', 'post', 'delete', 'patch'];

interface Server {
  url: string;
  variables?: Record<string, { default: string }>;
}
interface Operation {
  security?: Record<string, string[]>[];
  servers?: Server[];
}
interface Document {
  openapi: string;
  servers?: Server[];
  security?: Record<string, string[]>[];
  components: { securitySchemes?: Record<string, { type: string; scheme?: string; in?: string; name?: string }> };
  paths: Record<string, Record<string, Operation>>;
}

const names = FOLDER === undefined ? [] : readdirSync(FOLDER).filter((name) => /\.(?:json|ya?ml)$/.test(name));

function isProvable({ type, scheme, in: place, name }: { type: string; scheme?: string; in?: string; name?: string }) {
  if (type === 'http') return scheme?.toLowerCase() === 'bearer';
  return (
    type === 'oauth2' || type === 'openIdConnect' || (place === 'header' && name?.toLowerCase() === 'authorization')
  );
}

function operationsOf({ paths }: Document): readonly (readonly [method: string, path: string, operation: Operation])[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) =>
      item[method] === undefined ? [] : [[method.toUpperCase(), path, item[method]] as const],
    ),
  );
}

/** The path of a server with the defaults of its variables. */
function pathAt({ url, variables }: Server = { url: '' }): string {
  const filled = url.replaceAll(/\{([^{}]+)\}/g, (whole, name) => variables?.[name]?.default ?? whole);
  return new URL(filled, 'https://x.example').pathname;
}

/** Leaves out paths with a query or a fragment, and operations of servers with another path than the first. */
function removeOthers({ paths, servers }: Document): void {
  const baseOf = (server?: Server) => pathAt(server).replace(/\/$/, '');
  const base = baseOf(servers?.[0]);
  for (const [path, item] of Object.entries(paths)) {
    if (/[?#]/.test(path)) delete paths[path];
    for (const [method, { servers: own = [] }] of Object.entries(item)) {
      if (own.some((server) => baseOf(server) !== base)) delete item[method];
    }
  }
}

/** Leaves out schemes that keyward cannot prove and those that are not used. */
function prepare(document: Document): string[] {
  const { components } = document;
  if (components.securitySchemes === undefined || document.security === undefined) {
    const declared = Object.keys(components.securitySchemes ?? {});
    if (declared.length === 0) {
      components.securitySchemes = { token: { type: 'http', scheme: 'bearer' } };
      document.security = [{ token: [] }];
    }
  }
  const schemes = components.securitySchemes ?? {};
  const left = new Set(Object.keys(schemes).filter((name) => !isProvable(schemes[name] as never)));
  const without = (security: Record<string, string[]>[]) =>
    security.filter((alternative) => !Object.keys(alternative).some((name) => left.has(name)));
  const sections: Operation[] = [document, ...operationsOf(document).map(([, , operation]) => operation)];
  for (const section of sections) if (section.security !== undefined) section.security = without(section.security);
  const used = new Set(
    sections.flatMap(({ security = [] }) => security.flatMap((alternative) => Object.keys(alternative))),
  );
  for (const name of Object.keys(schemes)) if (!used.has(name)) delete schemes[name];
  return Object.keys(schemes);
}

const probe = names.length === 0 ? it.skip : it;

describe('public documents', () => {
  probe.each(names.length === 0 ? ['none'] : names)(
    '%s is built soon and small, and each operation is gated',
    async (name) => {
      const text = readFileSync(join(FOLDER ?? '', name), 'utf8');
      const document: Document = name.endsWith('.json') ? JSON.parse(text) : parse(text);
      removeOthers(document);
      const schemes = Object.fromEntries(
        prepare(document).map((scheme) => [scheme, { ...keys, kinds: undefined, claims: [] }]),
      );
      const basePath = pathAt(document.servers?.[0]);
      globalThis.gc?.();
      const [memory, start] = [process.memoryUsage().heapUsed, performance.now()];
      const gate = openApiGate(document, { schemes: schemes as never, basePath });
      const milliseconds = performance.now() - start;
      globalThis.gc?.();
      const megabytes = (process.memoryUsage().heapUsed - memory) / 1e6;
      const operations = operationsOf(document);
      console.log(
        `${name}: ${operations.length} operations, ${milliseconds.toFixed(0)} ms, ${megabytes.toFixed(1)} MB`,
      );
      expect([milliseconds < 1_000, megabytes < 50]).toEqual([true, true]);

      const wrong: string[] = [];
      for (const [method, path, { security = document.security ?? [] }] of operations) {
        const url = basePath.replace(/\/$/, '') + path.replaceAll(/\{[^{}]+\}/g, 'x1');
        const { passed, error } = await pass(requestOf({ method, url }), gate);
        const isOpen = security.length === 0 || security.some((alternative) => Object.keys(alternative).length === 0);
        const expected = isOpen ? 'open' : 'credential_missing';
        const found = passed ? 'open' : (error as { code: string }).code;
        if (found !== expected) wrong.push(`${method} ${path}: ${found}, not ${expected}`);
      }
      expect(wrong).toEqual([]);
      expect(kit.issuer).toBeDefined();
    },
  );
});
