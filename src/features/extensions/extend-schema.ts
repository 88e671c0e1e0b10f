import {
  assertValidSchema,
  type DocumentNode,
  extendSchema,
  GraphQLError,
  type GraphQLField,
  type GraphQLNamedType,
  GraphQLSchema,
  getNamedType,
  isAbstractType,
  isInterfaceType,
  isObjectType,
  isTypeDefinitionNode,
  Kind,
  NoUnusedFragmentsRule,
  parse,
  type SelectionSetNode,
  specifiedRules,
  type TypeDefinitionNode,
  type TypeExtensionNode,
  validate,
  visit,
} from 'graphql';

import { orUndefined } from '../../core/errors.ts';
import { formatProblem } from '../../graphql/admission/documents.ts';
import { DateScalar, Decimal, Long } from '../../graphql/scalars.ts';
import type { LoadedExtension, OwnResolver } from './load.ts';

/** An extension that does not fit the schema, so the graph does not include it. */
export interface LeftOut {
  readonly file: string;
  readonly reason: string;
}

/** A field of an extension that is in the graph. */
export interface OwnField {
  readonly extension: LoadedExtension;
  readonly typeName: string;
  readonly fieldName: string;
  /** `undefined` for a field of the extension's own type that reads a property of the object. */
  readonly resolver: OwnResolver | undefined;
  /**
   * The part of the platform's object that the resolver gets. `undefined` if it gets no part, or an
   * object of the extension.
   */
  readonly needs: SelectionSetNode | undefined;
}

/**
 * Returns a new schema with the extensions that fit, in the order of their files. The platform's
 * schema does not change.
 */
export function addExtensions(platform: GraphQLSchema, extensions: readonly LoadedExtension[]) {
  const leftOut: LeftOut[] = [];
  const fields: OwnField[] = [];
  let schema = withScalars(platform);
  for (const extension of extensions) {
    try {
      const added = addExtension(schema, platform, extension);
      schema = added.schema;
      fields.push(...added.fields);
    } catch (error) {
      const isPlaced = error instanceof GraphQLError && error.locations;
      leftOut.push({
        file: extension.file,
        reason: isPlaced ? formatProblem(error) : (error as Error).message,
      });
    }
  }
  // `extendSchema` of graphql-js drops the extensions of the schema itself.
  const { extensions: ofSchema } = platform;
  const extended = new GraphQLSchema({
    ...schema.toConfig(),
    extensions: { ...ofSchema },
    assumeValid: true,
  });
  return { schema: extended, fields, leftOut };
}

/**
 * Returns a field of an object type or an interface.
 *
 * @throws {Error} if the schema has no such field.
 */
export function fieldIn(
  schema: GraphQLSchema,
  typeName: string,
  fieldName: string,
): GraphQLField<unknown, unknown> {
  const type = schema.getType(typeName);
  const field =
    isObjectType(type) || isInterfaceType(type) ? type.getFields()[fieldName] : undefined;
  if (field === undefined) throw new Error(`The schema has no field ${typeName}.${fieldName}.`);
  return field;
}

type Definition = TypeDefinitionNode | TypeExtensionNode;

/**
 * Adds one extension to the schema.
 *
 * @throws {Error} if the extension does not fit. Some errors of graphql-js are plain errors.
 */
function addExtension(base: GraphQLSchema, platform: GraphQLSchema, extension: LoadedExtension) {
  const definitions = extension.typeDefs?.trim() ? parse(extension.typeDefs).definitions : [];
  const own = definitions.flatMap((node) => expand(node, base));
  const schema = extendSchema(base, {
    kind: Kind.DOCUMENT,
    definitions: own.map(({ node }) => node),
  });
  assertValidSchema(schema);
  const fields = own.flatMap(({ node, from }) =>
    fieldsOf(node).map(({ name: { value: fieldName } }): OwnField => {
      const typeName = node.name.value;
      // The resolver of an interface's field serves all types that implement it.
      const resolver = extension.resolvers[from]?.[fieldName];
      if (!resolver && platform.getType(typeName))
        throw new GraphQLError(`${from}.${fieldName} has no resolver.`);
      const needs = resolver && readNeeds(resolver.needs, [typeName, fieldName], base, platform);
      return { extension, typeName, fieldName, resolver, needs };
    }),
  );
  for (const { typeName, fieldName } of fields)
    checkType(fieldIn(schema, typeName, fieldName), schema, platform);
  for (const [from, resolvers] of Object.entries(extension.resolvers)) {
    const unused = Object.keys(resolvers).find(
      (name) =>
        !own.some(
          (one) =>
            one.from === from && fieldsOf(one.node).some((field) => field.name.value === name),
        ),
    );
    if (unused !== undefined)
      throw new GraphQLError(`typeDefs have no field ${from}.${unused} for its resolver.`);
  }
  return { schema, fields };
}

