/** A `fetch` that answers at once, and sends nothing. */
export const RESOURCE = 'https://api.example.com/payments';
export const TOKEN_ENDPOINT = 'https://issuer.example.com/token';

const TOKEN = JSON.stringify({ access_token: 'token', token_type: 'Bearer', expires_in: 86_400 });
const JSON_HEADERS = { 'content-type': 'application/json' };

export async function answers(input, init) {
  const { url } = new Request(input, init);
  return url === TOKEN_ENDPOINT ? new Response(TOKEN, { headers: JSON_HEADERS }) : new Response('{}');
}
