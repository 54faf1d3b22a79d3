import diagnostics from 'node:diagnostics_channel';

// Node 20 forgets a channel when a former one of its name is collected, as happens between test files of one process.
const NAMES = ['decision', 'look-up-failure', 'key-set', 'feed', 'token', 'issuer', 'store', 'dashboard'];
diagnostics.keywardTests ??= NAMES.map((name) => diagnostics.channel(`keyward:${name}`));
