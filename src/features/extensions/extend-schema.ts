import {
  type DirectiveNode,
  type DocumentNode,
  extendSchema,
  type FieldDefinitionNode,
  GraphQLError,
  type GraphQLField,
  type GraphQLNamedType,
  GraphQLSchema,
  getArgumentValues,
  isInterfaceType,
  isObjectType,
  Kind,
  KnownDirectivesRule,
  KnownTypeNamesRule,
  PossibleTypeExtensionsRule,
  parse,
  type TypeDefinitionNode,
  type TypeExtensionNode,
  UniqueArgumentDefinitionNamesRule,
  UniqueEnumValueNamesRule,
  UniqueFieldDefinitionNamesRule,
  UniqueTypeNamesRule,
  type ValidationRule,
  validate,
  validateSchema,
  visit,
} from 'graphql';

import { formatProblem } from '../../graphql/admission/documents.ts';
import { DateScalar, Decimal, Long } from '../../graphql/scalars.ts';
import { hideFields } from './hidden-fields.ts';
import type { LoadedExtension, OwnResolver } from './load.ts';

/** A part of an extension that does not fit the graph, and is not in it. */
export interface OmittedPart {
  readonly file: string;
  /** A type, or `Type.field`. */
  readonly place: string;
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

/** A platform's graph with the parts of extensions that fit it. */
export interface ExtendedSchema {
  readonly schema: GraphQLSchema;
  readonly fields: readonly OwnField[];
  readonly omitted: readonly OmittedPart[];
}

/** A part of an extension that is taken or left out as a whole: a type, one field, or the interfaces of a type. */
interface Part {
  readonly extension: LoadedExtension;
  readonly place: string;
  readonly nodes: readonly (TypeDefinitionNode | TypeExtensionNode)[];
}

/**
 * Adds extensions to the platform's schema, which stays as it is. Of names that several claim, the platform's goes first,
 * then that of the file that comes first. The fields are there; resolvers are not yet.
 */
export function addExtensions(platform: GraphQLSchema, extensions: readonly LoadedExtension[]): ExtendedSchema {
  const omitted: OmittedPart[] = [];
  const omit: OmitPart = ({ file }, place, reason) => void omitted.push({ file, place, reason });
  const declared = extensions.flatMap((extension) => readParts(extension, platform, omit));
  const base = withScalars(platform, declared);

  let parts: readonly Part[] = declared.filter((part) => isSound(part, base, omit));
  let extended = base;
  for (let isChanged = true; isChanged; ) {
    const document = toDocument(parts);
    const errors = validate(base, document, SDL_RULES, { maxErrors: Number.POSITIVE_INFINITY });
    if (errors.length === 0) extended = extendSchema(base, document, { assumeValidSDL: true });
    const reasons = toReasons(errors.length === 0 ? validateSchema(extended) : errors, parts);
    for (const [{ extension, place }, reason] of reasons) omit(extension, place, reason);
    parts = parts.filter((part) => !reasons.has(part));
    isChanged = reasons.size > 0;
  }
  reportUnused(declared, extensions, extended, omit);

  // The platform's own part is taken to be valid, as it was before.
  // GraphQL drops what is said of the schema itself when it extends one.
  const { extensions: ofSchema } = platform;
  const schema = new GraphQLSchema({ ...extended.toConfig(), extensions: { ...ofSchema }, assumeValid: true });
  const fields = parts.flatMap((part) => findFields(part, schema));
  return { schema: hideFields(schema, platform, extensions, omit), fields, omitted };
}

/** GraphQL's rules for SDL that extends a schema. Like all rules they need a context of a schema and a document, no more. */
const SDL_RULES = [
  UniqueTypeNamesRule,
  UniqueFieldDefinitionNamesRule,
  UniqueArgumentDefinitionNamesRule,
  UniqueEnumValueNamesRule,
  PossibleTypeExtensionsRule,
  KnownTypeNamesRule,
  KnownDirectivesRule,
] as unknown as readonly ValidationRule[];

export type OmitPart = (extension: LoadedExtension, place: string, reason: string) => void;

function readParts(extension: LoadedExtension, base: GraphQLSchema, omit: OmitPart): Part[] {
  if (!extension.typeDefs?.trim()) return [];
  try {
    return parse(extension.typeDefs).definitions.flatMap((node): Part[] => {
      if (node.kind === Kind.OBJECT_TYPE_EXTENSION || node.kind === Kind.INTERFACE_TYPE_EXTENSION) {
        return splitExtension(extension, node, base);
      }
      const place = 'name' in node && node.name ? node.name.value : 'typeDefs';
      if (DEFINITIONS.includes(node.kind)) return [{ extension, place, nodes: [node as TypeDefinitionNode] }];
      omit(extension, place, 'Only types can be added, and only object types and interfaces extended.');
      return [];
    });
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    omit(extension, 'typeDefs', formatProblem(error));
    return [];
  }
}

const DEFINITIONS: readonly string[] = [
  Kind.OBJECT_TYPE_DEFINITION,
  Kind.INTERFACE_TYPE_DEFINITION,
  Kind.UNION_TYPE_DEFINITION,
  Kind.ENUM_TYPE_DEFINITION,
  Kind.INPUT_OBJECT_TYPE_DEFINITION,
  Kind.SCALAR_TYPE_DEFINITION,
];

type FieldsExtension = Extract<TypeExtensionNode, { readonly fields?: readonly FieldDefinitionNode[] }>;

/** One part for each field; that of an interface comes with the field of each type that implements it. */
function splitExtension(extension: LoadedExtension, node: FieldsExtension, base: GraphQLSchema): Part[] {
  const name = node.name.value;
  const type = base.getType(name);
  const implementers = isInterfaceType(type)
    ? [...base.getImplementations(type).objects, ...base.getImplementations(type).interfaces]
    : [];
  const others = implementers.map(
    (implementer): FieldsExtension => ({
      kind: isInterfaceType(implementer) ? Kind.INTERFACE_TYPE_EXTENSION : Kind.OBJECT_TYPE_EXTENSION,
      name: { kind: Kind.NAME, value: implementer.name },
    }),
  );
  const fields = (node.fields ?? []).map((field) => ({
    extension,
    place: `${name}.${field.name.value}`,
    nodes: [{ ...node, interfaces: [] }, ...others].map((one) => ({ ...one, fields: [field] })),
  }));
  const interfaces = { extension, place: name, nodes: [{ ...node, fields: [] }] };
  return node.interfaces?.length ? [...fields, interfaces] : fields;
}

/** Whether a part has what it needs by itself: directives with their arguments, and a resolver on a type of the platform. */
function isSound({ extension, place, nodes }: Part, base: GraphQLSchema, omit: OmitPart): boolean {
  const [typeName = '', fieldName] = place.split('.');
  const isOwn = fieldName === undefined || base.getType(typeName) === undefined || nodes.every(isDefinition);
  const isResolved = isOwn || extension.resolvers[typeName]?.[fieldName] !== undefined;
  const reason = isResolved ? findDirectiveProblem(nodes, base) : 'It has no resolver.';
  if (reason !== undefined) omit(extension, place, reason);
  return reason === undefined;
}

/** GraphQL reads the arguments of directives when it makes a type, and throws there. */
function findDirectiveProblem(nodes: Part['nodes'], base: GraphQLSchema): string | undefined {
  const Directive = (node: DirectiveNode) => {
    const directive = base.getDirective(node.name.value);
    if (directive) getArgumentValues(directive, node);
  };
  try {
    for (const node of nodes) visit(node, { Directive });
    return undefined;
  } catch (error) {
    if (error instanceof GraphQLError) return error.message;
    throw error;
  }
}

const isDefinition = ({ kind }: TypeDefinitionNode | TypeExtensionNode): boolean => DEFINITIONS.includes(kind);

const fieldsOf = (type: GraphQLNamedType | undefined) =>
  isObjectType(type) || isInterfaceType(type) ? type.getFields() : {};

/** Adds the scalars of typed forms that parts name, where no form has brought them. */
function withScalars(schema: GraphQLSchema, parts: readonly Part[]): GraphQLSchema {
  const names = new Set(parts.flatMap(({ nodes }) => nodes.flatMap(namesIn)));
  const missing = [DateScalar, Decimal, Long].filter(({ name }) => names.has(name) && !schema.getType(name));
  if (missing.length === 0) return schema;
  const { types, ...config } = schema.toConfig();
  return new GraphQLSchema({ ...config, types: [...types, ...missing], assumeValid: true });
}

/** The types that a node names. */
function namesIn(node: TypeDefinitionNode | TypeExtensionNode): string[] {
  const names: string[] = [];
  visit(node, { NamedType: ({ name }) => void names.push(name.value) });
  return names;
}

const toDocument = (parts: readonly Part[]): DocumentNode => ({
  kind: Kind.DOCUMENT,
  // An extension by nothing makes a copy in any case.
  definitions: [{ kind: Kind.SCHEMA_EXTENSION }, ...parts.flatMap(({ nodes }) => nodes)],
});

/** Gives the parts that errors are about, each with the first of them: of several parts, the last one. */
function toReasons(errors: readonly GraphQLError[], parts: readonly Part[]): ReadonlyMap<Part, string> {
  const found = new Map<Part, string>();
  for (const { message, nodes = [] } of errors) {
    const part = parts.findLast((one) => nodes.some((node) => one.nodes.some((own) => isWithin(node, own))));
    if (part !== undefined && !found.has(part)) found.set(part, message);
  }
  return found;
}

function isWithin(node: object, outer: TypeDefinitionNode | TypeExtensionNode): boolean {
  let isFound = false;
  visit(outer, {
    enter: (inner) => {
      isFound ||= inner === node;
    },
  });
  return isFound;
}

/** Resolvers of fields that no part of the same extension declares. */
function reportUnused(
  parts: readonly Part[],
  extensions: readonly LoadedExtension[],
  schema: GraphQLSchema,
  omit: OmitPart,
): void {
  for (const extension of extensions) {
    const own = parts.filter((part) => part.extension === extension);
    const declared = new Set(own.flatMap(({ nodes, place }) => [place, ...nodes.flatMap(placesOf)]));
    const places = Object.entries(extension.resolvers).flatMap(([typeName, resolvers]) =>
      Object.keys(resolvers).map((fieldName) => ({ typeName, fieldName, place: `${typeName}.${fieldName}` })),
    );
    for (const { typeName, fieldName, place } of places.filter((one) => !declared.has(one.place))) {
      const isKnown = fieldsOf(schema.getType(typeName))[fieldName] !== undefined;
      omit(extension, place, isKnown ? 'A field of the graph keeps its resolver.' : 'typeDefs have no such field.');
    }
  }
}

/** Each field of a node, as `Type.field`. */
const placesOf = (node: TypeDefinitionNode | TypeExtensionNode): string[] =>
  ('fields' in node ? (node.fields ?? []) : []).map((field) => `${node.name.value}.${field.name.value}`);

function findFields({ extension, nodes, place }: Part, schema: GraphQLSchema): OwnField[] {
  return nodes.flatMap((node) => {
    const typeName = node.name.value;
    const type = schema.getType(typeName);
    const names = 'fields' in node ? (node.fields ?? []).map((field) => field.name.value) : [];
    return names.flatMap((name) => {
      const field = fieldsOf(type)[name];
      // The resolver of an interface's field is that of the types which implement it.
      const resolver = extension.resolvers[isDefinition(node) ? typeName : (place.split('.')[0] ?? '')]?.[name];
      return field ? [{ extension, typeName, field, resolver }] : [];
    });
  });
}
