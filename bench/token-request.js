/** The request that every server of the bench gets, and what is in the tokens that it asks for. */
export const ID = 'ack_bench';
export const SECRET = 'c2VjcmV0LW9mLXRoZS1iZW5jaC1vZi1rZXl3YXJk';
export const AUDIENCE = 'https://api.example.com';
export const SCOPE = 'payments';
export const LIFETIME = 3_600;

export const HEADERS = Object.freeze({
  Authorization: `Basic ${Buffer.from(`${ID}:${SECRET}`).toString('base64')}`,
  'Content-Type': 'application/x-www-form-urlencoded',
});
export const BODY = `grant_type=client_credentials&scope=${SCOPE}`;
