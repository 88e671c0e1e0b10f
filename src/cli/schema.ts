import { readFileSync } from 'node:fs';
import { type GraphQLSchema, introspectionFromSchema, isAbstractType } from 'graphql';
import { type Command, type CommandContext, UsageError } from '../command.ts';
import { createSchema, printSdl } from '../graphql/schema.ts';
import { compareSchemas, type SchemaChange, SEVERITIES, type Severity } from '../graphql/schema-diff.ts';

/** `caseway schema`: the public schema, for code generators and reviews. */
export const schema: Command = {
  name: 'schema',
  summary: 'prints the public schema (SDL), or compares it with an older one (--against FILE)',
  options: {
    generic: { type: 'boolean' },
    format: { type: 'string' },
    against: { type: 'string' },
    'fail-on': { type: 'string' },
    json: { type: 'boolean' },
  },
  readsSchema: true,
  usage: [
    'Usage: caseway schema [--generic] [--format FORMAT]',
    '       caseway schema --against FILE [--fail-on breaking|dangerous|safe|never] [--json] [--generic]',
    '',
    'Prints the public schema as SDL, or what has changed since an older one. The forms are those of the platform that the',
    'settings name, read from it; without one, those of the sandbox.',
    '',
    '  --generic        leave the forms’ types out: what every gateway has',
    '  --format FORMAT  sdl; introspection, as JSON for graphcache; or possible-types, which types each interface stands for,',
    '                   as JSON for Apollo Client; not given: sdl',
    '  --against FILE   the older schema, as this command printed it',
    '  --fail-on KIND   the mildest change to fail on; not given: breaking',
    '  --json           print the changes as JSON',
    '',
    'A breaking change fails operations that worked. A dangerous one lets them work, but they may mean something else (a',
    'default) or have answers that they never had (a new choice). All other changes are safe.',
    '',
    'It ends with 0, with 1 where there is a change to fail on or the forms cannot be read, and with 2 for wrong arguments.',
  ].join('\n'),

  async run(context) {
    const { options, stdout } = context;
    const { against, json } = options;
    const failing = readFailing(options);
    const print = readFormat(options);
    const schema = options['generic'] ? createSchema() : await context.readSchema();
    if (against === undefined) return stdout(print(schema));

    const changes = await compare(String(against), printSdl(schema));
    stdout(json ? JSON.stringify({ changes }, undefined, 2) : formatChanges(changes, String(against)));
    const failed = changes.filter(({ severity }) => failing.includes(severity));
    if (failed.length > 0) throw new Error(`${failed.length} changes to fail on: ${failing.join(', ')}.`);
  },
};

const FORMATS: Readonly<Record<string, (schema: GraphQLSchema) => string>> = {
  sdl: (schema) => printSdl(schema).trimEnd(),
  introspection: (schema) => JSON.stringify(introspectionFromSchema(schema, { descriptions: false })),
  'possible-types': (schema) => JSON.stringify(possibleTypesOf(schema), undefined, 2),
};

/** How the schema is printed. */
function readFormat({ against, format }: CommandContext['options']): (schema: GraphQLSchema) => string {
  if (against !== undefined && format !== undefined) throw new UsageError('--format goes without --against FILE.');
  const print = FORMATS[String(format ?? 'sdl')];
  if (print !== undefined) return print;
  throw new UsageError(`--format is one of ${Object.keys(FORMATS).join(', ')}, and not ${JSON.stringify(format)}.`);
}

/** Which types each interface stands for. */
function possibleTypesOf(schema: GraphQLSchema): Record<string, string[]> {
  const abstract = Object.values(schema.getTypeMap()).filter(isAbstractType);
  return Object.fromEntries(
    abstract
      .filter(({ name }) => !name.startsWith('__'))
      .map((type) => [type.name, schema.getPossibleTypes(type).map(({ name }) => name)]),
  );
}

/** The kinds of changes to fail on. */
function readFailing({ against, json, 'fail-on': mildest }: CommandContext['options']): Severity[] {
  if (against === undefined && (json ?? mildest) !== undefined) {
    throw new UsageError('--json and --fail-on go with --against FILE.');
  }
  if (mildest === 'never') return [];
  const last = SEVERITIES.map(String).indexOf(String(mildest ?? 'breaking'));
  if (last !== -1) return SEVERITIES.slice(0, last + 1);
  throw new UsageError(`--fail-on is one of ${SEVERITIES.join(', ')}, never, and not ${JSON.stringify(mildest)}.`);
}

async function compare(file: string, after: string): Promise<readonly SchemaChange[]> {
  const before = readOlder(file);
  try {
    return await compareSchemas(before, after);
  } catch (error) {
    throw new UsageError(`${file} is no schema in SDL: ${error instanceof Error ? error.message : 'unknown error'}`);
  }
}

function readOlder(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(
      `--against: cannot read ${file}: ${error instanceof Error && 'code' in error ? error.code : 'unknown error'}`,
    );
  }
}

/** The effect of each kind of change on existing clients. */
const MEANINGS = {
  breaking: 'Breaking: what was right may fail.',
  dangerous: 'Dangerous: what was right goes on, and may mean something else, or answer what it never did.',
  safe: 'Safe.',
} as const satisfies Record<Severity, string>;

/** Formats changes as text. */
function formatChanges(changes: readonly SchemaChange[], against: string): string {
  if (changes.length === 0) return `Nothing has changed since ${against}.`;
  const bySeverity = (severity: Severity) => changes.filter((change) => change.severity === severity);
  const counts = SEVERITIES.map((severity) => `${bySeverity(severity).length} ${severity}`);
  return [
    `Changes since ${against}: ${counts.join(', ')}.`,
    ...SEVERITIES.flatMap((severity) => formatKind(MEANINGS[severity], bySeverity(severity))),
  ].join('\n');
}

function formatKind(meaning: string, changes: readonly SchemaChange[]): string[] {
  if (changes.length === 0) return [];
  return ['', meaning, ...changes.map(({ place = '(schema)', message }) => `  ${place}: ${message}`)];
}
