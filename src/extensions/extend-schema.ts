import {
  type DocumentNode,
  extendSchema,
  type FieldDefinitionNode,
  GraphQLError,
  type GraphQLField,
  type GraphQLNamedType,
  GraphQLSchema,
  isAbstractType,
  isInterfaceType,
  isObjectType,
  Kind,
  parse,
  type TypeDefinitionNode,
  type TypeExtensionNode,
  validateSchema,
  visit,
} from 'graphql';

import { formatProblem } from '../graphql/documents.ts';
import { DateScalar, Decimal, Long } from '../graphql/scalars.ts';
import { hideFields } from './hidden-fields.ts';
import type { LoadedExtension, OwnResolver } from './load.ts';

/** A part of an extension that does not fit the graph, and is not in it. */
export interface LeftOut {
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
  readonly leftOut: readonly LeftOut[];
}

/** A part of an extension that is taken or left out as a whole: a type, one field, or the interfaces of a type. */
interface Part {
  readonly extension: LoadedExtension;
  readonly place: string;
  readonly nodes: readonly (TypeDefinitionNode | TypeExtensionNode)[];
}

/**
 * Adds extensions to the platform's schema, which stays as it is. Of names that several claim, the platform's goes first, then that of the
 * file that comes first. The fields are there; resolvers are not yet.
 */
export function addExtensions(platform: GraphQLSchema, extensions: readonly LoadedExtension[]): ExtendedSchema {
  const leftOut: LeftOut[] = [];
  const leave = ({ file }: LoadedExtension, place: string, reason: string) => leftOut.push({ file, place, reason });
  const declared = extensions.flatMap((extension) => readParts(extension, platform, leave));
  const base = withScalars(platform, declared);

  let parts = withoutTaken(declared, base, leave);
  let extended = base;
  for (let reasons: ReadonlyMap<Part, string> | undefined; reasons === undefined || reasons.size > 0; ) {
    reasons = findUnknown(parts, base);
    if (reasons.size === 0) {
      extended = extendSchema(base, toDocument(parts), { assumeValidSDL: true });
      reasons = findInvalid(parts, extended);
    }
    for (const [{ extension, place }, reason] of reasons) leave(extension, place, reason);
    const failed = reasons;
    parts = parts.filter((part) => !failed.has(part));
  }
  reportUnused(declared, extensions, { schema: extended, leave });

  // The platform's own part is taken to be valid, as it was before.
  const schema = new GraphQLSchema({ ...extended.toConfig(), assumeValid: true });
  const fields = parts.flatMap((part) => findFields(part, schema));
  return { schema: hideFields(schema, platform, extensions, leave), fields, leftOut };
}

export type Leave = (extension: LoadedExtension, place: string, reason: string) => void;

function readParts(extension: LoadedExtension, base: GraphQLSchema, leave: Leave): Part[] {
  if (!extension.typeDefs?.trim()) return [];
  try {
    return parse(extension.typeDefs).definitions.flatMap((node): Part[] => {
      if (node.kind === Kind.OBJECT_TYPE_EXTENSION || node.kind === Kind.INTERFACE_TYPE_EXTENSION) {
        return splitExtension(extension, node, base);
      }
      const place = 'name' in node && node.name ? node.name.value : 'typeDefs';
      if (DEFINITIONS.includes(node.kind)) return [{ extension, place, nodes: [node as TypeDefinitionNode] }];
      leave(extension, place, 'only types can be added, and only object types and interfaces extended');
      return [];
    });
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    leave(extension, 'typeDefs', formatProblem(error));
    return [];
  }
}

