import { object, withDefault } from '../options/option-table.js';
import { type Clock, systemClock } from './clock.js';

/** The option `clock` of `apiKeys`, `accessTokens` and other factories. Default: the clock of the machine. */
export const clockOption = withDefault(object<Clock>(['now', 'monotonic']), systemClock);
