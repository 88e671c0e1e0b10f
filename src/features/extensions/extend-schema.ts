import {
  type DocumentNode,
  extendSchema,
  GraphQLError,
  type GraphQLField,
  GraphQLSchema,
  isInterfaceType,
  isObjectType,
  Kind,
  KnownDirectivesRule,
  KnownTypeNamesRule,
  PossibleTypeExtensionsRule,
  ProvidedRequiredArgumentsRule,
  parse,
  type TypeDefinitionNode,
  type TypeExtensionNode,
  UniqueFieldDefinitionNamesRule,
  UniqueTypeNamesRule,
  type ValidationRule,
  validate,
  validateSchema,
} from 'graphql';

import { formatProblem } from '../../graphql/admission/documents.ts';
import { DateScalar, Decimal, Long } from '../../graphql/scalars.ts';
import type { LoadedExtension, OwnResolver } from './load.ts';

/** An extension that does not fit the graph, and is not in it. */
export interface OmittedExtension {
  readonly file: string;
  readonly reason: string;
}

/** A field of an extension that is in the graph. */
export interface OwnField {
  readonly extension: LoadedExtension;
  readonly typeName: string;
  readonly field: GraphQLField<unknown, unknown>;
  /** Absent for a field of an own type whose value is there. */
  readonly resolver: OwnResolver | undefined;
}

/** Adds the extensions that fit, in the order of their files, to the platform's schema, which stays as it is. */
export function addExtensions(platform: GraphQLSchema, extensions: readonly LoadedExtension[]) {
  const omitted: OmittedExtension[] = [];
  const parts: OwnPart[] = [];
  let schema = withScalars(platform);
  for (const extension of extensions) {
    try {
      const added = addExtension(schema, platform, extension);
      schema = added.schema;
      parts.push(...added.parts);
    } catch (error) {
      if (!(error instanceof GraphQLError)) throw error;
      omitted.push({ file: extension.file, reason: formatProblem(error) });
    }
  }
  // GraphQL drops what is said of the schema itself when it extends one.
  const { extensions: ofSchema } = platform;
  const extended = new GraphQLSchema({ ...schema.toConfig(), extensions: { ...ofSchema }, assumeValid: true });
  const fields = parts.map(({ fieldName, ...part }): OwnField => {
    const type = extended.getType(part.typeName);
    const field = isObjectType(type) || isInterfaceType(type) ? type.getFields()[fieldName] : undefined;
    if (field === undefined) throw new Error(`The schema has no field ${part.typeName}.${fieldName}.`);
    return { ...part, field };
  });
  return { schema: extended, fields, omitted };
}

interface OwnPart extends Omit<OwnField, 'field'> {
  readonly fieldName: string;
}

type Definition = TypeDefinitionNode | TypeExtensionNode;

/** GraphQL's rules for SDL that extends a schema. Like all rules they need a context of a schema and a document, no more. */
const SDL_RULES = [
  UniqueTypeNamesRule,
  UniqueFieldDefinitionNamesRule,
  PossibleTypeExtensionsRule,
  KnownTypeNamesRule,
  KnownDirectivesRule,
  ProvidedRequiredArgumentsRule,
] as unknown as readonly ValidationRule[];

/** @throws {GraphQLError} for an extension that does not fit. */
function addExtension(base: GraphQLSchema, platform: GraphQLSchema, extension: LoadedExtension) {
  const definitions = extension.typeDefs?.trim() ? parse(extension.typeDefs).definitions : [];
  const own = definitions.flatMap((node) => expand(node, base));
  const document: DocumentNode = {
    kind: Kind.DOCUMENT,
    definitions: [{ kind: Kind.SCHEMA_EXTENSION }, ...own.map(({ node }) => node)],
  };
  const [invalid] = validate(base, document, SDL_RULES, { maxErrors: 1 });
  if (invalid) throw invalid;
  const schema = extendSchema(base, document, { assumeValidSDL: true });
  const [fault] = validateSchema(schema);
  if (fault) throw fault;
  const parts = own.flatMap(({ node, from }) =>
    fieldsOf(node).map(({ name: { value: fieldName } }): OwnPart => {
      const typeName = node.name.value;
      // The resolver of an interface's field is that of the types which implement it.
      const resolver = extension.resolvers[from]?.[fieldName];
      if (!resolver && platform.getType(typeName)) throw new GraphQLError(`${from}.${fieldName} has no resolver.`);
      return { extension, typeName, fieldName, resolver };
    }),
  );
  for (const [from, resolvers] of Object.entries(extension.resolvers)) {
    const unused = Object.keys(resolvers).find(
      (name) => !own.some((one) => one.from === from && fieldsOf(one.node).some((field) => field.name.value === name)),
    );
    if (unused !== undefined) throw new GraphQLError(`typeDefs have no field ${from}.${unused} for its resolver.`);
  }
  return { schema, parts };
}

/** Gives a definition, and for the field of an interface that of each type which implements it. */
function expand(node: DocumentNode['definitions'][number], base: GraphQLSchema): { node: Definition; from: string }[] {
  if (node.kind === Kind.SCHEMA_EXTENSION) return [];
  const isExtension = node.kind === Kind.OBJECT_TYPE_EXTENSION || node.kind === Kind.INTERFACE_TYPE_EXTENSION;
  if (!isExtension && !DEFINITIONS.includes(node.kind))
    throw new GraphQLError('Only types can be added, and only object types and interfaces extended.', { nodes: node });
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

const DEFINITIONS: readonly string[] = [
  Kind.OBJECT_TYPE_DEFINITION,
  Kind.INTERFACE_TYPE_DEFINITION,
  Kind.UNION_TYPE_DEFINITION,
  Kind.ENUM_TYPE_DEFINITION,
  Kind.INPUT_OBJECT_TYPE_DEFINITION,
  Kind.SCALAR_TYPE_DEFINITION,
];

/** The output fields of a definition. */
const fieldsOf = (node: Definition) =>
  node.kind === Kind.OBJECT_TYPE_DEFINITION ||
  node.kind === Kind.INTERFACE_TYPE_DEFINITION ||
  node.kind === Kind.OBJECT_TYPE_EXTENSION ||
  node.kind === Kind.INTERFACE_TYPE_EXTENSION
    ? (node.fields ?? [])
    : [];

/** Adds the scalars of typed forms, where no form has brought them. */
function withScalars(schema: GraphQLSchema): GraphQLSchema {
  const missing = [DateScalar, Decimal, Long].filter(({ name }) => !schema.getType(name));
  if (missing.length === 0) return schema;
  const { types, ...config } = schema.toConfig();
  return new GraphQLSchema({ ...config, types: [...types, ...missing], assumeValid: true });
}
