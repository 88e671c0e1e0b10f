import { randomBytes } from 'node:crypto';
import { type Command, UsageError } from '../features/command.ts';
import { hashApiKey } from '../http/auth/callers.ts';

/** `caseway key NAME`: creates an API key for a caller. */
export const key: Command = {
  name: 'key',
  maxArgs: 1,
  summary: 'NAME makes an API key for a caller, and the entry of CALLER_KEYS that knows it',
  usage: [
    'Usage: caseway key NAME',
    '',
    'Makes an API key for a caller, and prints it once, with the entry of CALLER_KEYS that knows it.',
    '',
    '  NAME  how log and limits call the caller; no colon, no comma. Several entries may have one name: old and new key.',
    '',
    'It ends with 0, and with 2 for a name that cannot be one.',
  ].join('\n'),
  async run({ stdout, args: [name = ''] }) {
    if (name === '')
      throw new UsageError('Name the caller that gets the key, such as key web; see --help.');
    if (/[:,\n]/.test(name))
      throw new UsageError(
        'A name has no colon and no comma: these divide the entries of CALLER_KEYS.',
      );
    const made = randomBytes(32).toString('base64url');
    stdout(`The API key for ${name}, which is not shown again:`);
    stdout(`  ${made}`);
    stdout(
      'Give it to the caller, who sends it as x-api-key. Add the entry below to CALLER_KEYS and restart,',
    );
    stdout(
      'or to the file of CALLER_KEYS_FILE, which a running gateway reads again within ten seconds.',
    );
    stdout('The entry of CALLER_KEYS:');
    // Printed last, so that scripts can read it by `tail -1`.
    stdout(`  ${name}:${hashApiKey(made)}`);
  },
};