/**
 * Checks the type of an extension's field.
 *
 * @throws {GraphQLError} for objects of the platform without a global id. Their other fields could
 *   not be loaded.
 */
function checkType(
  { name, type }: GraphQLField<unknown, unknown>,
  schema: GraphQLSchema,
  platform: GraphQLSchema,
): void {
  const named = getNamedType(type);
  const possible: readonly GraphQLNamedType[] = isAbstractType(named)
    ? schema.getPossibleTypes(named)
    : [named];
  const isNode = (one: GraphQLNamedType) =>
    isObjectType(one) && one.getInterfaces().some((of) => of.name === 'Node');
  const unnamed = possible.find(
    (one) => isObjectType(one) && platform.getType(one.name) && !isNode(one),
  );
  if (unnamed)
    throw new GraphQLError(
      `${name} cannot have the type ${unnamed.name} of the platform: it has no id.`,
    );
}

/**
 * Parses and validates the needs of a field. They are validated against the schema without this
 * extension, so that no field can need itself.
 */
function readNeeds(
  given: string | undefined,
  [typeName, fieldName]: readonly [string, string],
  base: GraphQLSchema,
  platform: GraphQLSchema,
): SelectionSetNode | undefined {
  const type = platform.getType(typeName);
  const hasId = (isObjectType(type) || isInterfaceType(type)) && 'id' in type.getFields();
  const text = given ?? (hasId ? '{ id }' : undefined);
  if (text === undefined) return undefined;
  const refuse = (reason: string) =>
    new GraphQLError(`The needs of ${typeName}.${fieldName}: ${reason}`);
  if (type && type === base.getMutationType()) throw refuse('a mutation has none.');
  const parsed = orUndefined(() =>
    parse(`fragment needs on ${typeName} ${text}`, { noLocation: true }),
  );
  const [definition, ...others] = parsed?.definitions ?? [];
  if (parsed === undefined || definition?.kind !== Kind.FRAGMENT_DEFINITION || others.length > 0)
    throw refuse(`this is no selection: ${text}`);
  const [invalid] = validate(base, parsed, NEEDS_RULES, { maxErrors: 1 });
  if (invalid) throw refuse(invalid.message);
  visit(parsed, {
    Variable() {
      throw refuse('there are no variables.');
    },
  });
  return definition.selectionSet;
}

const NEEDS_RULES = specifiedRules.filter((rule) => rule !== NoUnusedFragmentsRule);

/**
 * Returns a definition. For an extension of an interface, it adds one for each type that implements
 * it.
 */
function expand(
  node: DocumentNode['definitions'][number],
  base: GraphQLSchema,
): { node: Definition; from: string }[] {
  const isExtension =
    node.kind === Kind.OBJECT_TYPE_EXTENSION || node.kind === Kind.INTERFACE_TYPE_EXTENSION;
  if (!isExtension && !isTypeDefinitionNode(node))
    throw new GraphQLError(
      'Only types can be added, and only object types and interfaces extended.',
      { nodes: node },
    );
  const definition = node as Definition;
  const from = definition.name.value;
  const type = base.getType(from);
  if (!isExtension || !isInterfaceType(type)) return [{ node: definition, from }];
  const { objects, interfaces } = base.getImplementations(type);
  const others = [...objects, ...interfaces].map(({ name: value }, index) => ({
    ...(definition as Extract<Definition, { kind: typeof Kind.INTERFACE_TYPE_EXTENSION }>),
    kind: index < objects.length ? Kind.OBJECT_TYPE_EXTENSION : Kind.INTERFACE_TYPE_EXTENSION,
    name: { kind: Kind.NAME, value } as const,
    interfaces: [],
  }));
  return [definition, ...(others as Definition[])].map((one) => ({ node: one, from }));
}

/** Returns the output fields of a definition. */
const fieldsOf = (node: Definition) =>
  ('fields' in node ? (node.fields ?? []) : []).filter(
    (field) => field.kind === Kind.FIELD_DEFINITION,
  );

/** Adds the scalars of typed forms that the schema lacks. */
function withScalars(schema: GraphQLSchema): GraphQLSchema {
  const missing = [DateScalar, Decimal, Long].filter(({ name }) => !schema.getType(name));
  if (missing.length === 0) return schema;
  const { types, ...config } = schema.toConfig();
  return new GraphQLSchema({ ...config, types: [...types, ...missing], assumeValid: true });
}
