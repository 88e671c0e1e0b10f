import type { RuleKey, RuleRecord } from '../../upstream/records.ts';
import type { TypedField } from '../typed-form.ts';

/** A rule that has a mutation of its own. */
export interface TypedRule {
  readonly key: RuleKey;
  /** Such as `ApprovalLevelV1_0`. */
  readonly name: string;
  /** For people. */
  readonly title: string;
  /** Its input parameters. */
  readonly parameters: readonly TypedField[];
}

/** Rules that somebody wants mutations of, and what the platform tells of them. */
export interface RuleDefinitions {
  readonly wanted: readonly RuleKey[];
  readonly known: readonly RuleRecord[];
}

/** Why a rule has no mutation of its own. */
export interface RuleProblem {
  /** As the setting names it. */
  readonly rule: string;
  /** The parameter that it is about; absent where it is about the rule. */
  readonly field?: string;
  /** Ends the sentence "… stays generic: ". */
  readonly reason: string;
}
