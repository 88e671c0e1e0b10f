import type { z } from 'zod';

import { expressionProblem } from './feel.ts';
import type { JsonObject } from './json.ts';
import type { Activity, Field, Form, Process, Rule, Seed, User, usersSchema } from './model.ts';
import { changeInstance, type HasInstance } from './values.ts';

/** A definition and its place in a file. */
export interface Located<T> {
  readonly value: T;
  /**
   * Returns the place of the value at `path`, or of its nearest parent if it is missing:
   * "forms/expense.yaml:12".
   */
  at(path: readonly PropertyKey[]): string;
}

/** Names that no field may have, because a search uses ids and fields alike. */
const RESERVED = ['idInstance', 'idForm'];

/** Returns the forms by id. Adds each inconsistency to `problems`. */
export function checkForms(
  forms: readonly Located<Form>[],
  problems: string[],
): ReadonlyMap<string, Form> {
  const byId = new Map(forms.map(({ value }) => [value.idForm, value]));
  const ids = forms.map(({ value, at }) => ({ id: value.idForm, at: at(['idForm']) }));
  problems.push(...duplicates('form', ids));
  for (const { value, at } of forms) {
    const fields = value.fields.map((field, index) => ({
      id: field.name,
      at: at(['fields', index]),
      field,
    }));
    problems.push(...duplicates('field', fields));
    for (const { at: line, field } of fields) {
      problems.push(...fieldProblems(field, byId).map((problem) => `${line}: ${problem}`));
    }
  }
  return byId;
}

function fieldProblems(field: Field, forms: ReadonlyMap<string, Form>): readonly string[] {
  const { name, type, options, reference, min, max, maxLength } = field;
  const isNumber = type === 'integer' || type === 'decimal';
  const checks: readonly (readonly [isWrong: boolean, problem: string])[] = [
    [RESERVED.includes(name), 'is a reserved name'],
    [type === 'choice' && options === undefined, 'is a choice without options'],
    [type !== 'choice' && options !== undefined, 'has options, but is not a choice'],
    [new Set(options).size !== (options?.length ?? 0), 'has an option twice'],
    [type === 'reference' && reference === undefined, 'does not say which form it refers to'],
    [type !== 'reference' && reference !== undefined, 'names a form, but is not a reference'],
    [
      reference !== undefined && !forms.has(reference),
      `refers to the form "${reference}", which is not defined`,
    ],
    [!isNumber && (min !== undefined || max !== undefined), 'has min or max, but is not a number'],
    [min !== undefined && max !== undefined && min > max, 'has a min above its max'],
    [type !== 'text' && maxLength !== undefined, 'has a maxLength, but is not a text'],
  ];
  return checks
    .filter(([isWrong]) => isWrong)
    .map(([, problem]) => `the field "${name}" ${problem}`);
}

/** Returns the processes by id. Adds each inconsistency to `problems`. */
export function checkProcesses(
  processes: readonly Located<Process>[],
  problems: string[],
): ReadonlyMap<string, Process> {
  const ids = processes.map(({ value, at }) => ({ id: value.idProcess, at: at(['idProcess']) }));
  problems.push(...duplicates('process', ids));
  for (const { value: process, at } of processes) {
    const variables = process.variables.map(({ name }, index) => ({
      id: name,
      at: at(['variables', index]),
    }));
    const activities = process.activities.map((each, index) => ({
      id: String(each.cdActivity),
      at: at(['activities', index]),
    }));
    problems.push(...duplicates('variable', variables), ...duplicates('activity', activities));
    for (const [index, activity] of process.activities.entries()) {
      const atActivity: Located<Activity>['at'] = (path) => at(['activities', index, ...path]);
      problems.push(...activityProblems(process, { value: activity, at: atActivity }));
    }
  }
  return new Map(processes.map(({ value }) => [value.idProcess, value]));
}

function activityProblems(
  { activities, variables }: Process,
  { value, at }: Located<Activity>,
): readonly string[] {
  const { name, next, requires } = value;
  const problems: string[] = [];
  for (const [step, { when, to }] of next.entries()) {
    const line = at(['next', step]);
    const problem = when === undefined ? undefined : expressionProblem(when, variables);
    if (problem !== undefined)
      problems.push(`${line}: the condition "${when}" is invalid: ${problem}`);
    if (to !== 'end' && !activities.some(({ cdActivity }) => cdActivity === to)) {
      problems.push(`${line}: the next activity ${to} is not defined in this process`);
    }
  }
  // Without a transition that always applies, a case could be stuck.
  if (next.length > 0 && next.at(-1)?.when !== undefined) {
    problems.push(`${at(['next'])}: the last "next" of "${name}" must have no condition`);
  }
  for (const missing of requires.filter(
    (required) => !variables.some((variable) => variable.name === required),
  )) {
    problems.push(`${at(['requires'])}: the variable "${missing}" is not defined`);
  }
  return problems;
}

/**
 * Returns the one path segment that names a rule. Source: rule 1 below the interface's table of
 * operations.
 */
