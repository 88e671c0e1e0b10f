import type { Dialect } from './dialect.ts';
import type { Json, JsonObject } from './json.ts';
import { isJsonObject } from './json.ts';
import { OPERATIONS, PATHS } from './operations.ts';
import { checkInt64 } from './path.ts';
import { readCase } from './reading/case.ts';
import type { CaseRecord } from './records.ts';
import type { Transport } from './transport.ts';
import { writeValues } from './writing.ts';

/** What a case or an activity is given. */
export interface CaseInput {
  readonly values?: JsonObject | undefined;
  /** Further members of the body, for what the dialect has no name for. */
  readonly attributes?: JsonObject | undefined;
}

/** The case operations, one method each. Both have an effect each time. */
export interface Cases {
  /** `startCase`. */
  start(process: string, input: CaseInput, signal?: AbortSignal): Promise<CaseRecord>;
  /** `executeCurrentActivity`. */
  execute(caseId: string, activityId: string, input: CaseInput, signal?: AbortSignal): Promise<CaseRecord>;
}

export function createCases(transport: Transport, dialect: Dialect): Cases {
  return {
    async start(process, input, signal) {
      const body = { ...bodyOf(input, dialect), [dialect.case.process]: process };
      return transport.call({ operation: OPERATIONS.startCase, path: PATHS.cases(), body, signal }, (answer) =>
        readCase(answer.body, dialect),
      );
    },
    async execute(caseId, activityId, input, signal) {
      const path = PATHS.executeActivity(checkInt64('caseId', caseId), checkInt64('activityId', activityId));
      const call = { operation: OPERATIONS.executeCurrentActivity, path, body: bodyOf(input, dialect), signal };
      return transport.call(call, (answer) => readCase(answer.body, dialect, caseId));
    },
  };
}

function bodyOf({ values, attributes }: CaseInput, dialect: Dialect): JsonObject {
  if (values === undefined) return { ...attributes };
  const { written, values: member } = dialect.case;
  const shaped: Json = writeValues(values, written, member, dialect);
  // Beside the process there is no room for a bare sequence, so it stands under the values' name.
  return { ...attributes, ...(isJsonObject(shaped) ? shaped : { [member]: shaped }) };
}
