import { parseArgs } from 'node:util';

import {
  ALL_SETTINGS,
  BESIDE_ANOTHER,
  FEATURES,
  type RunningGateway,
  readConfig,
  startGateway,
} from '../app/index.ts';
import { ConfigError, type Environment } from '../config/load.ts';
import { packageVersion } from '../config/package.ts';
import { factsOf, type SettingFacts } from '../config/setting-types.ts';
import { type Command, type CommandContext, UsageError } from '../features/command.ts';
import { createConsoleLog, createLineLog, readPublicGraph } from './command.ts';
import { doctor } from './doctor.ts';
import { explain } from './explain.ts';
import { key } from './key.ts';
import { schema } from './schema.ts';
import { start } from './start.ts';
import { unknownSettings } from './unknown-settings.ts';

const COMMANDS: readonly Command[] = [
  start,
  doctor,
  schema,
  explain,
  key,
  ...FEATURES.flatMap(({ commands = [] }) => commands),
];

/** The exit code for invalid arguments, settings or definitions. Trying again does not help. */
const EXIT_USAGE = 2;
const EXIT_FAILURE = 1;

interface CliContext extends Omit<CommandContext, keyof Parsed | 'readGraph' | 'startGateway'> {
  /** The names that the file `.env` sets. */
  readonly envFileNames: readonly string[];
}

/** Runs the command in the arguments. The default is `start`. Resolves to the exit code. */
export async function runCli(argv: readonly string[], context: CliContext): Promise<number> {
  try {
    const parsed = parse(argv);
    if (parsed.options['version']) {
      context.stdout(packageVersion());
      return 0;
    }
    if (parsed.options['help']) {
      context.stdout(parsed.command === undefined ? formatHelp() : formatUsage(parsed.command));
      return 0;
    }
    return await runCommand(parsed, context);
  } catch (error) {
    context.stderr(messageOf(error));
    return isUsage(error) ? EXIT_USAGE : EXIT_FAILURE;
  }
}

/** Warns of unknown settings and runs the command. Resolves to the exit code. */
async function runCommand(
  { command = start, args, options }: Parsed,
  context: CliContext,
): Promise<number> {
  const unknown = unknownSettings(context.env, context.envFileNames);
  const isLogged =
    command === start && !options['check'] && context.env['NODE_ENV'] === 'production';
  for (const problem of unknown) {
    if (isLogged) createLineLog(context.stderr).warn(problem);
    else context.stderr(`Warning: ${problem}`);
  }
  await command.run({
    ...context,
    args,
    options,
    readGraph: (env = context.env) => readPublicGraph({ ...context, args, options, env }),
    startGateway: (env) => startBeside(env, context),
  });
  // A start only warns of an unknown setting. `--check` fails.
  return options['check'] && unknown.length > 0 ? EXIT_USAGE : 0;
}

/**
 * Starts a gateway next to another one on this machine.
 *
 * @throws {ConfigError} for invalid and unknown settings.
 */
async function startBeside(env: Environment, { stderr }: CliContext): Promise<RunningGateway> {
  const config = readConfig({ ...BESIDE_ANOTHER, ...env });
  const problems = unknownSettings(env, Object.keys(env));
  if (problems.length > 0) throw new ConfigError(problems);
  // No client waits for this gateway, so it stops immediately.
  const limits = { ...config.limits, shutdownMs: 0 };
  return startGateway({ ...config, limits }, createConsoleLog(stderr));
}

interface Parsed extends Pick<CommandContext, 'args' | 'options'> {
  readonly command: Command | undefined;
}

function parse(argv: readonly string[]): Parsed {
  const first = argv.find((arg) => !arg.startsWith('-'));
  if (first === 'help') return parse([...argv.filter((arg) => arg !== first), '--help']);
  const command = COMMANDS.find(({ name }) => name === first);
  if (first !== undefined && command === undefined) {
    throw new UsageError(
      `There is no command "${first}". Commands: ${COMMANDS.map(({ name }) => name).join(', ')}.`,
    );
  }
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean' },
      ...(command ?? start).options,
      ...(command?.readsSchema && { snapshot: { type: 'string' as const } }),
    },
  });
  const args = positionals.slice(1);
  const isTooMany = args.length > (command?.maxArgs ?? 0);
  if (isTooMany && !values.help)
    throw new UsageError(`"${first}" takes no argument "${args.at(-1)}"; see --help.`);
  if ('generic' in values && 'snapshot' in values && !values.help)
    throw new UsageError('--generic needs no --snapshot.');
  return { command, args, options: values };
}

const formatUsage = ({ usage = formatHelp(), readsSchema }: Command): string =>
  readsSchema ? `${usage}\n\n${SNAPSHOT_USAGE}` : usage;

const SNAPSHOT_USAGE = [
  'The source of the schema, instead of the platform:',
  '',
  '  --snapshot FILE  take the forms from a file that TYPED_SNAPSHOT keeps, without calls',
].join('\n');

function formatHelp(): string {
  const width = Math.max(...COMMANDS.map(({ name }) => name.length));
  return [
    'Caseway: one GraphQL endpoint in front of a forms, cases and rules platform.',
    '',
    'Usage: caseway COMMAND [OPTIONS], such as caseway doctor',
    '       npm run -s COMMAND [-- OPTIONS] in a checkout, such as npm run -s doctor',
    '',
    'Commands:',
    ...COMMANDS.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    '',
    'Options:',
    '  --help     print this, or the usage of a command',
    '  --version  print the version',
    '  --check    of start: check settings, keys, documents, roles, secrets and certificates, without a start',
    '',
    'Settings are environment variables:',
    '',
    describeSettings(),
  ].join('\n');
}

/** Returns the settings in groups, for `--help`. */
const describeSettings = (): string =>
  ALL_SETTINGS.map((group) =>
    [`${group.meta()?.title}:`, ...describeGroup(factsOf(group))].join('\n'),
  ).join('\n\n');

function describeGroup(settings: readonly SettingFacts[]): string[] {
  const width = Math.max(...settings.map(({ name }) => name.length));
  return settings.map((setting) => {
    const { name, unit, isSecret, description = '' } = setting;
    const facts = [unit, defaultOf(setting), isSecret ? `or ${name}_FILE` : ''].filter(Boolean);
    const extra = facts.length > 0 ? ` (${facts.join('; ')})` : '';
    return `  ${name.padEnd(width)}  ${plain(description + extra)}`;
  });
}

function defaultOf({ default: value, whenUnset }: SettingFacts): string {
  if (value !== undefined) return `default ${value}`;
  return whenUnset === undefined ? '' : `default: ${whenUnset}`;
}

const plain = (text: string): string => text.replaceAll('`', '');

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return 'Caseway failed without a reason.';
  // Node appends a hint about positional arguments, which does not apply to any command.
  if (isParseError(error)) return `${error.message.split('. ')[0]}; see --help.`;
  return error.message;
}

const isParseError = (error: Error): boolean =>
  'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');

function isUsage(error: unknown): boolean {
  return (
    error instanceof ConfigError ||
    error instanceof UsageError ||
    (error instanceof Error && isParseError(error))
  );
}
