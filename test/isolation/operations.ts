import { formatNodeId } from '../../src/graphql/relay.ts';
import { type Person, stampOf } from './platform.ts';
import { pickVariables, type Setup } from './support.ts';

/** A drawn form and instance. */
export interface Key {
  readonly form: string;
  readonly instance: string;
}

/** The setup and the number of a sequence. The number is part of every id. */
export interface Sequence extends Setup {
  readonly sequence: number;
}

/** Returns a form and an instance as a caller sees them. */
export function createResource(
  { mode, sequence }: Sequence,
  person: Person,
  { form, instance }: Key,
) {
  const formId = `${sequence}.${form}`;
  const formPath = `/v1.0/forms/${encodeURIComponent(formId)}`;
  // A version has no hyphen.
  const version = instance.replace('-1', '%2F');
  const stamp = (path: string) => stampOf(person, path);
  const instanceAt = (instanceId: string) => ({
    instanceId,
    value: stamp(`${formPath}/instances/${instanceId}`),
  });
  const below = ['', '/instances', ...['2', '5', instance].map((id) => `/instances/${id}`)];
  return {
    person,
    version,
    stamp,
    instanceAt,
    refusal: person.refusals.get(formId),
    /** The paths that an operation of the form may call. */
    paths: below.map((path) => formPath + path),
    rulePath: `/v1.0/rules/${encodeURIComponent(`${formId}-${version}`)}`,
    viewer: mode === 'forward' ? null : { name: person.name },
    form: { description: stamp(formPath) },
    instance: instanceAt(instance),
    next: instanceAt('2'),
    /** A value that names the caller, in a search or in the values of a change. */
    mark: `whose-${person.code}-${instance}`,
    ids: { formId, instanceId: instance },
  };
}

type Resource = ReturnType<typeof createResource>;

/**
 * A request, the data for a caller with access to the resource, and the called path, if that is not
 * a path of the form.
 */
export type Operation = readonly [
  query: string,
  data: (resource: Resource, other: Resource) => unknown,
  path?: (resource: Resource) => string,
];

export type Operations = Readonly<Record<string, Operation>>;

const INSTANCE = 'instanceId value(field: "stamp")';
const IDS = '$formId: ID!, $instanceId: ID!';
const REFERENCE = `query (${IDS}) { it: instance(formId: $formId, instanceId: $instanceId) { ${INSTANCE} reference(field: "next") { ${INSTANCE} } } }`;
const LIST = `query ($formId: ID!, $mark: JSON!) { it: instances(formId: $formId, where: [{ field: "mark", value: $mark }]) { nodes { ${INSTANCE} mark: value(field: "mark") } } }`;
const toReference = ({ instance, next }: Resource) => ({ ...instance, reference: next });
const toList = ({ instanceAt, mark }: Resource) => ({
  nodes: ['1', '2'].map((id) => ({ ...instanceAt(id), mark })),
});

export const READS: Operations = {
  reference: [REFERENCE, toReference],
  list: [LIST, toList],
  instance: [
    `query (${IDS}) { it: instance(formId: $formId, instanceId: $instanceId) { ${INSTANCE} } }`,
    ({ instance }) => instance,
  ],
  node: [
    `query ($instanceNode: ID!) { it: node(id: $instanceNode) { ... on Instance { ${INSTANCE} } } }`,
    ({ instance }) => instance,
  ],
  extension: [
    `query (${IDS}) {
      it: ownInstance(formId: $formId, instanceId: $instanceId, any: { stamp: "clean" }) {
        ${INSTANCE} ownStamp reference(field: "next") { ownStamp }
      }
    }`,
    ({ instance, next }) => ({
      ...instance,
      ownStamp: instance.value,
      reference: { ownStamp: next.value },
    }),
  ],
};

/** Subscriptions. Their first result equals a read, and joins an equal read of the caller. */
export const SUBSCRIPTIONS: Operations = {
  watch: [REFERENCE.replace('query', 'subscription'), toReference],
  watchList: [LIST.replace('query', 'subscription'), toList],
};

export const VIEWER = '{ it: viewer { name } }';

