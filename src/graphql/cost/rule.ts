import type { CostBasis } from './basis.ts';
import type { FieldCost, Place } from './place.ts';

/** Tells what a field costs at a place, with its arguments. */
export type Rule = (place: Place, args: Readonly<Record<string, unknown>>, basis: CostBasis) => FieldCost;

/** What a field brings along that is made with its rule. GraphQL copies what has a prototype. */
export const withCost = (rule: Rule) => ({ extensions: { __proto__: null, cost: rule } });

/** The rule that a field brings along, if it does. */
export const ruleOf = ({ extensions }: { readonly extensions: Readonly<Record<string, unknown>> }): Rule | undefined =>
  extensions['cost'] as Rule | undefined;
