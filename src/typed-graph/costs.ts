import {
  type CostRule,
  content,
  instanceLookUp,
  instancesOf,
  ONE,
  pageCalls,
  referenceCalls,
} from '../graphql/cost-rules.ts';
import { InputError } from '../upstream/errors.ts';
import type { ToGenericArgs } from './search.ts';

/** What one instance of a form costs that is asked by its id. */
export const costOfOne =
  (formId: string): CostRule =>
  (_place, { instanceId }) => ({ lookUp: instanceLookUp(formId, String(instanceId)), below: ONE });

/** What a list of a form's instances costs. */
export const costOfMany =
  (formId: string, toGeneric: ToGenericArgs): CostRule =>
  (place, args, basis) => {
    const { own, size } = pageCalls(instancesOf(formId), { ...place, forms: 1 }, sayable(toGeneric, args), basis);
    return { own, below: { objects: 1, records: size, forms: 1, size } };
  };

/** What the instances cost that refer to each record of a place: a list for each. */
export const costOfBackReference =
  (toGeneric: ToGenericArgs): CostRule =>
  ({ objects, records }, args, basis) => {
    const place = { objects, records, forms: records };
    const { own, size } = pageCalls('of these records', place, sayable(toGeneric, args), basis);
    return { own, below: { objects, records: records * size, forms: 1, size } };
  };

/** What the targets of a reference cost: the records of a place are of one form, and so are their targets. */
export const costOfReference: CostRule = (place, args, basis) => ({
  own: referenceCalls({ ...place, forms: 1 }, basis.dialect),
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
