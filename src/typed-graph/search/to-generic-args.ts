import type { CriterionInput, OrderInput } from '../../__generated__/resolvers.ts';
import type { ConnectionArgs } from '../../graphql/connection.ts';
import type { SearchOperator } from '../../upstream/dialect.ts';
import { InputError } from '../../upstream/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../upstream/json.ts';

/** Says the arguments of a typed list as those of a generic one. @throws {InputError} for what cannot be said. */
export type ToGenericArgs = (args: Readonly<Record<string, unknown>>) => ConnectionArgs;

/** Makes it for a form. `fields` are the platform's names of its fields, by those of the graph. */
export function createToGenericArgs(fields: ReadonlyMap<string, string>): ToGenericArgs {
  const platformName = (name: string): string => fields.get(name) ?? name;

  const toOrder = (order: JsonObject): OrderInput[] =>
    Object.entries(order).map(([name, direction]) => ({
      field: platformName(name),
      direction: direction as OrderInput['direction'],
    }));
  return ({ where, orderBy, ...page }) => ({
    ...page,
    where: isJsonObject(where) ? Object.entries(where).flatMap(([name, filter]) => toCriteria(name, filter)) : [],
    orderBy: ((orderBy ?? []) as readonly JsonObject[]).flatMap(toOrder),
  });

  function toCriteria(name: string, filter: Json): CriterionInput[] {
    if (!isJsonObject(filter)) throw new InputError(`where.${name} must name an operator and a value.`);
    return Object.entries(filter).map(([operator, value]) => {
      if (value === null) throw new InputError(`where.${name}.${operator} must have a value; leave it out instead.`);
      return { field: platformName(name), operator: operator.toUpperCase() as SearchOperator, value };
    });
  }
}
