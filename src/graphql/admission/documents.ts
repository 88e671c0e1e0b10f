import { globSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import {
  type DocumentNode,
  type GraphQLError,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isInterfaceType,
  type NamedTypeNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';

import { readText } from '../../config/files.ts';
import { codeOrMessage, orUndefined } from '../../core/errors.ts';
import { isJsonObject } from '../../core/json.ts';
import type { SelectedFragment, Selection } from './selections.ts';

/** A document that clients can request by its id. */
export interface NamedDocument {
  readonly id: string;
  readonly text: string;
}

/** A document with its file, and for a manifest its member. */
export interface PlacedDocument extends NamedDocument {
  readonly place: string;
}

/**
 * Reads the documents of a file or folder. The id of a `.graphql` file is its name without the
 * extension. A `.json` file is a manifest. Unreadable files are added to `problems`.
 */
export function readDocuments(path: string, problems: string[]): PlacedDocument[] {
  const places = documentPlaces(path);
  const files = isFolder(path) ? places.filter((place) => DOCUMENT_FILE.test(place)) : places;
  return files.flatMap((place) => {
    try {
      const text = readText(place);
      if (/\.json$/i.test(place)) return readManifest(text, place, problems);
      return [
        {
          id: (relative(path, place) || place).replaceAll('\\', '/').replace(/\.\w+$/, ''),
          text,
          place,
        },
      ];
    } catch (error) {
      problems.push(`cannot read ${place}: ${codeOrMessage(error)}`);
      return [];
    }
  });
}

const DOCUMENT_FILE = /\.(graphql|gql|json)$/;

/**
 * Returns the paths of a folder, its subfolders and their document files. For a file, returns its
 * path.
 */
export const documentPlaces = (path: string): readonly string[] =>
  isFolder(path)
    ? globSync(['**/', '**/*.{graphql,gql,json}'], { cwd: path })
        .sort()
        .map((place) => join(path, place))
    : [join(path)];

const isFolder = (path: string): boolean =>
  orUndefined(() => statSync(path))?.isDirectory() ?? false;

/** Returns whether a document uses a type, or a root field, that is not in the schema. */
export function needsUnknownTypes(document: DocumentNode, schema: GraphQLSchema): boolean {
  const roots: readonly unknown[] = [
    schema.getQueryType(),
    schema.getMutationType(),
    schema.getSubscriptionType(),
  ];
  const info = new TypeInfo(schema);
  let isUnknown = false;
  const visitor = {
    Field() {
      isUnknown ||= !info.getFieldDef() && roots.includes(info.getParentType());
    },
    NamedType: ({ name }: NamedTypeNode) => {
      isUnknown ||= schema.getType(name.value) === undefined;
    },
  };
  visit(document, visitWithTypeInfo(info, visitor));
  return isUnknown;
}

/**
 * Returns whether an interface or a union is selected without `__typename`. Normalized caches need
 * it to match fragments and to find the cached object.
 */
export function lacksTypename(selections: readonly Selection[], schema: GraphQLSchema): boolean {
  return selections.some(({ definition, selections: inside }) => {
    const type = definition && getNamedType(definition.type);
    const isTypename = ({ node, key, fragment }: Selection): boolean =>
      node.name.value === '__typename' && key === '__typename' && isForAll(type, fragment);
    return (isAbstractType(type) && !inside.some(isTypename)) || lacksTypename(inside, schema);
  });

  /** Returns whether a fragment and its enclosing fragments select from all objects of a type. */
  function isForAll(type: unknown, fragment: SelectedFragment | undefined): boolean {
    if (fragment === undefined) return true;
    const { type: condition = type, around } = fragment;
    const isSuper =
      isAbstractType(condition) && isInterfaceType(type) && schema.isSubType(condition, type);
    return (condition === type || isSuper) && isForAll(type, around);
  }
}

/** Adds a problem for each id with several texts. */
export function findAmbiguous(documents: readonly PlacedDocument[], problems: string[]): void {
  for (const [id, named] of Map.groupBy(documents, (document) => document.id)) {
    if (new Set(named.map(({ text }) => text)).size < 2) continue;
    const places = named.map(({ place }) => place).join(', ');
    problems.push(`the id ${JSON.stringify(id)} stands for different documents: ${places}`);
  }
}

/**
 * Reads a manifest: an object of texts by id (Relay, GraphQL Code Generator), or an object with a
 * list `operations` of `id` and `body` (Apollo).
 */
function readManifest(json: string, place: string, problems: string[]): PlacedDocument[] {
  const manifest: unknown = orUndefined(() => JSON.parse(json));
  if (!isJsonObject(manifest)) {
    problems.push(`${place}: must be a JSON object`);
    return [];
  }
  const { operations } = manifest;
  const entries = Array.isArray(operations)
    ? operations.map((operation, index) => {
        const { id, body } = isJsonObject(operation) ? operation : {};
        return { id, text: body, member: `operations[${index}]` };
      })
    : Object.entries(manifest).map(([id, text]) => ({ id, text, member: JSON.stringify(id) }));

  return entries.flatMap(({ id, text, member }) => {
    if (typeof id === 'string' && id !== '' && typeof text === 'string') {
      return [{ id, text, place: `${place}: ${member}` }];
    }
    problems.push(`${place}: ${member} must be a document’s text under its id`);
    return [];
  });
}

/** Formats an error as text: line, column and message. */
export function formatProblem({ message, locations }: GraphQLError): string {
  const { line, column } = locations?.[0] ?? { line: 1, column: 1 };
  return `${line}:${column}: ${message}`;
}
