import { existsSync } from 'node:fs';
import type { GraphQLSchema } from 'graphql';
import { readJsonFile } from '../../config/files.ts';
import { isJsonObject, type JsonObject } from '../../core/json.ts';
import { type Command, UsageError, writeJson } from '../command.ts';
import { firstWords, readAliases, repeated, toPascal, uncapitalize } from './names.ts';
import type { TypedForm } from './typed-form.ts';

/** `caseway aliases`: writes the file of `TYPED_ALIASES`, with a name for each form. */
export const aliases: Command = {
  name: 'aliases',
  maxArgs: 1,
  summary: 'FILE adds names for forms without an alias, for TYPED_ALIASES',
  options: {
    all: { type: 'boolean' },
    'as-served': { type: 'boolean' },
    check: { type: 'boolean' },
  },
  readsSchema: true,
  usage: [
    'Usage: caseway aliases [FILE] [--all] [--as-served] [--check]',
    '',
    'Writes names for the forms of the configured platform, or of the sandbox if no platform is set. With',
    'TYPED_ALIASES set to this file, no later form can change them. The names are proposals: change them before a',
    'client uses them, and commit the file.',
    '',
    '  FILE             the file; default: TYPED_ALIASES. Its names for other forms stay',
    '  --all            propose new names for all forms, not only for forms without one',
    '  --as-served      propose the current names',
    '  --check          write nothing, and fail if a form has no name in the file',
    '',
    'Exit code: 0; 1 if the forms cannot be read or --check finds one without a name; 2 for wrong arguments',
    'or a file that cannot be used.',
  ].join('\n'),

  async run(context) {
    const { args, env, options, stdout } = context;
    const file = args[0] ?? env['TYPED_ALIASES'];
    if (!file) throw new UsageError('Name the file to write, or set TYPED_ALIASES; see --help.');
    const known = readKnown(file);
    const served = { ...env, TYPED_ALIASES: known && file };
    const { schema } = await context.readGraph(served);
    const { typedForms: forms = [] } = schema.extensions;

    const unnamed = forms.filter(
      ({ formId }) => options['all'] || nameIn(known, formId) === undefined,
    );
    if (options['check']) {
      checkNames(unnamed, file);
      return stdout(`All forms have aliases in ${file}.`);
    }
    const names = proposeNames(unnamed, schema, options['as-served'] === true);
    const entries = [...names].map(
      ([formId, name]) => [formId, { ...entryOf(known, formId), name }] as const,
    );
    if (entries.length > 0) writeJson(file, { ...known, ...Object.fromEntries(entries) });
    for (const {
      formId,
      names: { type },
    } of unnamed)
      stdout(describe(formId, type, names.get(formId) ?? type));
    stdout(`${entries.length} of ${forms.length} forms have new aliases in ${file}.`);
    if (env['TYPED_ALIASES'] !== file) stdout(`Set TYPED_ALIASES=${file} to serve them.`);
  },
};

const describe = (formId: string, served: string, name: string): string =>
  `${JSON.stringify(formId)}: ${name}${served === name ? '' : ` (served as ${served} now)`}`;

/**
 * Checks that all forms have names in the file.
 *
 * @throws {Error} listing the forms without a name.
 */
function checkNames(unnamed: readonly TypedForm[], file: string): void {
  if (unnamed.length === 0) return;
  const list = unnamed.map(
    ({ formId, names }) => `  ${JSON.stringify(formId)}, served as ${names.type}`,
  );
  throw new Error(`${unnamed.length} forms have no name in ${file}:\n${list.join('\n')}`);
}

/**
 * Reads the file. Returns `undefined` if it does not exist.
 *
 * @throws {UsageError} if it is not a valid file of aliases.
 */
function readKnown(file: string): JsonObject | undefined {
  if (!existsSync(file)) return undefined;
  const read = readJsonFile(file);
  const reading = 'value' in read ? readAliases(read.value) : read;
  if ('problems' in reading)
    throw new UsageError(reading.problems.map((problem) => `${file}: ${problem}`).join('\n'));
  return 'value' in read && isJsonObject(read.value) ? read.value : undefined;
}

function entryOf(known: JsonObject | undefined, formId: string): JsonObject {
  const entry = known && Object.hasOwn(known, formId) ? known[formId] : undefined;
  return isJsonObject(entry) ? entry : {};
}

const nameIn = (known: JsonObject | undefined, formId: string) => entryOf(known, formId)['name'];

/**
 * Returns a name for each form, made of the words of its title. If that name is in use or proposed
 * twice, or `isServed` is set, it is the current name.
 */
function proposeNames(
  forms: readonly TypedForm[],
  schema: GraphQLSchema,
  isServed: boolean,
): ReadonlyMap<string, string> {
  const proposals = forms.map(({ title, names }) => {
    const name = toPascal(firstWords(title), 'Form');
    const isTaken = schema.getType(name) ?? schema.getQueryType()?.getFields()[uncapitalize(name)];
    return isServed || isTaken ? names.type : name;
  });
  const twice = repeated(proposals);
  return new Map(
    forms.map(({ formId, names }, index) => {
      const name = proposals[index] ?? names.type;
      return [formId, twice.has(name) ? names.type : name];
    }),
  );
}
