/** Requests as a middleware in Express meets them, without a socket, and lanes to send them down. */
import { IncomingMessage } from 'node:http';
import express from 'express';

const app = express();
const socket = Object.freeze({ remoteAddress: '127.0.0.1', encrypted: false });

class Request {
  headers;
  rawHeaders;
  method = 'GET';
  url = '/payments';
  socket = socket;
  constructor(authorization) {
    this.headers = { host: 'api.test', 'user-agent': 'bench', accept: '*/*' };
    this.rawHeaders = ['Host', 'api.test', 'User-Agent', 'bench', 'Accept', '*/*'];
    if (authorization === undefined) return;
    this.headers.authorization = authorization;
    this.rawHeaders.push('Authorization', authorization);
  }
}
// As Express does with every request.
Object.setPrototypeOf(Request.prototype, app.request);

/** A request that presents a credential, or none. Texts are made by concatenation, as a parser does not make them. */
export function requestWith(credential) {
  return new Request(credential === undefined ? undefined : Buffer.from(`Bearer ${credential}`).toString('latin1'));
}

/**
 * A request as a handler of plain Express gets it: Node made it, the app then set its prototype, and the router its own properties
 * after that. These make V8 find properties slowly; the prototype alone does not.
 */
export function requestByExpress(credential) {
  const { headers, rawHeaders, method, url } = requestWith(credential);
  const request = Object.assign(new IncomingMessage(socket), { headers, rawHeaders, method, url });
  Object.setPrototypeOf(request, app.request);
  return Object.assign(request, { originalUrl: url, baseUrl: '', next: undefined, params: {}, route: undefined });
}

/**
 * A way for one request at a time through middlewares. `send` returns nothing where the last of them called `next` at once, else
 * a promise of it; a refusal is thrown.
 */
export function lane(middlewares) {
  let [at, req, arrived, refusal, settle] = [0, undefined, false, undefined, undefined];
  const response = { headersSent: false, statusCode: 200, getHeader: () => undefined, setHeader: () => response, end };

  function next(error) {
    if (error !== undefined && error !== null) return finish(error);
    at += 1;
    if (at === middlewares.length) finish(undefined);
    else middlewares[at](req, response, next);
  }
  function end() {
    finish(Object.assign(new Error('refused'), { status: response.statusCode }));
  }
  function finish(error) {
    arrived = true;
    refusal = error;
    settle?.();
  }
  function conclude() {
    if (refusal !== undefined) throw refusal;
  }
  return {
    send(request) {
      [at, req, arrived, refusal, settle] = [0, request, false, undefined, undefined];
      middlewares[0](req, response, next);
      if (arrived) return conclude();
      return new Promise((resolve) => {
        settle = resolve;
      }).then(conclude);
    },
  };
}