/** Operations that the gateway may answer to the same caller without a call. */
export const DEFINITIONS: Operations = {
  form: ['query ($formId: ID!) { it: form(formId: $formId) { description } }', ({ form }) => form],
  formNode: [
    'query ($formNode: ID!) { it: node(id: $formNode) { ... on Form { description } } }',
    ({ form }) => form,
  ],
  forms: [
    '{ it: forms(first: 5) { nodes { description } } }',
    ({ person, stamp }) => ({
      nodes: person.listedForms.map((formId) => ({ description: stamp(`/v1.0/forms/${formId}`) })),
    }),
    () => '/v1.0/forms',
  ],
  rule: [
    'query ($formId: ID!, $version: ID!) { it: rule(component: $formId, version: $version) { name } }',
    ({ stamp, rulePath }) => ({ name: stamp(`${rulePath}/get-parameters`) }),
    ({ rulePath }) => `${rulePath}/get-parameters`,
  ],
  viewer: [VIEWER, ({ viewer }) => viewer, () => 'none'],
  many: [
    `query (${IDS}, $otherFormId: ID!, $otherInstanceId: ID!) {
      form1: form(formId: $formId) { description }
      instance1: instance(formId: $formId, instanceId: $instanceId) { ${INSTANCE} }
      form2: form(formId: $otherFormId) { description }
      instance2: instance(formId: $otherFormId, instanceId: $otherInstanceId) { ${INSTANCE} }
    }`,
    (one, two) => ({
      form1: one.refusal ? null : one.form,
      instance1: one.refusal ? null : one.instance,
      form2: two.refusal ? null : two.form,
      instance2: two.refusal ? null : two.instance,
    }),
  ],
};

const KEYED = '$values: JSONObject!, $key: ID';
const INPUT = 'formId: $formId, instanceId: $instanceId, values: $values, idempotencyKey: $key';
const CHANGED = 'instance { value(field: "stamp") }';
const toChanged = ({ instance: { value } }: Resource) => ({ instance: { value } });

/** Changes of instances. With an idempotency key all callers send the same input. */
export const CHANGES: Operations = {
  create: [
    `mutation ($formId: ID!, ${KEYED}) { it: createInstance(input: { formId: $formId, values: $values, idempotencyKey: $key }) { ${CHANGED} } }`,
    ({ instanceAt }) => ({ instance: { value: instanceAt('5').value } }),
  ],
  update: [
    `mutation (${IDS}, ${KEYED}) { it: updateInstance(input: { ${INPUT} }) { ${CHANGED} } }`,
    toChanged,
  ],
  replace: [
    `mutation (${IDS}, ${KEYED}) { it: replaceInstance(input: { ${INPUT} }) { ${CHANGED} } }`,
    toChanged,
  ],
  delete: [
    `mutation (${IDS}, $key: ID) { it: deleteInstance(input: { formId: $formId, instanceId: $instanceId, idempotencyKey: $key }) { __typename } }`,
    () => ({ __typename: 'DeleteInstancePayload' }),
  ],
};

export const OTHER_CHANGES: Operations = {
  startCase: [
    'mutation ($values: JSONObject!) { it: startCase(input: { process: "any", values: $values }) { case { record } } }',
    ({ stamp }) => ({ case: { record: { idCase: 1, note: stamp('/v1.0/cases') } } }),
    () => '/v1.0/cases',
  ],
  executeRule: [
    'mutation ($formId: ID!, $version: ID!, $parameters: [RuleParameterInput!]!) { it: executeRule(input: { component: $formId, version: $version, parameters: $parameters }) { outputs { value } } }',
    ({ stamp, rulePath }) => ({ outputs: [{ value: stamp(`${rulePath}/execute`) }] }),
    ({ rulePath }) => `${rulePath}/execute`,
  ],
};

/** A request, and its response while the caller is signed in. */
export interface Expectation {
  readonly query: string;
  readonly variables: object;
  readonly data: Readonly<Record<string, unknown>>;
  /** The codes of its errors. `undefined` if each refusal may be an error. */
  readonly codes: readonly string[] | undefined;
  /** The paths that it may call. */
  readonly paths: readonly string[];
}

/**
 * Returns the request of an operation, and its response.
 *
 * @param keyStart the start of the idempotency key, if there is one.
 */
export function toExpectation(
  [query, data, path]: Operation,
  resource: Resource,
  other: Resource,
  keyStart: string | undefined,
): Expectation {
  const { ids, version, mark, paths, refusal } = resource;
  const key = keyStart && `${keyStart} ${Object.values(ids)}`;
  const request = {
    query,
    variables: pickVariables(query, {
      ...ids,
      version,
      mark,
      key,
      formNode: formatNodeId('Form', ids.formId),
      instanceNode: formatNodeId('Instance', ids.formId, ids.instanceId),
      otherFormId: other.ids.formId,
      otherInstanceId: other.ids.instanceId,
      values: { mark: key === undefined ? mark : 'anybody' },
      parameters: [{ name: 'mark', value: mark }],
    }),
  };
  const it = data(resource, other);
  if (path !== undefined) return { ...request, data: { it }, codes: [], paths: [path(resource)] };
  // The gateway may read a list, which omits refused resources without an error.
  if (query.includes('form2'))
    return {
      ...request,
      data: it as Expectation['data'],
      codes: undefined,
      paths: ['/v1.0/forms', ...paths, ...other.paths],
    };
  const codesOfMissing = /^mutation|instances\(/.test(query) ? ['NOT_FOUND'] : [];
  return {
    ...request,
    paths,
    data: { it: refusal === undefined ? it : null },
    codes: { 200: [], 403: ['FORBIDDEN'], 404: codesOfMissing }[refusal ?? 200],
  };
}
