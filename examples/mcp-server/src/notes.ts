/** The MCP server: two tools over a list of notes. */
import { fromJsonSchema, type McpRequestContext, McpServer } from '@modelcontextprotocol/server';

/** What each tool needs beside the scope of every request, `notes:read`. */
export const TOOL_SCOPES = { list_notes: [], add_note: ['notes:write'] };

const NOTE = fromJsonSchema<{ text: string }>({
  type: 'object',
  properties: { text: { type: 'string', maxLength: 200 } },
  required: ['text'],
});
const MAX_NOTES = 100;

/** Returns a function that makes the server of one request. The notes are shared, each with the client that wrote it. */
export function notesServer(): (context: McpRequestContext) => McpServer {
  const notes: string[] = [];

  return ({ authInfo }) => {
    const server = new McpServer({ name: 'notes', version: '1.0.0' });
    server.registerTool('list_notes', { description: 'Lists the notes' }, () => ({
      content: notes.map((text) => ({ type: 'text', text })),
    }));
    server.registerTool('add_note', { description: 'Adds a note', inputSchema: NOTE }, ({ text }) => {
      notes.push(`${text} (${authInfo?.clientId})`);
      if (notes.length > MAX_NOTES) notes.shift();
      return { content: [{ type: 'text', text: 'Added' }] };
    });
    return server;
  };
}
