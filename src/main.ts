import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';

import type { Command } from './commands/command.ts';
import { explain } from './commands/explain.ts';
import { formatHelp } from './commands/help.ts';
import { key } from './commands/key.ts';
import { sandbox } from './commands/sandbox.ts';
import { schema } from './commands/schema.ts';
import { start } from './commands/start.ts';
import { UsageError } from './commands/usage-error.ts';
import { SettingsError } from './settings/index.ts';

const COMMANDS: readonly Command[] = [start, sandbox, schema, explain, key];

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

for (const stream of [process.stdout, process.stderr]) stream.on('error', unlessUnread);

try {
  loadEnvFile();
  const { command, help, args, options } = readArguments();
  if (help !== undefined) say(help);
  else await command.run({ env: process.env, args, options, say, complain, stopped: untilStopped() });
} catch (error) {
  complain(word(error));
  process.exitCode = isUsage(error) ? EXIT_USAGE : EXIT_FAILURE;
}

/** Whoever reads what is said may leave, as `| head -1` does: what is done goes on, and ends as it would. */
function unlessUnread(error: Error): void {
  if (!('code' in error && error.code === 'EPIPE')) throw error;
}

/** Reads `.env` of the working folder, if there is one; what the environment says already stands. */
function loadEnvFile(): void {
  if (existsSync('.env')) process.loadEnvFile('.env');
}

/** Gives the command of the arguments, what stands after it, and the help where that is what is asked for. */
function readArguments() {
  const [first = start.name] = process.argv.slice(2).filter((arg) => !arg.startsWith('-'));
  const command = COMMANDS.find(({ name }) => name === first) ?? start;
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { help: { type: 'boolean', short: 'h' }, ...command.options },
  });
  const { help, ...options } = values;
  const [name = start.name, ...args] = positionals;
  if (help || name === 'help') return { command, args, options, help: command.usage ?? formatHelp(COMMANDS) };
  if (command.name === name && args.length <= (command.maxArgs ?? 0)) return { command, args, options };
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

function word(error: unknown): string {
  if (!(error instanceof Error)) return 'Caseway cannot go on, for a reason that it was not told.';
  if ('code' in error && error.code === 'EADDRINUSE') {
    const { port } = error as Error & { readonly port?: number };
    return `Port ${port} is taken by another program; set PORT, SANDBOX_PORT or METRICS_PORT to another one, or to 0 for any.`;
  }
  return error.message;
}

function isUsage(error: unknown): boolean {
  const isArgument = error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
  return (
    isArgument ||
    error instanceof SettingsError ||
    error instanceof UsageError ||
    (error instanceof Error && error.name === 'DefinitionError')
  );
}
