import type { ResourceKey } from '../sequence/sequence.ts';
import { type Asker, found, type Question } from './question.ts';

/** An instance to change; with an idempotency key it says nothing of its own, so that everybody asks for the same. */
type Target = ResourceKey & { readonly isKeyed: boolean };

/** Changes of instances. Each says in its values who makes it, unless it has an idempotency key. */
export const CHANGES = {
  update: (key, asker) => withInstance('updateInstance', 'UpdateInstanceInput', key, asker),
  replace: (key, asker) => withInstance('replaceInstance', 'ReplaceInstanceInput', key, asker),
  create: (key, asker) => ({
    text: `mutation ($input: CreateInstanceInput!) { it: createInstance(input: $input) { instance { ${STAMP} } } }`,
    variables: { input: { formId: asker.formId(key), ...saying(key, asker, 'create') } },
    ...changed(asker, key, { instance: { value: asker.instanceOf({ ...key, instance: '5' }).value } }),
  }),
  delete: (key, asker) => ({
    text: 'mutation ($input: DeleteInstanceInput!) { it: deleteInstance(input: $input) { __typename } }',
    variables: { input: { formId: asker.formId(key), instanceId: key.instance, ...named(key, 'delete') } },
    ...changed(asker, key, { __typename: 'DeleteInstancePayload' }),
  }),
} as const satisfies Readonly<Record<string, (key: Target, asker: Asker) => Question>>;

const STAMP = 'value(field: "stamp")';

function withInstance(field: string, input: string, key: Target, asker: Asker): Question {
  return {
    text: `mutation ($input: ${input}!) { it: ${field}(input: $input) { instance { ${STAMP} } } }`,
    variables: {
      input: { formId: asker.formId(key), instanceId: key.instance, ...saying(key, asker, field) },
    },
    ...changed(asker, key, { instance: { value: asker.instanceOf(key).value } }),
  };
}

const named = ({ isKeyed, form, instance }: Target, change: string) =>
  isKeyed ? { idempotencyKey: `${change} ${form} ${instance}` } : {};

const saying = (target: Target, { mark }: Asker, change: string) => ({
  values: { mark: target.isKeyed ? 'anybody' : mark },
  ...named(target, change),
});

function changed(asker: Asker, key: Target, it: unknown) {
  const refusal = asker.refusalOf(key);
  const codes = refusal && ({ 403: 'FORBIDDEN', 404: 'NOT_FOUND' } as const)[refusal];
  return { ...found(refusal === undefined ? it : null), codes, paths: asker.pathsOf(key), isRemembered: key.isKeyed };
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
      isRemembered: true,
    };
  }
  return {
    text: 'mutation ($input: ExecuteRuleInput!) { it: executeRule(input: $input) { outputs { value } } }',
    variables: { input: { ...rule, parameters: [{ name: 'mark', value: asker.mark }] } },
    ...found({ outputs: [{ value: asker.stamp(`${path}/execute`) }] }),
    paths: [`${path}/execute`],
  };
}
