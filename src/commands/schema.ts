import { createSchema, printSdl } from '../graph/schema.ts';
import type { Command } from './command.ts';

/** `npm run schema`: the public schema, for code generators and reviews. */
export const schema: Command = {
  name: 'schema',
  about: 'prints the public schema (SDL)',
  async run({ say }) {
    say(printSdl(createSchema()).trimEnd());
  },
};
