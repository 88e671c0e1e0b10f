import type { ResourceKey } from '../sequence/sequence.ts';
import { type Asker, found, type Question } from './question.ts';

/** Changes of instances. Each says in its values who makes it. */
export const CHANGES = {
  update: (key, asker) => withInstance('updateInstance', 'UpdateInstanceInput', key, asker),
  replace: (key, asker) => withInstance('replaceInstance', 'ReplaceInstanceInput', key, asker),
  create: (key, asker) => ({
    text: `mutation ($input: CreateInstanceInput!) { it: createInstance(input: $input) { instance { ${STAMP} } } }`,
    variables: { input: { formId: asker.formId(key), values: { mark: asker.mark } } },
    ...changed(asker, key, { instance: { value: asker.instanceOf({ ...key, instance: '5' }).value } }),
  }),
  delete: (key, asker) => ({
    text: 'mutation ($input: DeleteInstanceInput!) { it: deleteInstance(input: $input) { __typename } }',
    variables: { input: { formId: asker.formId(key), instanceId: key.instance } },
    ...changed(asker, key, { __typename: 'DeleteInstancePayload' }),
  }),
} as const satisfies Readonly<Record<string, (key: ResourceKey, asker: Asker) => Question>>;

const STAMP = 'value(field: "stamp")';

function withInstance(field: string, input: string, key: ResourceKey, asker: Asker): Question {
  return {
    text: `mutation ($input: ${input}!) { it: ${field}(input: $input) { instance { ${STAMP} } } }`,
    variables: { input: { formId: asker.formId(key), instanceId: key.instance, values: { mark: asker.mark } } },
    ...changed(asker, key, { instance: { value: asker.instanceOf(key).value } }),
  };
}

function changed(asker: Asker, key: ResourceKey, it: unknown) {
  const refusal = asker.refusalOf(key);
  const codes = refusal && ({ 403: 'FORBIDDEN', 404: 'NOT_FOUND' } as const)[refusal];
  return { ...found(refusal === undefined ? it : null), codes, paths: asker.pathsOf(key) };
}

/** Starts a case. */
export function startCase(asker: Asker): Question {
  return {
    text: 'mutation ($input: StartCaseInput!) { it: startCase(input: $input) { case { record } } }',
    variables: { input: { process: 'any', values: { mark: asker.mark } } },
    ...found({ case: { record: { idCase: 7, note: asker.stamp('/v1.0/cases') } } }),
    paths: ['/v1.0/cases'],
  };
}

/** Asks what a rule wants, or executes it. */
export function askRule(
  kind: 'rule' | 'executeRule',
  { component, version }: { readonly component: string; readonly version: string },
  asker: Asker,
  sequence: number,
): Question {
  const rule = { component: `${sequence}.${component}`, version };
  const path = `/v1.0/rules/${encodeURIComponent(`${rule.component}-${version}`)}`;
  if (kind === 'rule') {
    const paths = [`${path}/get-parameters`];
    return {
      text: 'query ($component: ID!, $version: ID!) { it: rule(component: $component, version: $version) { name } }',
      variables: rule,
      ...found({ name: asker.stamp(`${path}/get-parameters`) }),
      paths,
    };
  }
  return {
    text: 'mutation ($input: ExecuteRuleInput!) { it: executeRule(input: $input) { outputs { value } } }',
    variables: { input: { ...rule, parameters: [{ name: 'mark', value: asker.mark }] } },
    ...found({ outputs: [{ value: asker.stamp(`${path}/execute`) }] }),
    paths: [`${path}/execute`],
  };
}
