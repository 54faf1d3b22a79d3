import { it } from '@jest/globals';

/** `it`, for tests that need Linux, for example its `/proc`; they are skipped on other systems. */
export const onLinux = process.platform === 'linux' ? it : it.skip;
