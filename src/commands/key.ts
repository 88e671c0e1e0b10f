import { randomBytes } from 'node:crypto';

import { hashApiKey } from '../edge/callers/api-key.ts';
import type { Command } from './command.ts';

/** `npm run -s key -- NAME`: a new API key for a caller. */
export const key: Command = {
  name: 'key',
  maxArgs: 1,
  about: 'NAME makes an API key for a caller, and the entry of CALLER_KEYS that knows it',
  async run({ say, args: [name = 'caller'] }) {
    const made = randomBytes(32).toString('base64url');
    say(`The key, to give to ${name}; it is not shown again:`);
    say(`  ${made}`);
    say('The entry of CALLER_KEYS:');
    say(`  ${name}:${hashApiKey(made)}`);
  },
};
