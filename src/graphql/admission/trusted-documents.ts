import { setImmediate as nextTurn } from 'node:timers/promises';

import type { Settings } from '../../config/settings.ts';
import type { Log } from '../../core/log.ts';
import {
  isRefused,
  type SchemaManager,
  type SchemaReplacement,
  type SchemaVersion,
} from '../apollo-server.ts';
import {
  findAmbiguous,
  formatProblem,
  lacksTypename,
  type NamedDocument,
  type PlacedDocument,
  readDocuments,
} from './documents.ts';

declare module 'graphql' {
  interface GraphQLSchemaExtensions {
    /** Whether types are missing. A document that is invalid now may become valid. */
    readonly isPartial?: boolean;
  }
}

/** Returns the problems that a feature finds in trusted documents. */
export type DocumentRule = (
  documents: readonly NamedDocument[],
  log: Log,
) => Promise<readonly string[]>;

export type TrustedSettings = Pick<Settings, 'DOCUMENTS' | 'DOCUMENTS_MODE'>;

export interface TrustedOptions {
  readonly settings: TrustedSettings;
  readonly log: Log;
  readonly graph: Pick<SchemaManager, 'current'>;
  readonly rules: readonly DocumentRule[];
}

/**
 * Reads the trusted documents and checks them against the current schema. Logs the documents
 * without `__typename`. Other requests are served between two documents.
 */
export async function readTrusted(
  { settings: { DOCUMENTS: path, DOCUMENTS_MODE: mode }, graph, rules, log }: TrustedOptions,
  report: (problem: string) => void,
): Promise<readonly NamedDocument[]> {
  const problems: string[] = [];
  const documents = path === undefined ? [] : readDocuments(path, problems);
  findAmbiguous(documents, problems);
  for (const rule of rules) problems.push(...(await rule(documents, log)));
  if (problems.length === 0 && documents.length === 0) {
    if (path !== undefined) problems.push(`${path} holds no documents`);
    else if (mode !== 'off')
      problems.push(`must name documents with DOCUMENTS_MODE=${mode}, or all others are untrusted`);
  }
  problems.push(...(await findInvalid(documents, graph.current(), path, log)));
  for (const problem of problems) report(problem);
  return documents;
}

/** Logs documents that become invalid, and documents that become valid without `__typename`. */
export async function logChanged(
  documents: readonly NamedDocument[],
  { before, after }: SchemaReplacement,
  from: string | undefined,
  log: Log,
): Promise<void> {
  const untyped: string[] = [];
  for (const { id, text } of documents) {
    await nextTurn();
    const { problems, isUntyped } = await checkDocument(text, after);
    if (problems.length === 0 && !isUntyped) continue;
    const earlier = await checkDocument(text, before);
    if (isUntyped && !earlier.isUntyped) untyped.push(id);
    const isBroken = problems.length > 0 && earlier.problems.length === 0;
    if (isBroken)
      log.warn({ document: id, reason: problems.join('; ') }, 'a document is no longer valid');
  }
  warnOfUntyped(untyped, from, log);
}

async function findInvalid(
  documents: readonly PlacedDocument[],
  version: SchemaVersion,
  from: string | undefined,
  log: Log,
): Promise<readonly string[]> {
  const problems: string[] = [];
  const untyped: string[] = [];
  for (const { id, place, text } of documents) {
    await nextTurn();
    const found = await checkDocument(text, version);
    if (found.isUntyped) untyped.push(id);
    if (found.problems.length === 0) continue;
    if (!version.schema.extensions.isPartial)
      problems.push(...found.problems.map((problem) => `${place}:${problem}`));
    else
      log.warn(
        { document: place, reason: found.problems.join('; ') },
        'a trusted document is not valid yet',
      );
  }
  warnOfUntyped(untyped, from, log);
  return problems;
}

/** Returns the problems of a document, and whether it is valid but lacks `__typename`. */
async function checkDocument(text: string, version: SchemaVersion) {
  const admitted = await version.admitAll(text);
  if (isRefused(admitted)) {
    return { problems: admitted.errors.map(formatProblem), isUntyped: false };
  }
  const isUntyped = admitted.some(({ selected }) =>
    lacksTypename(selected.selections, selected.schema),
  );
  return { problems: [], isUntyped };
}

/** Logs the number of documents without `__typename`, and the first ids. */
function warnOfUntyped(ids: readonly string[], from: string | undefined, log: Log): void {
  if (ids.length === 0) return;
  log.warn(
    { count: ids.length, documents: ids.slice(0, MAX_LOGGED_IDS), from },
    'trusted documents select an interface or a union without __typename',
  );
}

const MAX_LOGGED_IDS = 5;