const DEFINITIONS: readonly string[] = [
  ...[Kind.OBJECT_TYPE_DEFINITION, Kind.INTERFACE_TYPE_DEFINITION, Kind.UNION_TYPE_DEFINITION],
  ...[Kind.ENUM_TYPE_DEFINITION, Kind.INPUT_OBJECT_TYPE_DEFINITION, Kind.SCALAR_TYPE_DEFINITION],
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

/** What a part adds, as `Type` and `Type.field`. */
const claimsOf = ({ nodes }: Part): string[] =>
  nodes.flatMap((node) => (isDefinition(node) ? node.name.value : placesOf(node)));

function withoutTaken(parts: readonly Part[], base: GraphQLSchema, leave: Leave): readonly Part[] {
  const taken = new Map<string, string>();
  return parts.filter((part) => {
    const claims = claimsOf(part);
    const reason = claims.map((claim) => reasonOf(claim, base, taken)).find((found) => found !== undefined);
    if (reason !== undefined) leave(part.extension, part.place, reason);
    else for (const claim of claims) taken.set(claim, part.extension.file);
    return reason === undefined;
  });
}

function reasonOf(claim: string, base: GraphQLSchema, taken: ReadonlyMap<string, string>): string | undefined {
  const [typeName = '', fieldName] = claim.split('.');
  const type = base.getType(typeName);
  if ((fieldName ?? typeName).startsWith('__')) return 'names that begin with two underscores are GraphQL’s own';
  const owner = taken.get(claim);
  if (owner !== undefined) return `the name is taken by ${owner}`;
  if (fieldName !== undefined) return fieldsOf(type)[fieldName] ? 'the graph has such a field already' : undefined;
  if (type === undefined) return undefined;
  return `the graph has a type of this name already; to add to it, write "extend type ${typeName}"`;
}

const fieldsOf = (type: GraphQLNamedType | undefined) =>
  isObjectType(type) || isInterfaceType(type) ? type.getFields() : {};

/** Parts that name a type which is not there, or that have no resolver and need one. */
function findUnknown(parts: readonly Part[], base: GraphQLSchema): ReadonlyMap<Part, string> {
  const own = new Map(
    parts.flatMap(({ nodes }) => nodes.filter(isDefinition).map((node) => [node.name.value, node.kind])),
  );
  const reasons = new Map<Part, string>();
  for (const part of parts) {
    const reason = part.nodes.flatMap((node) => unknownIn(node, part, { base, own }) ?? []).at(0);
    if (reason !== undefined) reasons.set(part, reason);
  }
  return reasons;
}

const isDefinition = ({ kind }: TypeDefinitionNode | TypeExtensionNode): boolean => DEFINITIONS.includes(kind);

interface Known {
  readonly base: GraphQLSchema;
  readonly own: ReadonlyMap<string, string>;
}

function unknownIn(
  node: TypeDefinitionNode | TypeExtensionNode,
  { extension, place }: Part,
  { base, own }: Known,
): string | undefined {
  const unknown = namesIn(node).find((name) => !own.has(name) && !base.getType(name) && !STANDARD.includes(name));
  if (unknown !== undefined) return `there is no type ${unknown}`;
  if (isDefinition(node)) return undefined;
  const isResolved = !place.includes('.') || isResolvedBy(extension, place);
  return (
    reasonOfKind(node, { base, own }) ??
    (base.getType(node.name.value) && !isResolved ? 'it has no resolver' : undefined)
  );
}

function isResolvedBy({ resolvers }: LoadedExtension, place: string): boolean {
  const [typeName = '', fieldName = ''] = place.split('.');
  return resolvers[typeName]?.[fieldName] !== undefined;
}

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

/** Why a type cannot be extended so. */
function reasonOfKind({ kind, name: { value: name } }: TypeExtensionNode | TypeDefinitionNode, { base, own }: Known) {
  const type = base.getType(name);
  if (type === undefined && !own.has(name)) return `there is no type ${name}`;
  if (kind === Kind.INTERFACE_TYPE_EXTENSION) {
    const isInterface = isInterfaceType(type) || own.get(name) === Kind.INTERFACE_TYPE_DEFINITION;
    return isInterface ? undefined : `${name} is no interface`;
  }
  const isObject = isObjectType(type) || own.get(name) === Kind.OBJECT_TYPE_DEFINITION;
  return isObject ? undefined : `${name} is no object type`;
}

const STANDARD = ['Int', 'Float', 'String', 'Boolean', 'ID'];

const toDocument = (parts: readonly Part[]): DocumentNode => ({
  kind: Kind.DOCUMENT,
  // An extension by nothing makes a copy in any case.
  definitions: [{ kind: Kind.SCHEMA_EXTENSION }, ...parts.flatMap(({ nodes }) => nodes)],
});

/** Parts at which GraphQL's own rules for schemas find something. */
function findInvalid(parts: readonly Part[], schema: GraphQLSchema): ReadonlyMap<Part, string> {
  const found = new Map<Part, string>();
  for (const { message, nodes = [] } of validateSchema(schema)) {
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

interface Unused {
  readonly schema: GraphQLSchema;
  readonly leave: Leave;
}

/** Resolvers of fields that no part of the same extension declares. */
function reportUnused(parts: readonly Part[], extensions: readonly LoadedExtension[], { schema, leave }: Unused): void {
  for (const extension of extensions) {
    const own = parts.filter((part) => part.extension === extension);
    const declared = new Set(own.flatMap(({ nodes, place }) => [place, ...nodes.flatMap(placesOf)]));
    const places = Object.entries(extension.resolvers).flatMap(([typeName, resolvers]) =>
      Object.keys(resolvers).map((fieldName) => ({ typeName, fieldName, place: `${typeName}.${fieldName}` })),
    );
    for (const { typeName, fieldName, place } of places.filter((one) => !declared.has(one.place))) {
      const isKnown = fieldsOf(schema.getType(typeName))[fieldName] !== undefined;
      leave(extension, place, isKnown ? 'a field of the graph keeps its resolver' : 'typeDefs have no such field');
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
    if (isAbstractType(type) && !isInterfaceType(type)) return [];
    return names.flatMap((name) => {
      const field = fieldsOf(type)[name];
      // The resolver of an interface's field is that of the types which implement it.
      const resolver = extension.resolvers[isDefinition(node) ? typeName : (place.split('.')[0] ?? '')]?.[name];
      return field ? [{ extension, typeName, field, resolver }] : [];
    });
  });
}
