import fc from 'fast-check';

import {
  FORMS,
  findForeign,
  may,
  mayFilter,
  mayLook,
  mayRule,
  mayStart,
  ROLES,
  type RoleName,
  type Verb,
} from './model.ts';
import type { Change } from './platform.ts';

/** One request of a sequence. */
export interface Step {
  readonly subject: 'ann' | 'bob';
  readonly role: RoleName;
  readonly act: keyof typeof ACTS;
  readonly form: (typeof FORMS)[number];
  readonly verb: Verb;
  readonly field: string;
  readonly other: 'one' | 'two';
  /** Whether the next step starts without waiting for this one. */
  readonly isTogether: boolean;
}

interface Asked {
  readonly query: string;
  readonly variables?: object;
  /** Whether the whole request is refused before it runs. */
  readonly isRefused: boolean;
  /** Whether its field is refused while it runs. */
  readonly isForbidden?: boolean;
}

type Act = (step: Step, mark: number, key: string) => Asked;

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);
const node = (...key: readonly string[]) => Buffer.from(JSON.stringify(key)).toString('base64url');
const GENERIC = {
  create: 'createInstance',
  update: 'updateInstance',
  replace: 'replaceInstance',
  delete: 'deleteInstance',
};
const WORDS = Object.keys(GENERIC) as readonly (keyof typeof GENERIC)[];
const outputOf = (verb: Verb) =>
  verb === 'delete' ? 'deletedId' : 'instance { id instanceId values }';

/** Returns the change for a verb. Reads have `create`. */
const changeOf = (verb: Verb) => WORDS.find((word) => word === verb) ?? 'create';

/** Returns the item of a change. `mark` is the instance's id and its name. */
const itemOf = (verb: Verb, mark: number) => ({
  ...(verb !== 'create' && { instanceId: String(mark) }),
  ...(verb !== 'delete' && { values: { name: String(mark) } }),
});

/** The ways to read or change data. */
const ACTS = {
  instance: ({ role, form }) => ({
    query: '{ instance(formId: $f, instanceId: "1") { values form { description } } }'.replace(
      '$f',
      `"${form}"`,
    ),
    isRefused: !may(role, form, 'read'),
  }),
  instances: ({ role, form }) => ({
    query:
      'query ($f: ID!) { instances(formId: $f, first: 2) { totalCount nodes { values reference(field: "link") { values } } } }',
    variables: { f: form },
    isRefused: !may(role, form, 'read'),
  }),
  typedOne: ({ role, form }) => ({
    query: `{ a: ${form}(instanceId: "2") { name link { name link { name } } } b: ${form}(instanceId: "3") { values } }`,
    isRefused: !may(role, form, 'read'),
  }),
  filtered: ({ role, form, field }) => ({
    query:
      'query ($f: ID!, $w: [CriterionInput!]) { instances(formId: $f, where: $w, first: 1) { totalCount } }',
    variables: { f: form, w: [{ field, operator: 'EQ', value: '1' }] },
    isRefused: !may(role, form, 'read'),
    isForbidden: !mayFilter(role, form, field),
  }),
  ordered: ({ role, form, field }) => ({
    query:
      'query ($f: ID!, $o: [OrderInput!]) { instances(formId: $f, orderBy: $o, first: 1) { totalCount } }',
    variables: { f: form, o: [{ field, direction: 'ASC' }] },
    isRefused: !may(role, form, 'read'),
    isForbidden: !mayFilter(role, form, field),
  }),
  form: ({ role, form }) => ({
    query: `{ form(formId: "${form}") { description fields { label } instances(first: 1) { totalCount } } }`,
    isRefused: !mayLook(role, form),
  }),
  node: ({ role, form, verb }) => ({
    query: `{ node(id: "${verb === 'read' ? node('Form', form) : node('Instance', form, '4')}") { ... on Form { definition } ... on Instance { values } } }`,
    isRefused: verb === 'read' ? !mayLook(role, form) : !may(role, form, 'read'),
  }),
  forms: ({ role }) => ({
    query: '{ forms { totalCount nodes { formId description fields { label } } } }',
    isRefused: role === 'idle',
  }),
  formsByName: ({ role, form }) => ({
    query:
      'query ($w: [CriterionInput!]) { forms(where: $w) { totalCount nodes { description } } }',
    variables: { w: [{ field: 'name', operator: 'EQ', value: form }] },
    isRefused: role === 'idle',
  }),
  change({ role, form, verb: given }, mark) {
    const verb = changeOf(given);
    const field = GENERIC[verb];
    const input = { formId: form, ...itemOf(verb, mark) };
    return {
      query: `mutation ($i: ${capital(field)}Input!) { ${field}(input: $i) { ${outputOf(verb)} } }`,
      variables: { i: input },
      isRefused: !may(role, form, verb),
    };
  },
  typedChange({ role, form, verb: given }, mark) {
    const verb = changeOf(given);
    const field = verb + capital(form);
    const input = itemOf(verb, mark);
    return {
      query: `mutation ($i: ${capital(field)}Input!) { ${field}(input: $i) { ${outputOf(verb)} } }`,
      variables: { i: input },
      isRefused: !may(role, form, verb),
    };
  },
  bulk({ role, form, verb: given }, mark) {
    const verb = changeOf(given);
    const field = `${GENERIC[verb]}s`;
    const item = itemOf(verb, mark);
    return {
      query: `mutation ($i: ${capital(field)}Input!) { ${field}(input: $i) { done results { ${outputOf(verb)} } } }`,
      variables: { i: { formId: form, items: [item] } },
      isRefused: !may(role, form, verb),
    };
  },
  /** The same keyed change by several roles of one person. */
  keyed: ({ role }, _mark, key) => ({
    query:
      'mutation ($i: CreateInstanceInput!) { createInstance(input: $i) { instance { id values } } }',
    variables: { i: { formId: 'gamma', values: { name: key }, idempotencyKey: key } },
    isRefused: !may(role, 'gamma', 'create'),
  }),
  keyedUpdate: ({ role }, _mark, key) => ({
    query: 'mutation ($i: UpdateInstanceInput!) { updateInstance(input: $i) { instance { id } } }',
    variables: {
      i: { formId: 'secret', instanceId: '9', values: { name: 'own' }, idempotencyKey: `u${key}` },
    },
    isRefused: !may(role, 'secret', 'update'),
  }),
  extension: ({ role }, _mark, key) => ({
    query: `mutation { ownUpdate(formId: "secret", instanceId: "9", key: "u${key}") }`,
    isRefused: role !== 'clerk',
    isForbidden: true,
  }),
  otherExtension: () => ({ query: 'mutation { ownOther }', isRefused: true }),
  start: ({ role, other }) => ({
    query: 'mutation ($i: StartCaseInput!) { startCase(input: $i) { case { caseId record } } }',
    variables: { i: { process: other } },
    isRefused: !mayStart(role, other),
  }),
  execute: ({ role }) => ({
    query:
      'mutation { executeActivity(input: { caseId: "1", activityId: "2" }) { case { record } } }',
    isRefused: role !== 'clerk',
  }),
  rule: ({ role, other }) => ({
    query: `{ rule(component: "${other}", version: "1") { parameters { name } } }`,
    isRefused: !mayRule(role, other),
  }),
  executeRule: ({ role, other }) => ({
    query: `mutation { executeRule(input: { component: "${other}", version: "1", parameters: [] }) { outputs { name } } }`,
    isRefused: !mayRule(role, other),
  }),
  schema: ({ role, form }) => ({
    query: `{ __schema { queryType { name } } __type(name: "${capital(form)}") { description } }`,
    isRefused: role === 'clerk' || role === 'idle',
  }),
} satisfies Readonly<Record<string, Act>>;

