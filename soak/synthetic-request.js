/** Requests as a gate sees them, without a socket: for counts that HTTP would take hours for. */

class SyntheticRequest {
  constructor(authorization, fields = {}) {
    this.headers = { host: 'api.test', authorization, ...fields };
    this.rawHeaders = Object.entries(this.headers).flat();
    this.method = 'GET';
    this.url = '/payments';
  }
}

const response = Object.freeze({ headersSent: true, getHeader: () => undefined, setHeader: () => undefined });

/** Sends a credential through middlewares, one after the other; resolves with the status that would be answered. */
export function present(middlewares, credential) {
  return send(middlewares, new SyntheticRequest(`Bearer ${credential}`));
}

/** The same for a token that is bound to a key, with a proof of it. */
export function presentProof(middlewares, token, proof) {
  return send(middlewares, new SyntheticRequest(`DPoP ${token}`, { dpop: proof }));
}

function send(middlewares, req) {
  return new Promise((resolve) => {
    const step = (index) => (error) => {
      if (error !== undefined) resolve(error.status ?? 500);
      else if (index === middlewares.length) resolve(200);
      else middlewares[index](req, response, step(index + 1));
    };
    step(0)();
  });
}
