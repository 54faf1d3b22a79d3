/** A client of the token endpoint, as a caller of the service would write it. */

export interface Client {
  readonly tokenEndpoint: string;
  readonly accessKeyId: string;
  readonly accessKeySecret: string;
}

/** Obtains an access token with the default scopes of the access key. */
export async function obtainToken({ tokenEndpoint, accessKeyId, accessKeySecret }: Client): Promise<string> {
  const credentials = Buffer.from(`${accessKeyId}:${accessKeySecret}`).toString('base64');
  const response = await fetch(tokenEndpoint, {
    method: 'POST',
    headers: { Authorization: `Basic ${credentials}`, Connection: 'close' },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  if (!response.ok)
    throw new Error(
      `the access key ${accessKeyId} got no access token: the token endpoint returned status ${response.status}`,
    );
  const { access_token: token } = (await response.json()) as { access_token: string };
  return token;
}