const step: fc.Arbitrary<Step> = fc.record({
  subject: fc.constantFrom('ann', 'bob'),
  role: fc.constantFrom(...ROLES),
  act: fc.constantFrom(...(Object.keys(ACTS) as (keyof typeof ACTS)[])),
  form: fc.constantFrom(...FORMS),
  verb: fc.constantFrom('read', ...WORDS),
  field: fc.constantFrom('idInstance', 'name', 'link', 'link.name', 'nothing'),
  other: fc.constantFrom('one', 'two'),
  isTogether: fc.boolean(),
});

export const sequences = fc.array(step, { minLength: 3, maxLength: 8 });

/** Sends a request as a person with a role. */
export type Send = (
  who: Pick<Step, 'subject' | 'role'>,
  body: Pick<Asked, 'query' | 'variables'>,
) => Promise<{ readonly status: number; readonly text: string }>;

interface Stage {
  readonly send: Send;
  readonly changes: Change[];
  readonly searched: string[];
}

let marks = 100;

/** Plays a sequence. Returns every change and every value that the role must not have. */
export async function play(
  sequence: readonly Step[],
  number: number,
  { send, changes, searched }: Stage,
) {
  const problems: string[] = [];
  const marked = new Map<string, Step>();
  changes.length = 0;
  searched.length = 0;
  const take = async (one: Step): Promise<void> => {
    const mark = marks++;
    marked.set(String(mark), one);
    const asked: Asked = (ACTS[one.act] as Act)(one, mark, `k${number >> 4}`);
    const { status, text } = await send(one, asked);
    const told = `${one.role} ${one.act} ${one.form} ${one.verb} ${one.field} ${one.other}`;
    const isRefused = status === 403 && text.includes('"FORBIDDEN"');
    if (isRefused !== asked.isRefused)
      problems.push(`${told}: refused is ${isRefused}: ${text.slice(0, 300)}`);
    if (!asked.isRefused && asked.isForbidden && !text.includes('"FORBIDDEN"'))
      problems.push(`${told}: not forbidden`);
    problems.push(...findForeign(one.role, text).map((found) => `${told}: is shown ${found}`));
    if (one.act === 'forms' && !isRefused)
      problems.push(...findWrongTotal(one.role, text).map((total) => `${told}: counts ${total}`));
  };
  let running: Promise<void>[] = [];
  for (const one of sequence) {
    running.push(take(one));
    if (one.isTogether) continue;
    await Promise.all(running);
    running = [];
  }
  await Promise.all(running);
  for (const { form, verb, mark } of changes) {
    const one = marked.get(mark);
    if (one && !may(one.role, form, verb)) problems.push(`${one.role} has made: ${verb} ${form}`);
  }
  problems.push(
    ...searched.filter((field) => !KNOWN.includes(field)).map((field) => `searched by ${field}`),
  );
  return problems;
}

const KNOWN = ['idForm', 'idInstance', 'name', 'link'];

function findWrongTotal(role: RoleName, text: string): readonly number[] {
  const total = Number(/"totalCount":(\d+)/.exec(text)?.[1]);
  return total === FORMS.filter((form) => mayLook(role, form)).length ? [] : [total];
}
