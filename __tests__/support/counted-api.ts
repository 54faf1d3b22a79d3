import nodeCrypto from 'node:crypto';
import type { Server } from 'node:http';
import { jest } from '@jest/globals';
import express, { type Express } from 'express';
import {
  apiKeys,
  bearerErrors,
  type CredentialVerifier,
  type Guard,
  type RequireBearerOptions,
  requireBearer,
} from 'keyward';
import { createTestKit } from 'keyward/testing';
import { answerOf } from './answers.js';
import { createKeyTable, type KeyTraits } from './key-table.js';
import { getRaw, type RawResponse, sendRaw, serve } from './raw-http.js';

/** An API behind one gate that counts what each request makes it do. */
export interface CountedApi {
  readonly port: number;
  readonly server: Server;
  readonly token: string;
  mintKey(traits?: KeyTraits): string;
  /** Sends a GET with header lines as they are; says how it was answered and what that took. */
  ask(lines: readonly string[], target?: string, method?: string): Promise<Outcome>;
  /** The same with a whole request, as it is. */
  send(text: string): Promise<Outcome>;
  /** What a good key costs now: one lookup where nothing at all is cached of it. */
  lookupsFor(key: string): Promise<number>;
  close(): Promise<void>;
}

export interface Outcome {
  readonly status: number;
  readonly challenge: string | undefined;
  readonly work: Work;
}

export interface Work {
  readonly handled: number;
  /** How often a verifier was asked. What is cached is cached by one that was. */
  readonly asked: number;
  readonly lookups: number;
  readonly signatures: number;
}

/** Refused at the gate, by the text alone: no lookup, no signature check, nothing cached. */
export const NO_WORK: Work = { handled: 0, asked: 0, lookups: 0, signatures: 0 };

export interface CountedApiOptions extends Partial<RequireBearerOptions> {
  /** Mounts what stands before the gate. */
  readonly before?: (app: Express, accept: readonly CredentialVerifier[]) => void;
  /** What stands behind it. */
  readonly guards?: readonly Guard[];
  readonly joinDuplicateHeaders?: boolean;
}

export async function serveCounted(options: CountedApiOptions = {}): Promise<CountedApi> {
  const { before = () => {}, guards = [], joinDuplicateHeaders = false, ...gate } = options;
  const kit = createTestKit();
  const table = createKeyTable();
  const keys = apiKeys({ resolver: table, kinds: ['secret', 'public'], environment: 'live', clock: kit.clock });
  const signatures = jest.spyOn(nodeCrypto, 'verify');
  let asked = 0;
  let handled = 0;

  const counted = (verifier: CredentialVerifier): CredentialVerifier => ({
    ...verifier,
    verify(credential) {
      asked += 1;
      return verifier.verify(credential);
    },
  });
  const accept = [kit.tokens, keys].map(counted);

  const app = express();
  before(app, accept);
  app.use(requireBearer({ accept, ...gate }), ...guards, (req, res) => {
    handled += 1;
    res.json((req as { auth?: unknown }).auth ?? {});
  });
  app.use(bearerErrors());
  const { port, server, close } = await serve(app, { joinDuplicateHeaders });

  const workSoFar = (): Work => ({
    handled,
    asked,
    lookups: table.lookups(),
    signatures: signatures.mock.calls.length,
  });

  async function measure(response: Promise<RawResponse>, from = workSoFar()): Promise<Outcome> {
    const answer = answerOf(await response);
    const to = workSoFar();
    const work: Work = {
      handled: to.handled - from.handled,
      asked: to.asked - from.asked,
      lookups: to.lookups - from.lookups,
      signatures: to.signatures - from.signatures,
    };
    return { ...answer, work };
  }

  return {
    port,
    server,
    token: await kit.accessToken({ scopes: ['payments'] }),
    mintKey: (traits) => table.add(traits),
    ask: (...request) => measure(getRaw(port, ...request)),
    send: (text) => measure(sendRaw(port, text)),
    async lookupsFor(key) {
      const { status, work } = await measure(getRaw(port, [`Authorization: Bearer ${key}`]));
      return status === 200 ? work.lookups : Number.NaN;
    },
    close: () => {
      signatures.mockRestore();
      return close();
    },
  };
}
