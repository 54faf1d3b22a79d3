/** The lookup of a key alone, in the table that keyward's resolver has. */
export const title = 'the resolver alone';

export function make({ resolveKey, digestOf }) {
  return [
    function resolverAlone(req, _res, next) {
      const { authorization = '' } = req.headers;
      resolveKey({ digest: digestOf(authorization.slice(7)) }).then((record) => {
        const isGood = record !== undefined && record.expiresAt > Date.now();
        next(isGood ? undefined : Object.assign(new Error('no good key'), { status: 401 }));
      });
    },
  ];
}
