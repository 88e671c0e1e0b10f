import {
  type GraphQLNamedType,
  GraphQLSchema,
  isInputObjectType,
  isInterfaceType,
  isNonNullType,
  isObjectType,
} from 'graphql';

import type { OmitPart } from './extend-schema.ts';
import type { LoadedExtension } from './load.ts';

/**
 * Takes the fields out of a schema that extensions hide: what is left has no trace of them, and no type that only they led to.
 * A field of an interface goes with those of the types that implement it.
 *
 * @param base the platform's graph: only its fields can be hidden.
 */
export function hideFields(
  schema: GraphQLSchema,
  base: GraphQLSchema,
  extensions: readonly LoadedExtension[],
  omit: OmitPart,
): GraphQLSchema {
  let isChanged = false;
  for (const extension of extensions) {
    for (const place of extension.hide ?? []) {
      const reason = hide(place, schema, base);
      if (reason === undefined) isChanged = true;
      else omit(extension, place, reason);
    }
  }
  if (!isChanged) return schema;
  const { types, ...config } = schema.toConfig();
  // Types that are found by the interface alone are still part of the graph.
  const isImplementer = (type: unknown) => isObjectType(type) && type.getInterfaces().length > 0;
  return new GraphQLSchema({ ...config, types: types.filter(isImplementer) });
}

/** Removes a field, or gives the reason why it stays. */
function hide(place: string, schema: GraphQLSchema, base: GraphQLSchema): string | undefined {
  const [typeName = '', fieldName = ''] = place.split('.');
  const type = schema.getType(typeName);
  if (!hasFields(type) || !isFieldOf(base.getType(typeName), fieldName))
    return 'The platform’s graph has no such field.';
  if (isInputObjectType(type) && isNonNullType(type.getFields()[fieldName]?.type)) return 'It is required.';
  const around = isInputObjectType(type) ? [] : type.getInterfaces();
  const owner = around.find((one) => isFieldOf(one, fieldName));
  if (owner) return `${owner.name} has it; hide ${owner.name}.${fieldName}.`;
  const { objects = [], interfaces = [] } = isInterfaceType(type) ? schema.getImplementations(type) : {};
  const all = [type, ...objects, ...interfaces];
  if (all.some((one) => Object.keys(one.getFields()).length < 2)) return 'Its type would have no field left.';
  // The types are this schema's own.
  for (const one of all) delete one.getFields()[fieldName];
  return undefined;
}

const hasFields = (type: GraphQLNamedType | undefined) =>
  isObjectType(type) || isInterfaceType(type) || isInputObjectType(type);

const isFieldOf = (type: GraphQLNamedType | undefined, name: string): boolean =>
  hasFields(type) && Object.hasOwn(type.getFields(), name);
