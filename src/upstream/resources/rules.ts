import type { Json, JsonObject } from '../../core/json.ts';
import { decodeOutputs, decodeRule } from '../decoders.ts';
import type { Change, Permission, Read } from '../operation.ts';
import { joinRule, path } from '../path.ts';
import type { ParameterRecord, RuleKey, RuleRecord } from '../records.ts';

const needs = ({ component, version }: RuleKey): Permission => ({
  of: 'rules',
  component,
  version,
});

/** Reads a rule with its parameters. The method is PUT, but the operation has no effect. */
export const getParameters: Read<RuleKey, RuleRecord> = {
  name: 'getParameters',
  is: 'read',
  method: 'PUT',
  path: (key) => path`/rules/${joinRule(key)}/get-parameters`,
  promises: {
    called: 'a rule with its parameters',
    is: 'record',
    members: ['rule.parameters'],
  },
  decode: ({ body }, dialect, { component, version }) =>
    decodeRule({ component, version }, body, dialect),
  notFound: 'error',
  tags: 'definitions',
  needs,
};

/** A parameter in a client's input. */
type GivenParameter = Pick<ParameterRecord, 'name'> & {
  readonly type?: string | null | undefined;
  readonly value?: Json | null | undefined;
};

/** Executes a rule. Returns the output parameters. */
export const execute: Change<
  RuleKey & { readonly parameters: readonly GivenParameter[] },
  ParameterRecord[]
> = {
  name: 'execute',
  is: 'change',
  method: 'PUT',
  path: (key) => path`/rules/${joinRule(key)}/execute`,
  body: ({ parameters }) => parameters.map(encodeParameter),
  hasBody: true,
  promises: { called: 'the outputs of a rule', is: 'done', members: ['rule.outputs'] },
  decode: ({ body }, dialect) => decodeOutputs(body, dialect),
  invalidates: () => 'everything',
  needs,
};

/** Encodes an entry of ParametersList. */
function encodeParameter({ name, type, value = null }: GivenParameter): JsonObject {
  return type == null ? { name, value } : { name, type, value };
}
