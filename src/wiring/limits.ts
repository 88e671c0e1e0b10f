import type { Settings } from '../config/settings.ts';
import type { JsonLimits } from '../edge/json-limits.ts';
import type { OperationLimits } from '../graphql/limits/index.ts';

/** How much one request may hold, by the floor that looks. */
export interface RequestLimits {
  readonly json: JsonLimits;
  readonly operation: OperationLimits;
}

/** Reads the limits from the settings. */
export function toLimits(settings: Settings): RequestLimits {
  return {
    json: {
      depth: settings.JSON_DEPTH_MAX,
      keys: settings.JSON_KEYS_MAX,
      listItems: settings.LIST_ITEMS_MAX,
      stringLength: settings.STRING_MAX,
    },
    operation: {
      tokens: settings.TOKENS_MAX,
      depth: settings.DEPTH_MAX,
      valueDepth: settings.JSON_DEPTH_MAX,
      aliases: settings.ALIASES_MAX,
      directives: settings.DIRECTIVES_MAX,
      operations: settings.OPERATIONS_MAX,
      fragments: settings.FRAGMENTS_MAX,
      variables: settings.VARIABLES_MAX,
      listItems: settings.LIST_ITEMS_MAX,
      pairs: settings.PAIRS_MAX,
      selections: settings.SELECTIONS_MAX,
      rootFields: settings.ROOT_FIELDS_MAX,
      calls: settings.COST_MAX_CALLS,
      answerFields: settings.ANSWER_FIELDS_MAX,
      answerLength: settings.ANSWER_LENGTH_MAX,
    },
  };
}
