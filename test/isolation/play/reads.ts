import { formatNodeId } from '../../../src/graphql/relay.ts';
import type { ResourceKey } from '../sequence/sequence.ts';
import { type ExpectedRequest, found, type Requester, refusable } from './expected-request.ts';

const INSTANCE = 'instanceId value(field: "stamp")';

/** The reads of one resource. */
export const READS = {
  form: (key, requester) => ({
    text: 'query ($form: ID!) { it: form(formId: $form) { name } }',
    variables: { form: requester.formId(key) },
    ...refusable(requester, key, { name: requester.formStamp(key) }),
    isRemembered: true,
  }),
  formNode: (key, requester) => ({
    text: 'query ($id: ID!) { it: node(id: $id) { ... on Form { name } } }',
    variables: { id: formatNodeId('Form', requester.formId(key)) },
    ...refusable(requester, key, { name: requester.formStamp(key) }),
    isRemembered: true,
  }),
  instance: (key, requester) => ({
    text: `query ($form: ID!, $instance: ID!) { it: instance(formId: $form, instanceId: $instance) { ${INSTANCE} } }`,
    variables: requester.variables(key),
    ...refusable(requester, key, requester.instanceOf(key)),
  }),
  node: (key, requester) => ({
    text: `query ($id: ID!) { it: node(id: $id) { ... on Instance { ${INSTANCE} } } }`,
    variables: { id: formatNodeId('Instance', requester.formId(key), key.instance) },
    ...refusable(requester, key, requester.instanceOf(key)),
  }),
  reference: (key, requester) => ({
    text: `query ($form: ID!, $instance: ID!) {
      it: instance(formId: $form, instanceId: $instance) { ${INSTANCE} reference(field: "next") { ${INSTANCE} } }
    }`,
    variables: requester.variables(key),
    ...refusable(requester, key, {
      ...requester.instanceOf(key),
      reference: requester.instanceOf({ ...key, instance: '2' }),
    }),
  }),
  own: (key, requester) => ({
    text: `query ($form: ID!, $instance: ID!) {
      it: ownInstance(formId: $form, instanceId: $instance, any: { stamp: "clean" }) { ${INSTANCE} ownStamp reference(field: "next") { ownStamp } }
    }`,
    variables: requester.variables(key),
    ...refusable(requester, key, {
      ...requester.instanceOf(key),
      ownStamp: requester.instanceOf(key).value,
      reference: { ownStamp: requester.instanceOf({ ...key, instance: '2' }).value },
    }),
  }),
  list: (key, requester) => ({
    text: `query ($form: ID!, $mark: JSON!) {
      it: instances(formId: $form, where: [{ field: "mark", value: $mark }]) { nodes { ${INSTANCE} value2: value(field: "mark") } }
    }`,
    variables: { form: requester.formId(key), mark: requester.mark },
    ...refusable(requester, key, {
      nodes: ['1', '2'].map((instance) => ({
        ...requester.instanceOf({ ...key, instance }),
        value2: requester.mark,
      })),
    }),
    // A list that does not exist is an error, not an empty list.
    codes: { 403: 'FORBIDDEN', 404: 'NOT_FOUND' }[String(requester.refusalOf(key))],
  }),
} as const satisfies Readonly<
  Record<string, (key: ResourceKey, requester: Requester) => ExpectedRequest>
>;

const toSubscription = ({ text, ...rest }: ExpectedRequest): ExpectedRequest => ({
  ...rest,
  text: text.replace('query', 'subscription'),
  // It joins an equal read of the same caller.
  isRemembered: true,
});

/** Subscriptions. Their first result equals that of a read. */
export const WATCHES = {
  watch: (key, requester) => toSubscription(READS.reference(key, requester)),
  watchList: (key, requester) => toSubscription(READS.list(key, requester)),
} as const satisfies Readonly<
  Record<string, (key: ResourceKey, requester: Requester) => ExpectedRequest>
>;

/** Reads several forms and instances in one operation. */
export function readMany(keys: readonly ResourceKey[], requester: Requester): ExpectedRequest {
  const named = keys.map((key, index) => ({ key, index }));
  const declared = named.map(({ index }) => `$f${index}: ID!, $i${index}: ID!`);
  const fields = named.map(
    ({ index }) =>
      `f${index}: form(formId: $f${index}) { name } i${index}: instance(formId: $f${index}, instanceId: $i${index}) { ${INSTANCE} }`,
  );
  const answers = named.flatMap(({ key, index }) => {
    const isRefused = requester.refusalOf(key) !== undefined;
    return [
      [`f${index}`, isRefused ? null : { name: requester.formStamp(key) }],
      [`i${index}`, isRefused ? null : requester.instanceOf(key)],
    ];
  });
  return {
    text: `query (${declared.join(', ')}) { ${fields.join(' ')} }`,
    variables: Object.fromEntries(
      named.flatMap(({ key, index }) => [
        [`f${index}`, requester.formId(key)],
        [`i${index}`, key.instance],
      ]),
    ),
    data: Object.fromEntries(answers),
    // The gateway may read a list, which omits refused resources. Then no refusal shows.
    codes: 'any refusal',
    isRemembered: true,
    paths: ['/v1.0/forms', ...keys.flatMap((key) => requester.pathsOf(key))],
  };
}

/** Reads without a resource. */
export const OTHERS = {
  forms: (requester) => ({
    text: '{ it: forms(first: 5) { nodes { name } } }',
    ...found({
      nodes: [1, 2].map((number) => ({ name: requester.stamp(requester.listedForm(number)) })),
    }),
    paths: ['/v1.0/forms'],
    isRemembered: true,
  }),
  viewer: (requester) => ({
    text: '{ it: viewer { name } }',
    ...found(requester.viewer),
    isLocal: true,
    paths: [],
  }),
} as const satisfies Readonly<Record<string, (requester: Requester) => ExpectedRequest>>;
