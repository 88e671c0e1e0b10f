import type { FormRecord, RuleKey, RuleRecord } from '../records.ts';
import type { Rules } from '../rules.ts';
import type { Definitions, ReadOptions } from './index.ts';
import { readRuleList } from './rule-list.ts';
import { changedForms } from './same-form.ts';

/** All that the platform says of forms, and of the rules that somebody asks it for. */
export interface DefinitionSet {
  readonly forms: readonly FormRecord[];
  readonly rules: readonly RuleRecord[];
}

/** Reads them all. */
export interface DefinitionReader {
  /** @throws {UpstreamError} when the list of forms cannot be read. */
  read(asking?: ReadOptions): Promise<DefinitionSet>;
}

interface ReaderOptions {
  readonly definitions: Definitions;
  readonly rules: Rules;
  readonly ruleKeys: readonly RuleKey[];
}

/** Makes the reader of forms and rules. */
export function createDefinitionReader({ definitions, rules: from, ruleKeys }: ReaderOptions): DefinitionReader {
  const readRules = readRuleList(from, ruleKeys);
  return {
    async read(asking) {
      const [forms, rules] = await Promise.all([definitions.read(asking), readRules(asking?.signal)]);
      return { forms, rules };
    },
  };
}

/** Whether two sets say the same. */
export const isSameSet = (one: DefinitionSet, other: DefinitionSet): boolean =>
  changedForms(one.forms, other.forms).size === 0 && JSON.stringify(one.rules) === JSON.stringify(other.rules);
