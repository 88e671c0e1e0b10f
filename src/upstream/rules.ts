import type { Dialect } from './dialect.ts';
import { OPERATIONS, PATHS } from './operations.ts';
import { joinRule } from './path.ts';
import { readParameters, readRule } from './reading/rule.ts';
import type { ParameterRecord, ReadOptions, ReadResult, RuleKey, RuleRecord } from './records.ts';
import type { Transport } from './transport.ts';
import { writeParameters } from './writing.ts';

/** The rule operations, one method each. */
export interface Rules {
  /** `getParameters`: a PUT, but a read. */
  read(key: RuleKey, options?: ReadOptions): Promise<ReadResult<RuleRecord>>;
  /** `execute`. Gives the output parameters. */
  execute(key: RuleKey, parameters: readonly ParameterRecord[], signal?: AbortSignal): Promise<ParameterRecord[]>;
}

export function createRules(transport: Transport, dialect: Dialect): Rules {
  const segment = ({ component, version }: RuleKey) =>
    joinRule(component, version, dialect.rule.isHyphenInVersionAllowed);
  return {
    async read(key, options) {
      const path = PATHS.ruleParameters(segment(key));
      return transport.read({ operation: OPERATIONS.getParameters, path, ...options }, ({ body }) =>
        readRule(key, body, dialect),
      );
    },
    async execute(key, parameters, signal) {
      const path = PATHS.executeRule(segment(key));
      const call = { operation: OPERATIONS.execute, path, body: writeParameters(parameters, dialect), signal };
      return transport.call(call, ({ body }) => readParameters(body, dialect));
    },
  };
}
