import { homedir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';

import { COMMANDS } from './client/commands.ts';
import { createDevice } from './client/device.ts';

const { CASEWAY_URL = 'http://127.0.0.1:4000', CASEWAY_FOLDER = join(homedir(), '.caseway-offline') } = process.env;
const [name = '', ...words] = process.argv.slice(2);
const command = COMMANDS[name];

if (command === undefined || words.length !== command.words.length) {
  process.stderr.write(`${help()}\n`);
  process.exitCode = 2;
} else {
  try {
    const device = createDevice({ url: CASEWAY_URL, path: CASEWAY_FOLDER, now: Date.now });
    const lines = await command.run(device, words, readLine);
    process.stdout.write(`${lines.join('\n')}\n`);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : 'It failed.'}\n`);
    process.exitCode = 1;
  }
}

/** The first line of standard input, so that a password stands neither in a list of processes nor in a history. */
async function readLine(): Promise<string> {
  const lines = createInterface({ input: process.stdin });
  for await (const line of lines) return line;
  return '';
}

function help(): string {
  const rows = Object.entries(COMMANDS).map(
    ([name, { words, about }]) => `  ${[name, ...words].join(' ').padEnd(36)}${about}`,
  );
  return [
    'Usage: npm run -s example:mobile-offline -- COMMAND',
    '',
    ...rows,
    '',
    `The gateway is at ${CASEWAY_URL} (CASEWAY_URL); what is kept lies in ${CASEWAY_FOLDER} (CASEWAY_FOLDER).`,
  ].join('\n');
}
