/** No check at all: the limit of whatever carries the requests. */
export const title = 'no authentication';
export const isOpen = true;

export const make = () => [(_req, _res, next) => next()];
