/** What is printed at the start: each step of a client as a command to copy. */
export function welcome(baseUrl: string, clientId: string, clientSecret: string): string {
  const headers = ['Content-Type: application/json', 'Accept: application/json, text/event-stream'];
  const call = (message: object) =>
    [
      `curl -i ${baseUrl}/mcp -H "Authorization: Bearer $TOKEN"`,
      ...headers.map((header) => `-H '${header}'`),
      `-d '${JSON.stringify({ jsonrpc: '2.0', id: 1, ...message })}'`,
    ].join(' ');
  const token = (scope: string) =>
    `TOKEN=$(curl -s ${baseUrl}/connect/token -u ${clientId}:${clientSecret} -d grant_type=client_credentials -d 'scope=${scope}' | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`;

  return `MCP server: ${baseUrl}/mcp

1. Without a token: 401, which names the metadata and the scope
curl -i -X POST ${baseUrl}/mcp

2. The metadata name the issuer, and its metadata the token endpoint
curl ${baseUrl}/.well-known/oauth-protected-resource/mcp
curl ${baseUrl}/.well-known/oauth-authorization-server

3. A token, and the first tool
${token('notes:read')}
${call({ method: 'tools/call', params: { name: 'list_notes', arguments: {} } })}

4. The second tool: 403, which names both scopes
${call({ method: 'tools/call', params: { name: 'add_note', arguments: { text: 'Hello' } } })}

5. With both it succeeds
${token('notes:read notes:write')}
${call({ method: 'tools/call', params: { name: 'add_note', arguments: { text: 'Hello' } } })}

Client ID:     ${clientId}
Client secret: ${clientSecret}
Ctrl-C stops the server.`;
}
