import { describe, expect, it } from '@jest/globals';
import { managed } from '../../support/managed.js';
import { servedDashboard } from '../served-dashboard.js';

const at = managed('memory');

describe('CORS of the host app', () => {
  const open = servedDashboard(at, {}, (app) => {
    app.use((req, res, next) => {
      res.set({
        'Access-Control-Allow-Origin': String(req.headers.origin),
        'Access-Control-Allow-Credentials': 'true',
      });
      next();
    });
  });

  it('does not let other origins read a page', async () => {
    const { owner } = await at.account();
    const { headers } = await open.browser(owner).get('/', { origin: 'https://blog.acme.example' });
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
  });
});
