/**
 * `caseway/codegen`: the types of the gateway's scalars, and options for code generators. Decimals
 * and 64-bit numbers are texts in responses, so that no digit is lost.
 */

/** The types of the scalars in TypeScript, for gql.tada. */
export interface Scalars {
  Date: string;
  DateTime: string;
  Decimal: string;
  ID: string;
  JSON: unknown;
  JSONObject: Record<string, unknown>;
  Long: string;
}

/** `customScalarTypes` of Relay's compiler. */
export const relayScalars = {
  Date: 'string',
  DateTime: 'string',
  Decimal: 'string',
  JSON: 'unknown',
  JSONObject: 'Record<string, unknown>',
  Long: 'string',
};

/** `scalars` of GraphQL Code Generator. An input takes numbers too. */
export const scalars = {
  ...relayScalars,
  Decimal: { input: 'string | number', output: 'string' },
  ID: 'string',
  Long: { input: 'string | number', output: 'string' },
};

/** `config` of GraphQL Code Generator's client preset. */
export const clientPresetConfig = {
  defaultScalarType: 'unknown',
  enumsAsTypes: true,
  scalars,
  strictScalars: true,
  useTypeImports: true,
};

/**
 * `config` of the plugins `typescript-operations` and `typed-document-node`. A selection on
 * `Instance` or `Node` is written once, not once for each form.
 */
export const operationsConfig = { ...clientPresetConfig, mergeFragmentTypes: true };
