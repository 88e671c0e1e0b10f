import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isNode, LineCounter, parseDocument } from 'yaml';
import type { z } from 'zod';

import {
  checkForms,
  checkProcesses,
  checkRules,
  checkSeeds,
  checkUsers,
  type Located,
} from './check-definitions.ts';
import {
  type Form,
  formSchema,
  type Process,
  processSchema,
  type Rule,
  ruleSchema,
  type Seed,
  seedSchema,
  type User,
  usersSchema,
} from './model.ts';

/** All definitions of a platform. Their references to each other are valid. */
export interface Definitions {
  readonly forms: ReadonlyMap<string, Form>;
  readonly processes: ReadonlyMap<string, Process>;
  /** The key is the rule's path segment: component and version, joined by one hyphen. */
  readonly rules: ReadonlyMap<string, Rule>;
  readonly users: ReadonlyMap<string, User>;
  readonly seeds: readonly Seed[];
}

/** Every problem of a folder of definitions, so that one round of edits can fix them all. */
export class DefinitionError extends Error {
  override readonly name = 'DefinitionError';
  /** One line each: "file:line: problem", the file relative to the folder. */
  readonly problems: readonly string[];

  constructor(folder: string, problems: readonly string[]) {
    const lines = problems.map((problem) => `  - ${problem}`);
    super(`Invalid definitions in ${folder}:\n${lines.join('\n')}`);
    this.problems = problems;
  }
}

/**
 * Reads a folder of YAML definitions: `forms`, `processes`, `rules`, `users` and `data`. Each is a
 * folder of files or one file of that name, and may be absent.
 *
 * @throws {DefinitionError} with the file and line of every problem.
 */
export function loadDefinitions(folder: string): Definitions {
  if (!existsSync(folder)) throw new DefinitionError(folder, ['the folder does not exist']);
  const problems: string[] = [];

  const forms = readKind(folder, 'forms', { schema: formSchema, problems });
  const processes = readKind(folder, 'processes', { schema: processSchema, problems });
  const rules = readKind(folder, 'rules', { schema: ruleSchema, problems });
  const users = readKind(folder, 'users', { schema: usersSchema, problems });
  const seeds = readKind(folder, 'data', { schema: seedSchema, problems });

  // An unreadable file would make every reference to it look wrong, so references are checked once
  // all files are valid.
  if (problems.length > 0) throw new DefinitionError(folder, problems);

  const known = {
    forms: checkForms(forms, problems),
    processes: checkProcesses(processes, problems),
    rules: checkRules(rules, problems),
  };
  const usersByName = checkUsers(users, known, problems);
  checkSeeds(seeds, known.forms, problems);

  if (problems.length > 0) throw new DefinitionError(folder, problems);
  return { ...known, users: usersByName, seeds: seeds.map(({ value }) => value) };
}

/**
 * Returns the definitions with the rows of `records` instead of their own. `records` maps a form's
 * id to its rows, in the format of `data`.
 *
 * @throws {DefinitionError} with every row that does not fit its form.
 */
export function replaceRecords(
  definitions: Definitions,
  records: Readonly<Record<string, unknown>>,
): Definitions {
  const problems: string[] = [];
  const seeds = Object.entries(records).flatMap(([idForm, instances]) => {
    const at: Located<Seed>['at'] = ([, ...rest]) =>
      ['records', idForm, ...rest].map(String).join('.');
    const { data, error } = seedSchema.safeParse({ idForm, instances });
    problems.push(...(error?.issues ?? []).map((issue) => describeIssue(issue, at)));
    return data ? [{ value: data, at }] : [];
  });
  checkSeeds(seeds, definitions.forms, problems);
  if (problems.length > 0) throw new DefinitionError('records', problems);
  return { ...definitions, seeds: seeds.map(({ value }) => value) };
}

/**
 * Reads every definition of one kind: the files of the folder `kind`, then the file `kind.yaml`. A
 * file that does not match the schema is added to `problems` and left out.
 */
function readKind<S extends z.ZodType>(
  folder: string,
  kind: string,
  { schema, problems }: { readonly schema: S; readonly problems: string[] },
): readonly Located<z.infer<S>>[] {
  return filesOf(folder, kind).flatMap((file) => {
    const { content, problems: faults, at } = readFile(folder, file);
    problems.push(...faults);
    if (faults.length > 0) return [];
    const parsed = schema.safeParse(content);
    if (parsed.success) return [{ value: parsed.data, at }];
    problems.push(...parsed.error.issues.map((issue) => describeIssue(issue, at)));
    return [];
  });
}

function filesOf(folder: string, kind: string): readonly string[] {
  const single = [`${kind}.yaml`, `${kind}.yml`].filter((file) => existsSync(join(folder, file)));
  const inside = join(folder, kind);
  if (!existsSync(inside) || !statSync(inside).isDirectory()) return single;
  const files = readdirSync(inside).filter((file) => /\.ya?ml$/.test(file));
  return [...single, ...files.toSorted().map((file) => `${kind}/${file}`)];
}

/**
 * Reads one YAML file and the line of each value. The content is `undefined` if the file is not
 * valid YAML.
 */
function readFile(folder: string, file: string) {
  const lineCounter = new LineCounter();
  const text = readFileSync(join(folder, file), 'utf8');
  const document = parseDocument(text, { lineCounter, intAsBigInt: true, prettyErrors: false });
  const lineAt = (offset: number) => `${file}:${Math.max(lineCounter.linePos(offset).line, 1)}`;

  const at: Located<unknown>['at'] = (path) => {
    const node = path.length === 0 ? document.contents : document.getIn(path, true);
    if (isNode(node) && node.range) return lineAt(node.range[0]);
    return path.length === 0 ? lineAt(0) : at(path.slice(0, -1));
  };
  const problems = document.errors.map(({ message, pos }) => `${lineAt(pos[0])}: ${message}`);
  const content = problems.length > 0 ? undefined : narrowIntegers(document.toJS());
  return { content, problems, at };
}

/** Converts safe integers to numbers. Others stay bigints. */
function narrowIntegers(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (Array.isArray(value)) return value.map(narrowIntegers);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([key, member]) => [key, narrowIntegers(member)]);
  return Object.fromEntries(members);
}

/** Formats an issue: "forms/expense.yaml:12: fields.2.type: is missing". */
function describeIssue(issue: z.core.$ZodIssue, at: Located<unknown>['at']): string {
  const unknownKeys = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
  const path = [...issue.path, ...unknownKeys];
  const name = issue.path.length === 0 ? '' : `${issue.path.map(String).join('.')}: `;
  // The library's message for a missing value names JavaScript types.
  const isMissing = issue.code === 'invalid_type' && issue.message.endsWith('received undefined');
  return `${at(path)}: ${name}${isMissing ? 'is missing' : issue.message}`;
}
