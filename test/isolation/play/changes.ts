import type { ResourceKey } from '../sequence/sequence.ts';
import { type ExpectedRequest, found, type Requester } from './expected-request.ts';

/**
 * An instance to change. With an idempotency key the input contains nothing of the caller, so that
 * all callers send the same input.
 */
type Target = ResourceKey & { readonly isKeyed: boolean };

/** Writes to instances. The values name the caller, unless there is an idempotency key. */
export const CHANGES = {
  update: (key, requester) => withInstance('updateInstance', 'UpdateInstanceInput', key, requester),
  replace: (key, requester) =>
    withInstance('replaceInstance', 'ReplaceInstanceInput', key, requester),
  create: (key, requester) => ({
    text: `mutation ($input: CreateInstanceInput!) { it: createInstance(input: $input) { instance { ${STAMP} } } }`,
    variables: { input: { formId: requester.formId(key), ...inputOf(key, requester, 'create') } },
    ...createdIn(requester, { ...key, instance: '5' }),
  }),
  delete: (key, requester) => ({
    text: 'mutation ($input: DeleteInstanceInput!) { it: deleteInstance(input: $input) { __typename } }',
    variables: {
      input: { formId: requester.formId(key), instanceId: key.instance, ...named(key, 'delete') },
    },
    ...changed(requester, key, { __typename: 'DeleteInstancePayload' }),
  }),
} as const satisfies Readonly<
  Record<string, (key: Target, requester: Requester) => ExpectedRequest>
>;

const STAMP = 'value(field: "stamp")';

function withInstance(
  field: string,
  input: string,
  key: Target,
  requester: Requester,
): ExpectedRequest {
  return {
    text: `mutation ($input: ${input}!) { it: ${field}(input: $input) { instance { ${STAMP} } } }`,
    variables: {
      input: {
        formId: requester.formId(key),
        instanceId: key.instance,
        ...inputOf(key, requester, field),
      },
    },
    ...changed(requester, key, { instance: { value: requester.instanceOf(key).value } }),
  };
}

const named = ({ isKeyed, form, instance }: Target, change: string) =>
  isKeyed ? { idempotencyKey: `${change} ${form} ${instance}` } : {};

const inputOf = (target: Target, { mark }: Requester, change: string) => ({
  values: { mark: target.isKeyed ? 'anybody' : mark },
  ...named(target, change),
});

function changed(requester: Requester, key: Target, it: unknown) {
  const refusal = requester.refusalOf(key);
  const codes = refusal && ({ 403: 'FORBIDDEN', 404: 'NOT_FOUND' } as const)[refusal];
  return {
    ...found(refusal === undefined ? it : null),
    codes,
    paths: requester.pathsOf(key),
    isRemembered: key.isKeyed,
  };
}

/** Reads the created instance by its id. */
const createdIn = (requester: Requester, key: Target) =>
  changed(requester, key, { instance: { value: requester.instanceOf(key).value } });

/** Starts a case. */
export function startCase(requester: Requester): ExpectedRequest {
  return {
    text: 'mutation ($input: StartCaseInput!) { it: startCase(input: $input) { case { record } } }',
    variables: { input: { process: 'any', values: { mark: requester.mark } } },
    ...found({ case: { record: { idCase: 7, note: requester.stamp('/v1.0/cases') } } }),
    paths: ['/v1.0/cases'],
  };
}

/** Reads a rule's parameters, or executes the rule. */
export function useRule(
  kind: 'rule' | 'executeRule',
  { component, version }: { readonly component: string; readonly version: string },
  requester: Requester,
  sequence: number,
): ExpectedRequest {
  const rule = { component: `${sequence}.${component}`, version };
  const path = `/v1.0/rules/${encodeURIComponent(`${rule.component}-${version}`)}`;
  if (kind === 'rule') {
    const paths = [`${path}/get-parameters`];
    return {
      text: 'query ($component: ID!, $version: ID!) { it: rule(component: $component, version: $version) { name } }',
      variables: rule,
      ...found({ name: requester.stamp(`${path}/get-parameters`) }),
      paths,
      isRemembered: true,
    };
  }
  return {
    text: 'mutation ($input: ExecuteRuleInput!) { it: executeRule(input: $input) { outputs { value } } }',
    variables: { input: { ...rule, parameters: [{ name: 'mark', value: requester.mark }] } },
    ...found({ outputs: [{ value: requester.stamp(`${path}/execute`) }] }),
    paths: [`${path}/execute`],
  };
}
