import { object, withDefault } from '../options/option-table.js';
import { type Clock, systemClock } from './clock.js';

/** Checks the option `clock`. Several factories have it. */
export const clockOption = withDefault(object<Clock>(['now', 'monotonic']), systemClock);