export const ruleRef = ({ cdComponent, cdVersion }: Pick<Rule, 'cdComponent' | 'cdVersion'>) =>
  `${cdComponent}-${cdVersion}`;

/** Returns the rules by path segment. Adds each inconsistency to `problems`. */
export function checkRules(
  rules: readonly Located<Rule>[],
  problems: string[],
): ReadonlyMap<string, Rule> {
  const byRef = new Map<string, Located<Rule>>();
  for (const rule of rules) {
    const ref = ruleRef(rule.value);
    const earlier = byRef.get(ref);
    if (earlier === undefined) byRef.set(ref, rule);
    else {
      // `a-b` + `1` and `a` + `b-1` have the same path, so a caller could not select one of them.
      const other = `${describe(earlier.value)}, defined at ${earlier.at(['cdComponent'])},`;
      const both = `${describe(rule.value)} and ${other}`;
      problems.push(`${rule.at(['cdComponent'])}: ${both} have the same path segment "${ref}"`);
    }
  }
  problems.push(...rules.flatMap(ruleProblems));
  return new Map(rules.map(({ value }) => [ruleRef(value), value]));
}

const describe = ({ cdComponent, cdVersion }: Rule) =>
  `the rule "${cdComponent}" version "${cdVersion}"`;

function ruleProblems({ value: rule, at }: Located<Rule>): readonly string[] {
  const inputs = rule.inputs.map(({ name }, index) => ({ id: name, at: at(['inputs', index]) }));
  const outputs = rule.outputs.map(({ name }, index) => ({ id: name, at: at(['outputs', index]) }));
  const expressions = rule.outputs.flatMap(({ name, expression }, index) => {
    const problem = expressionProblem(expression, rule.inputs);
    const line = at(['outputs', index, 'expression']);
    return problem === undefined
      ? []
      : [`${line}: the expression of "${name}" is invalid: ${problem}`];
  });
  return [...duplicates('input', inputs), ...duplicates('output', outputs), ...expressions];
}

type Known = Readonly<Record<'forms' | 'processes' | 'rules', ReadonlyMap<string, unknown>>>;

/** Returns the users by name. Adds each permission for an unknown id to `problems`. */
export function checkUsers(
  files: readonly Located<z.infer<typeof usersSchema>>[],
  known: Known,
  problems: string[],
): ReadonlyMap<string, User> {
  const users = files.flatMap(({ value, at }) =>
    value.users.map((user, index) => ({
      user,
      at: (path: readonly PropertyKey[]) => at(['users', index, ...path]),
    })),
  );
  if (users.length === 0)
    problems.push('users.yaml: no user is defined, so no client could get a token');
  const names = users.map(({ user, at }) => ({ id: user.username, at: at(['username']) }));
  problems.push(...duplicates('user', names));

  for (const { user, at } of users) {
    for (const kind of ['forms', 'processes', 'rules'] as const) {
      const unknown = Object.keys(user.permissions[kind]).filter(
        (id) => id !== '*' && !known[kind].has(id),
      );
      problems.push(
        ...unknown.map(
          (id) => `${at(['permissions', kind, id])}: "${id}" is not defined under ${kind}`,
        ),
      );
    }
  }
  return new Map(users.map(({ user }) => [user.username, user]));
}

/** Validates every seed row like a created instance; each invalid value is added to `problems`. */
export function checkSeeds(
  seeds: readonly Located<Seed>[],
  forms: ReadonlyMap<string, Form>,
  problems: string[],
): void {
  const rows = seeds.flatMap(({ value, at }) =>
    value.instances.map(({ idInstance }, index) => ({
      id: rowKey(value.idForm, idInstance),
      at: at(['instances', index]),
    })),
  );
  problems.push(...duplicates('instance', rows));
  const ids = new Set(rows.map(({ id }) => id));
  const hasInstance: HasInstance = (idForm, idInstance) => ids.has(rowKey(idForm, idInstance));

  for (const { value, at } of seeds) {
    const form = forms.get(value.idForm);
    if (form === undefined) {
      problems.push(`${at(['idForm'])}: the form "${value.idForm}" is not defined`);
      continue;
    }
    for (const [index, { idInstance, ...named }] of value.instances.entries()) {
      const change = { current: {}, named: named as JsonObject, hasInstance, isWhole: true };
      for (const { field, problem } of changeInstance(form, change).problems) {
        problems.push(
          `${at(['instances', index, field])}: ${form.idForm} ${idInstance}: "${field}" ${problem}`,
        );
      }
    }
  }
}

const rowKey = (idForm: string, idInstance: number) => JSON.stringify([idForm, idInstance]);

/** Reports every repeated id with the place of the first one. */
function duplicates(
  kind: string,
  named: readonly { readonly id: string; readonly at: string }[],
): readonly string[] {
  const first = new Map<string, string>();
  return named.flatMap(({ id, at }) => {
    const earlier = first.get(id);
    if (earlier !== undefined)
      return [`${at}: the ${kind} "${id}" is already defined at ${earlier}`];
    first.set(id, at);
    return [];
  });
}
