import type { Json } from '../../core/json.ts';
import { decodeOutputs, decodeRule } from '../decoders.ts';
import type { Dialect } from '../dialect.ts';
import type { Change, Need, Read } from '../operation.ts';
import { joinRule, path } from '../path.ts';
import type { ParameterRecord, RuleKey, RuleRecord } from '../records.ts';

const needs = ({ component, version }: RuleKey): Need => ({ of: 'rules', component, version });

/** `getParameters`: a PUT, but a read. */
export const getParameters: Read<RuleKey, RuleRecord> = {
  name: 'getParameters',
  is: 'read',
  method: 'PUT',
  path: (key, dialect) => path`/rules/${joinRule(key, dialect)}/get-parameters`,
  promises: {
    called: 'a rule with its parameters',
    is: 'record',
    members: ['rule.parameters'],
  },
  decode: ({ body }, dialect, { component, version }) => decodeRule({ component, version }, body, dialect),
  notFound: 'error',
  holds: 'definitions',
  needs,
};

/** A parameter as clients give it. */
type GivenParameter = Pick<ParameterRecord, 'name'> & {
  readonly type?: string | null | undefined;
  readonly value?: Json | null | undefined;
};

/** `execute`. Gives the output parameters. */
export const execute: Change<RuleKey & { readonly parameters: readonly GivenParameter[] }, ParameterRecord[]> = {
  name: 'execute',
  is: 'change',
  method: 'PUT',
  path: (key, dialect) => path`/rules/${joinRule(key, dialect)}/execute`,
  body: ({ parameters }, dialect) => encodeParameters(parameters, dialect),
  hasBody: true,
  promises: { called: 'the outputs of a rule', is: 'done', members: ['rule.outputs'] },
  decode: ({ body }, dialect) => decodeOutputs(body, dialect),
  changes: () => 'everything',
  needs,
};

/** Encodes ParametersList: an array of name, type and value, wrapped where the platform wants an object. */
function encodeParameters(parameters: readonly GivenParameter[], { rule }: Dialect): Json {
  const list = parameters.map(({ name, type, value }) =>
    Object.fromEntries<Json>([
      [rule.parameterName, name],
      ...(type == null ? [] : [[rule.parameterType, type] as const]),
      [rule.parameterValue, value ?? null],
    ]),
  );
  return rule.wrap === null ? list : Object.fromEntries([[rule.wrap, list]]);
}
