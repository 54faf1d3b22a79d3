import { expect, it } from '@jest/globals';
import { tokenService } from '../support/token-service.js';

it('refuses every authorization request without a redirect (RFC 6749 section 4.1.2.1)', async () => {
  const service = await tokenService();
  const query = 'response_type=code&client_id=x&redirect_uri=https%3A%2F%2Fevil.example%2F&state=1';
  const response = await fetch(`${service.url}/connect/authorize?${query}`, { redirect: 'manual' });
  expect(response.status).toBe(400);
  expect(response.headers.get('location')).toBeNull();
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(await response.json()).toEqual({
    error: 'unsupported_response_type',
    error_description: 'This issuer does not support authorization requests; use the client credentials grant',
  });
  await service.close();
});
