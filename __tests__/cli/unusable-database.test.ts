import { expect, it } from '@jest/globals';
import { commandLine } from '../support/command-line.js';
import { eavesdrop } from '../support/eavesdrop.js';
import { onFastClock } from '../support/fast-clock.js';
import { startStoreProxy } from '../support/store-proxy.js';
import { eventually } from '../support/store-wait.js';
import { onServer, POSTGRES } from '../support/test-stores.js';

/** The command gives up after three seconds: the store tries again after one. */
const SPEED = 3;

onServer('a PostgreSQL server that is down when a command starts', () => {
  it('and then refuses the database of the URL: the error does not say that it cannot be reached', async () => {
    const events = eavesdrop();
    const url = new URL(POSTGRES ?? '');
    url.pathname = '/nothing_here';
    const proxy = await startStoreProxy(url.href);
    await proxy.refuse();
    const running = onFastClock(() => commandLine({ url: proxy.urlOf(url.href) }).run('accounts', 'list'), SPEED);
    await eventually(() => events.heard('keyward:store').length > 0);
    await proxy.accept();
    const { code, out, err } = await running;
    events.stop();
    await proxy.close();
    expect([code, out]).toEqual([3, '']);
    expect(err).toMatch(/^the database postgres:\S+ cannot be used: database "nothing_here" does not exist \(3D000\)/);
  });
});
