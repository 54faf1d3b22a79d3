import { expect, it } from '@jest/globals';
import { managed } from '../../support/managed.js';
import { getRaw } from '../../support/raw-http.js';
import { MOUNT, signInSite } from './sign-in-browser.js';

const at = managed('memory');
const site = signInSite(
  at,
  () => ({}),
  (app) => {
    app.use((_req, res, next) => {
      res.writeHead = () => {
        throw new Error('the host app cannot send headers');
      };
      next();
    });
  },
);

it('a response that cannot be sent ends its connection, so that no browser waits for it', async () => {
  expect((await getRaw(site.port, [], `${MOUNT}/sign-in`)).text).toBe('');
});
