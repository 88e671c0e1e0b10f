import { askReferences } from '../graphql/cost/look-ups.ts';
import { askPages } from '../graphql/cost/pages.ts';
import { ONE } from '../graphql/cost/place.ts';
import type { Rule } from '../graphql/cost/rule.ts';
import { content, instancesOf, lookUpInstance } from '../graphql/cost/rules.ts';
import { InputError } from '../upstream/errors.ts';
import type { ToGenericArgs } from './search/to-generic-args.ts';

/** What one instance of a form costs that is asked by its id. */
export const costOfOne =
  (formId: string): Rule =>
  (_place, { instanceId }) => ({ lookUp: lookUpInstance(formId, String(instanceId)), below: ONE });

/** What a list of a form's instances costs. */
export const costOfMany =
  (formId: string, toGeneric: ToGenericArgs): Rule =>
  (place, args, basis) => {
    const { ask, size } = askPages(instancesOf(formId), { ...place, forms: 1 }, sayable(toGeneric, args), basis);
    return { ask, below: { objects: 1, records: size, forms: 1, size } };
  };

/** What the instances cost that refer to each record of a place: a list for each. */
export const costOfBackReference =
  (toGeneric: ToGenericArgs): Rule =>
  ({ objects, records }, args, basis) => {
    const place = { objects, records, forms: records };
    const { ask, size } = askPages('of these records', place, sayable(toGeneric, args), basis);
    return { ask, below: { objects, records: records * size, forms: 1, size } };
  };

/** What the targets of a reference cost: the records of a place are of one form, and so are their targets. */
export const costOfReference: Rule = (place, args, basis) => ({
  ask: askReferences({ ...place, forms: 1 }, basis.dialect),
  ...content(place, args, basis),
  below: { ...place, forms: 1, isFresh: false, isCertain: false },
});

/** The arguments in generic words; what cannot be said is told when the field is asked, and costs nothing. */
function sayable(toGeneric: ToGenericArgs, args: Readonly<Record<string, unknown>>) {
  try {
    return toGeneric(args);
  } catch (error) {
    if (error instanceof InputError) return { first: 0 };
    throw error;
  }
}
