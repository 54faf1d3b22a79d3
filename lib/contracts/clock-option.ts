import { object, withDefault } from '../options/option-table.js';
import { type Clock, systemClock } from './clock.js';

/** Checks the option `clock`, which several factories have. */
export const clockOption = withDefault(object<Clock>(['now', 'monotonic']), systemClock);
