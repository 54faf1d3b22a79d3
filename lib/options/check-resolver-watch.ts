import type { Options } from './options.js';

/** Checks that the member `watch` of a resolver is a function or absent, and returns the resolver. */
export function checkResolverWatch<R extends { watch?: unknown }>(options: Options, name: string, resolver: R): R {
  if (resolver.watch !== undefined && typeof resolver.watch !== 'function') {
    throw options.mistake(name, 'a resolver whose "watch" is a function or undefined');
  }
  return resolver;
}
