import { kindOf, type Options } from './options.js';

/** Checks that the member `watch` of a resolver is a function or absent, and returns the resolver. */
export function checkResolverWatch<R extends { watch?: unknown }>(options: Options, name: string, resolver: R): R {
  if (resolver.watch !== undefined && typeof resolver.watch !== 'function') {
    const got = kindOf(resolver.watch);
    throw new TypeError(
      `${options.factory}: "watch" of the option "${name}" must be a function or undefined, got ${got}`,
    );
  }
  return resolver;
}
