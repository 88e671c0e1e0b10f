import { boolean, double, type GeneratorValue, integer, nat } from 'fast-check';
import {
  type GraphQLInputField,
  type GraphQLInputType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';

const DAYS = ['2026-01-31', '2024-02-29'];

/** One of some values. */
export const oneOf = <T>(gen: GeneratorValue, ...options: readonly T[]): T =>
  options[gen(nat, options.length - 1)] as T;

/** Returns a random value of an input type, as JSON. */
export function toValue(type: GraphQLInputType, gen: GeneratorValue): unknown {
  if (isNonNullType(type)) return toValue(type.ofType, gen);
  if (isListType(type)) return Array.from({ length: gen(nat, 2) }, () => toValue(type.ofType, gen));
  if (isEnumType(type)) return oneOf(gen, ...type.getValues().map(({ name }) => name));
  if (isInputObjectType(type)) {
    const all = Object.values(type.getFields());
    const given = type.isOneOf
      ? [all[gen(nat, all.length - 1)] as GraphQLInputField]
      : all.filter((field) => isNonNullType(field.type) || gen(nat, 3) === 0);
    return Object.fromEntries(given.map((field) => [field.name, toValue(field.type, gen)]));
  }
  return SCALARS[type.name]?.(gen) ?? oneOf<unknown>(gen, 'a', 1, true, { a: [null] });
}

const SCALARS: Readonly<Record<string, (gen: GeneratorValue) => unknown>> = {
  Int: (gen) => gen(integer, { min: 1, max: 6 }),
  Float: (gen) => gen(double, { noNaN: true, noDefaultInfinity: true }),
  Boolean: (gen) => gen(boolean),
  ID: (gen) => oneOf(gen, '1', '2', '5', '9007199254740993', 'no id', ''),
  String: (gen) => oneOf(gen, 'a name', '', 'a,b', 'é', 'YXQ6Mg'),
  Decimal: (gen) => oneOf<unknown>(gen, '18650.00', '0.1', -3, 1e15),
  Long: (gen) => oneOf<unknown>(gen, '9223372036854775807', 7),
  Date: (gen) => oneOf(gen, ...DAYS),
  JSONObject: (gen) => oneOf<unknown>(gen, {}, { a: [null], b: { c: 1.5 } }),
  DateTime: (gen) => oneOf(gen, ...DAYS.map((day) => `${day}T12:00:00Z`)),
};
