import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';

import type { Command } from './commands/command.ts';
import { formatHelp } from './commands/help.ts';
import { key } from './commands/key.ts';
import { sandbox } from './commands/sandbox.ts';
import { schema } from './commands/schema.ts';
import { start } from './commands/start.ts';
import { SettingsError } from './settings/index.ts';

const COMMANDS: readonly Command[] = [start, sandbox, schema, key];

/** Arguments, settings or definitions that cannot work, however often they are tried. */
const EXIT_USAGE = 2;
const EXIT_FAILURE = 1;

/** Ctrl+C under npm comes twice: from the terminal, to all who run in it, and passed on by npm. */
const ECHO_MS = 1_000;

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
const complain = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

try {
  loadEnvFile();
  const { command, args } = readArguments();
  if (command === undefined) say(formatHelp(COMMANDS));
  else await command.run({ env: process.env, args, say, stopped: untilStopped() });
} catch (error) {
  complain(explain(error));
  process.exitCode = isUsage(error) ? EXIT_USAGE : EXIT_FAILURE;
}

/** Reads `.env` of the working folder, if there is one; what the environment says already stands. */
function loadEnvFile(): void {
  if (existsSync('.env')) process.loadEnvFile('.env');
}

/** Gives the command of the arguments and what stands after it; no command when help is asked for. */
function readArguments(): { readonly command: Command | undefined; readonly args: readonly string[] } {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { help: { type: 'boolean', short: 'h' } },
  });
  const [name = start.name, ...args] = positionals;
  if (values.help || name === 'help') return { command: undefined, args };
  const command = COMMANDS.find((candidate) => candidate.name === name);
  if (command !== undefined && args.length <= (command.maxArgs ?? 0)) return { command, args };
  throw new SettingsError([`there is no command ${JSON.stringify(positionals.join(' '))}; --help lists them`]);
}

/** Resolves at the first SIGINT or SIGTERM; one that comes more than a second later ends the process at once. */
function untilStopped(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const signals = ['SIGINT', 'SIGTERM'] as const;
  const stop = () => {
    resolve();
    // Whichever comes then finds nobody listening, which ends the process.
    const deafen = () => {
      for (const signal of signals) process.off(signal, stop);
    };
    setTimeout(deafen, ECHO_MS).unref();
  };
  for (const signal of signals) process.on(signal, stop);
  return promise;
}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return 'Caseway cannot go on, for a reason that it was not told.';
  if ('code' in error && error.code === 'EADDRINUSE') {
    const { port } = error as Error & { readonly port?: number };
    return `Port ${port} is taken by another program; set PORT or SANDBOX_PORT to another one, or to 0 for any.`;
  }
  return error.message;
}

function isUsage(error: unknown): boolean {
  const isArgument = error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
  return isArgument || error instanceof SettingsError || (error instanceof Error && error.name === 'DefinitionError');
}
