/** Requests as a gate sees them, without a socket: for counts that HTTP would take hours for. */

class SyntheticRequest {
  constructor(authorization) {
    this.headers = { host: 'api.test', authorization };
    this.rawHeaders = ['Host', 'api.test', 'Authorization', authorization];
    this.method = 'GET';
    this.url = '/payments';
  }
}

const response = Object.freeze({ headersSent: true, getHeader: () => undefined, setHeader: () => undefined });

/** Sends a credential through middlewares, one after the other; resolves with the status that would be answered. */
export function present(middlewares, credential) {
  const req = new SyntheticRequest(`Bearer ${credential}`);
  return new Promise((resolve) => {
    const step = (index) => (error) => {
      if (error !== undefined) resolve(error.status ?? 500);
      else if (index === middlewares.length) resolve(200);
      else middlewares[index](req, response, step(index + 1));
    };
    step(0)();
  });
}
