import type { GraphQLError } from 'graphql';

/**
 * Sorts errors as what they are about stands in the answer. They come as they happen, which the same operation may be told
 * in another order the next time.
 */
export function inOrder(errors: readonly GraphQLError[], data: string): readonly GraphQLError[] {
  if (errors.length < 2) return errors;
  const answer: unknown = JSON.parse(data);
  return errors.toSorted((one, other) => compare(one.path ?? [], other.path ?? [], answer));
}

type Keys = readonly (string | number)[];

function compare([one, ...ones]: Keys, [other, ...others]: Keys, place: unknown): number {
  if (one === undefined || other === undefined || typeof place !== 'object' || place === null) return 0;
  const member = (place as Readonly<Record<string | number, unknown>>)[one];
  if (one === other) return compare(ones, others, member);
  if (Array.isArray(place)) return Number(one) - Number(other);
  const names = Object.keys(place);
  return names.indexOf(String(one)) - names.indexOf(String(other));
}
