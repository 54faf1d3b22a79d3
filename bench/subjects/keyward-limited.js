/** keyward with a key whose requests are limited, and counted in memory. */
import { requireRateLimit } from 'keyward';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { make as makeForKeys } from './keyward-key.js';

export const title = 'keyward, a key, with a limit';

const LIMITS = [{ requests: 1_000_000_000, seconds: 3_600 }];

export function make(platform) {
  const counter = (options) => new RateLimiterMemory(options);
  return [...makeForKeys(platform), requireRateLimit({ counter, default: LIMITS, onOutage: 'refuse' })];
}
