/** The other end of `startInstrumented`: an app on an Express that something has wrapped, in a process of its own. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { createServer, type RequestListener } from 'node:http';
import { createRequire, register } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type Context, type ContextManager, context, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { assertGuarded, auditRoutes, bearerErrors, requireApi, requireBearer } from 'keyward';
import type { Instrumented, InstrumentedResult } from './instrumented-app.js';
import { keyPrincipal } from './principals.js';

process.once('message', async (instrumented: Instrumented) => {
  process.send?.(await run(instrumented));
});

async function run({ by, folder, load }: Instrumented): Promise<InstrumentedResult> {
  const require = createRequire(join(folder, 'app.js'));
  const spans: string[] = [];
  if (by === 'OpenTelemetry') await instrument(spans);
  const createApp = load === 'require' ? require('express') : (await import(join(folder, 'load.mjs'))).default;
  if (by === 'express-async-errors') require('express-async-errors');

  const principal = keyPrincipal({ apis: ['payments'] });
  const gate = requireBearer({
    accept: [{ kinds: ['secret'], verify: (credential) => verdictOf(credential.reveal(), principal) }],
  });
  const handler = (_req: unknown, res: { end(text: string): void }) => res.end('handled');
  const app = createApp();
  app.get('/health', createApp.json(), gate, handler);
  const router = createApp.Router();
  router.use(gate, requireApi('payments'));
  router.get('/:id', handler);
  app.use('/payments', router);
  app.all('/all', gate, handler);
  app.use('/reports', gate, handler);
  app.use('/early', bearerErrors());
  app.get('/plain', createApp.json(), handler);
  app.use(bearerErrors());

  const server = createServer(app as RequestListener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const ask = async (path: string, credential?: string) => {
    const headers = credential === undefined ? {} : { authorization: `Bearer ${credential}` };
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
    return `${response.status} ${await response.text()}`;
  };
  const answers: string[] = [];
  for (const path of ['/health', '/payments/1', '/all', '/reports', '/plain']) {
    for (const credential of [undefined, 'good', 'bad'])
      answers.push(`${path} ${credential} ${await ask(path, credential)}`);
  }
  server.close();
  server.closeAllConnections();
  return {
    answers,
    audited: auditRoutes(app).map(({ method, path, open, guards }) => `${method} ${path} ${open} ${guards.join()}`),
    fault: faultOf(app),
    isWrapped: isWrapped(app),
    spans: [...new Set(spans)],
  };
}

function verdictOf(text: string, principal: ReturnType<typeof keyPrincipal>) {
  return text === 'good'
    ? ({ outcome: 'accepted', principal } as const)
    : ({ outcome: 'refused', reason: 'unknown' } as const);
}

function faultOf(app: object): string {
  try {
    assertGuarded(app);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

/** Whether every layer of an app is wrapped: else the test would show nothing. */
function isWrapped(app: { router?: unknown; _router?: unknown; lazyrouter?: unknown }): boolean {
  const { stack } = (app.lazyrouter === undefined ? app.router : app._router) as {
    stack: { handle: { name: string } }[];
  };
  return stack.some(({ handle }) => Object.hasOwn(handle, '__original') || handle.name === 'newFn');
}

async function instrument(spans: string[]): Promise<void> {
  register('@opentelemetry/instrumentation/hook.mjs', import.meta.url);
  const { registerInstrumentations } = await import('@opentelemetry/instrumentation');
  const { ExpressInstrumentation } = await import('@opentelemetry/instrumentation-express');
  const { HttpInstrumentation } = await import('@opentelemetry/instrumentation-http');
  const { BasicTracerProvider, SimpleSpanProcessor } = await import('@opentelemetry/sdk-trace-base');
  const exporter: ConstructorParameters<typeof SimpleSpanProcessor>[0] = {
    export: (ended) => void spans.push(...ended.map(({ name }) => name)),
    shutdown: async () => {},
  };
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
  context.setGlobalContextManager(contextManager());
  registerInstrumentations({ instrumentations: [new HttpInstrumentation(), new ExpressInstrumentation()] });
  // The instrumentation changes the prototype of every server when the module is next loaded.
  createRequire(import.meta.url)('node:http');
}

function contextManager(): ContextManager {
  const storage = new AsyncLocalStorage<Context>();
  const manager: ContextManager = {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (at, run, self, ...args) => storage.run(at, () => run.apply(self as never, args)),
    bind: (at, target) => {
      if (typeof target !== 'function') return target;
      const bound = function (this: unknown, ...args: unknown[]) {
        return storage.run(at, () => target.apply(this, args));
      };
      return bound as typeof target;
    },
    enable: () => manager,
    disable: () => manager,
  };
  return manager;
}
