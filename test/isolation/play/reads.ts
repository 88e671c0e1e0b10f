import { formatNodeId } from '../../../src/graphql/relay.ts';
import type { ResourceKey } from '../sequence/sequence.ts';
import { type Asker, found, type Question, refusable } from './question.ts';

const INSTANCE = 'instanceId value(field: "stamp")';

/** The questions about one resource. */
export const READS = {
  form: (key, asker) => ({
    text: 'query ($form: ID!) { it: form(formId: $form) { name } }',
    variables: { form: asker.formId(key) },
    ...refusable(asker, key, { name: asker.formStamp(key) }),
    isRemembered: true,
  }),
  formNode: (key, asker) => ({
    text: 'query ($id: ID!) { it: node(id: $id) { ... on Form { name } } }',
    variables: { id: formatNodeId(['Form', asker.formId(key)]) },
    ...refusable(asker, key, { name: asker.formStamp(key) }),
    isRemembered: true,
  }),
  instance: (key, asker) => ({
    text: `query ($form: ID!, $instance: ID!) { it: instance(formId: $form, instanceId: $instance) { ${INSTANCE} } }`,
    variables: asker.variables(key),
    ...refusable(asker, key, asker.instanceOf(key)),
  }),
  node: (key, asker) => ({
    text: `query ($id: ID!) { it: node(id: $id) { ... on Instance { ${INSTANCE} } } }`,
    variables: { id: formatNodeId(['Instance', asker.formId(key), key.instance]) },
    ...refusable(asker, key, asker.instanceOf(key)),
  }),
  reference: (key, asker) => ({
    text: `query ($form: ID!, $instance: ID!) {
      it: instance(formId: $form, instanceId: $instance) { ${INSTANCE} reference(field: "next") { ${INSTANCE} } }
    }`,
    variables: asker.variables(key),
    ...refusable(asker, key, { ...asker.instanceOf(key), reference: asker.instanceOf({ ...key, instance: '2' }) }),
  }),
  own: (key, asker) => ({
    text: `query ($form: ID!, $instance: ID!) {
      it: ownInstance(formId: $form, instanceId: $instance) { ${INSTANCE} ownStamp reference(field: "next") { ownStamp } }
    }`,
    variables: asker.variables(key),
    ...refusable(asker, key, {
      ...asker.instanceOf(key),
      ownStamp: asker.instanceOf(key).value,
      reference: { ownStamp: asker.instanceOf({ ...key, instance: '2' }).value },
    }),
  }),
  list: (key, asker) => ({
    text: `query ($form: ID!, $mark: JSON!) {
      it: instances(formId: $form, where: [{ field: "mark", value: $mark }]) { nodes { ${INSTANCE} value2: value(field: "mark") } }
    }`,
    variables: { form: asker.formId(key), mark: asker.mark },
    ...refusable(asker, key, {
      nodes: ['1', '2'].map((instance) => ({ ...asker.instanceOf({ ...key, instance }), value2: asker.mark })),
    }),
    // A list that is not there is an error: there is nothing to be empty.
    codes: { 403: 'FORBIDDEN', 404: 'NOT_FOUND' }[String(asker.refusalOf(key))],
  }),
} as const satisfies Readonly<Record<string, (key: ResourceKey, asker: Asker) => Question>>;

/** Several forms and instances in one question. */
export function askMany(keys: readonly ResourceKey[], asker: Asker): Question {
  const named = keys.map((key, index) => ({ key, index }));
  const declared = named.map(({ index }) => `$f${index}: ID!, $i${index}: ID!`);
  const fields = named.map(
    ({ index }) =>
      `f${index}: form(formId: $f${index}) { name } i${index}: instance(formId: $f${index}, instanceId: $i${index}) { ${INSTANCE} }`,
  );
  const answers = named.flatMap(({ key, index }) => {
    const isRefused = asker.refusalOf(key) !== undefined;
    return [
      [`f${index}`, isRefused ? null : { name: asker.formStamp(key) }],
      [`i${index}`, isRefused ? null : asker.instanceOf(key)],
    ];
  });
  return {
    text: `query (${declared.join(', ')}) { ${fields.join(' ')} }`,
    variables: Object.fromEntries(
      named.flatMap(({ key, index }) => [
        [`f${index}`, asker.formId(key)],
        [`i${index}`, key.instance],
      ]),
    ),
    data: Object.fromEntries(answers),
    // Whether a refusal is seen depends on whether a list was asked, which leaves out what may not be seen.
    codes: 'any refusal',
    isRemembered: true,
    paths: ['/v1.0/forms', ...keys.flatMap((key) => asker.pathsOf(key))],
  };
}

/** The questions that name no resource. */
export const OTHERS = {
  forms: (asker) => ({
    text: '{ it: forms(first: 5) { nodes { name } } }',
    ...found({ nodes: [1, 2].map((number) => ({ name: asker.stamp(asker.listedForm(number)) })) }),
    paths: ['/v1.0/forms'],
    isRemembered: true,
  }),
  viewer: (asker) => ({ text: '{ it: viewer { name } }', ...found(asker.viewer), isLocal: true, paths: [] }),
} as const satisfies Readonly<Record<string, (asker: Asker) => Question>>;
