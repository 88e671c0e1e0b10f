import { existsSync } from 'node:fs';

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
} from '../model.ts';
import { checkForms } from './check-forms.ts';
import { checkProcesses } from './check-processes.ts';
import { checkRules } from './check-rules.ts';
import { checkSeeds } from './check-seeds.ts';
import { checkUsers } from './check-users.ts';
import { DefinitionError } from './definition-error.ts';
import { readKind } from './read-kind.ts';

/** All that the platform is made of, checked as a whole. */
export interface Definitions {
  readonly forms: ReadonlyMap<string, Form>;
  readonly processes: ReadonlyMap<string, Process>;
  /** By the path segment that names a rule: component and version, joined by one hyphen. */
  readonly rules: ReadonlyMap<string, Rule>;
  readonly users: ReadonlyMap<string, User>;
  readonly seeds: readonly Seed[];
}

/**
 * Reads a folder of YAML definitions: `forms`, `processes`, `rules`, `users` and `data`, each a folder of files,
 * a file of that name, or absent.
 *
 * @throws {DefinitionError} naming every problem with its file and line.
 */
export function loadDefinitions(folder: string): Definitions {
  if (!existsSync(folder)) throw new DefinitionError(folder, ['there is no such folder']);
  const problems: string[] = [];

  const forms = readKind(folder, 'forms', { schema: formSchema, problems });
  const processes = readKind(folder, 'processes', { schema: processSchema, problems });
  const rules = readKind(folder, 'rules', { schema: ruleSchema, problems });
  const users = readKind(folder, 'users', { schema: usersSchema, problems });
  const seeds = readKind(folder, 'data', { schema: seedSchema, problems });

  // A file that cannot be read would make every reference to it look wrong: those come after it is mended.
  if (problems.length > 0) throw new DefinitionError(folder, problems);

  const formsById = checkForms(forms, problems);
  const processesById = checkProcesses(processes, problems);
  const rulesByRef = checkRules(rules, problems);
  const known = { forms: formsById, processes: processesById, rules: rulesByRef };
  const usersByName = checkUsers(users, { ...known, problems });
  checkSeeds(seeds, { forms: formsById, problems });

  if (problems.length > 0) throw new DefinitionError(folder, problems);
  return { ...known, users: usersByName, seeds: seeds.map(({ value }) => value) };
}
