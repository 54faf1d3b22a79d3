/**
 * Servers of an Express app: one of plain Express, and one that creates requests with the prototypes of the app.
 *
 * Express gives each request and response the prototypes of the app by `Object.setPrototypeOf`. On Node 20 and 22 V8 makes a
 * shape for each of them then: no property of one is found quickly, and much of their garbage outlives scavenges, which take
 * milliseconds for it. Where requests are made with those prototypes there is nothing left to set.
 */
import { createServer, IncomingMessage, ServerResponse } from 'node:http';

export const SERVERS = { express: (app) => createServer(app), prepared };

function prepared(app) {
  class Request extends IncomingMessage {}
  class Response extends ServerResponse {}
  app.request = Object.setPrototypeOf(Request.prototype, app.request);
  app.response = Object.setPrototypeOf(Response.prototype, app.response);
  return createServer({ IncomingMessage: Request, ServerResponse: Response }, app);
}
