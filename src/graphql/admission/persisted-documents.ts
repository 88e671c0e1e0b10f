import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { stripIgnoredCharacters } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Settings } from '../../config/settings.ts';
import { orUndefined } from '../../core/errors.ts';
import { isJsonObject } from '../../core/json.ts';
import type { Log } from '../../core/log.ts';
import type { RequestIds } from '../../core/observers.ts';
import { isRefused, type SchemaManager, type SchemaVersion } from '../apollo-server.ts';
import { requestError } from '../errors.ts';
import {
  findAmbiguous,
  formatProblem,
  type NamedDocument,
  type PlacedDocument,
  readDocuments,
} from './documents.ts';

/** How a request says which document it means; nothing of it is checked yet. */
export interface DocumentParameters {
  readonly query: unknown;
  readonly documentId: unknown;
  readonly extensions: unknown;
}

/** The document that a request means. */
interface FoundDocument {
  /** `undefined` where the request names none: the server says so itself. */
  readonly text: string | undefined;
  /** To be called once the document was found valid: from then on its hash stands for it. Absent where the document is known. */
  readonly onValid?: (() => void) | undefined;
  /** Whether it is trusted still; absent where it may run without. */
  readonly isTrusted?: (() => boolean) | undefined;
}

/** Documents that clients ask for by a name: persisted by their hash, or trusted. */
export type PersistedDocuments = ReturnType<typeof createPersistedDocuments>;

declare module 'graphql' {
  interface GraphQLSchemaExtensions {
    /** Whether types are lacking: what such a schema does not know may be known later. */
    readonly isPartial?: boolean;
  }
}

/** Gives what a feature finds wrong with trusted documents. */
export type DocumentRule = (
  documents: readonly NamedDocument[],
  log: Log,
) => Promise<readonly string[]>;

export interface TrustedOptions extends Pick<DocumentsOptions, 'settings' | 'log'> {
  readonly graph: Pick<SchemaManager, 'current'>;
  readonly rules: readonly DocumentRule[];
}

/** Reads the trusted documents, and checks them against the current schema. Requests are served between two of them. */
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
  problems.push(...(await findInvalid(documents, graph.current(), log)));
  for (const problem of problems) report(problem);
  return documents;
}

async function findInvalid(documents: readonly PlacedDocument[], version: SchemaVersion, log: Log) {
  const problems: string[] = [];
  for (const { place, text } of documents) {
    await nextTurn();
    const found = await problemsOf(text, version);
    if (found.length === 0) continue;
    if (!version.schema.extensions.isPartial)
      problems.push(...found.map((problem) => `${place}:${problem}`));
    else
      log.warn(
        { document: place, reason: found.join('; ') },
        'a trusted document is not valid yet',
      );
  }
  return problems;
}

async function problemsOf(text: string, version: SchemaVersion): Promise<readonly string[]> {
  const admitted = await version.admitAll(text);
  return isRefused(admitted) ? admitted.errors.map(formatProblem) : [];
}

interface DocumentsOptions {
  /** With `DOCUMENTS_MODE`, `log` runs what is not trusted and says so, `enforce` refuses it. */
  readonly settings: Pick<Settings, 'DOCUMENTS' | 'DOCUMENTS_MODE'>;
  readonly log: Log;
  readonly graph: Pick<SchemaManager, 'onReplaced'>;
}

/** How many documents clients may persist, and their bytes together; the least recently used go first. */
const MAX_PERSISTED = 1_000;
const MAX_PERSISTED_BYTES = 8_388_608;
/** The bytes that a character of a text may take in memory. */
const BYTES_PER_CHARACTER = 2;

/**
 * Makes the documents that clients will persist, and those that are trusted, of which there are none yet. The log tells which of
 * these a new schema breaks.
 */
export function createPersistedDocuments({ settings, log, graph }: DocumentsOptions) {
  const { DOCUMENTS_MODE: mode } = settings;
  let trusted = indexTrusted([]);
  // Shared by all clients: a hash reveals nothing to a client that does not have the text.
  const persisted = new LRUCache<string, string>({
    max: MAX_PERSISTED,
    maxSize: MAX_PERSISTED_BYTES,
    sizeCalculation: (text, hash) => (text.length + hash.length) * BYTES_PER_CHARACTER,
  });
  let untrusted = 0;

  /** Lets a document pass that is not among the trusted, or refuses it. */
  const passUntrusted = (name: string, ids: RequestIds): void => {
    if (mode === 'off') return;
    log.warn({ ...ids, document: name, untrusted: ++untrusted }, 'document not trusted');
    if (mode === 'enforce') throw requestError(403, NOT_TRUSTED, 'DOCUMENT_NOT_TRUSTED');
  };

  // Made here, where nothing of the request is in reach: a stream keeps it.
  const toTrusted = (text: string, mustStay = true): FoundDocument => ({
    text,
    isTrusted: mustStay ? () => trusted.has(text) : undefined,
  });

  const findByName = (id: string, isHash: boolean, ids: RequestIds): FoundDocument => {
    const hash = parseHash(id);
    const text = trusted.byId(hash ?? id);
    if (text !== undefined) return toTrusted(text);
    if (isHash && hash === undefined)
      throw requestError(400, '`sha256Hash` must be a SHA-256 in hexadecimal.');
    // An id is the client's to choose, so it is logged only where it can be nothing else than a hash.
    passUntrusted(hash ?? 'an unknown id', ids);
    const persistedText = hash && persisted.get(hash);
    // Clients know it by its words and its status, and send the text next.
    if (!persistedText)
      throw requestError(200, 'PersistedQueryNotFound', 'PERSISTED_QUERY_NOT_FOUND');
    return { text: persistedText };
  };

  const findByText = (text: string, id: string | undefined, ids: RequestIds): FoundDocument => {
    const hash = checkHash(text, id);
    if (mode !== 'off') {
      const equal = trusted.equalTo(text);
      if (equal !== undefined) return toTrusted(equal, mode === 'enforce');
      passUntrusted(hash ?? hashDocument(text), ids);
    }
    if (hash === undefined || persisted.get(hash) !== undefined) return { text };
    return { text, onValid: () => persisted.set(hash, text) };
  };

  graph.onReplaced(async ({ before, after }) => {
    for (const { id, text } of trusted.all) {
      await nextTurn();
      const problems = await problemsOf(text, after);
      const isBroken = problems.length > 0 && (await problemsOf(text, before)).length === 0;
      if (isBroken)
        log.warn({ document: id, reason: problems.join('; ') }, 'a document is no longer valid');
    }
  });

  return {
    /**
     * Gives the text that is to run: sent, persisted under its hash, or trusted.
     *
     * @throws {GraphQLError} for what may not run, for a name that stands for nothing here, and for a hash of another text.
     */
    find(parameters: DocumentParameters, ids: RequestIds): FoundDocument {
      const { text, id, isHash } = readName(parameters);
      if (text !== undefined) return findByText(text, id, ids);
      return id === undefined ? { text: undefined } : findByName(id, isHash, ids);
    },
    /** The trusted ones; another list once they were replaced. */
    trusted: () => trusted.all,
    /** Puts others in the place of the trusted ones. None of two have the same id and another text. */
    replace(documents: readonly NamedDocument[]): void {
      trusted = indexTrusted(documents);
      const loaded = { documents: documents.length, from: settings.DOCUMENTS };
      if (documents.length > 0) log.info(loaded, 'trusted documents are loaded');
    },
  };
}

const NOT_TRUSTED = 'This gateway runs only documents that its operator has put there.';

function indexTrusted(documents: readonly NamedDocument[]) {
  const byId = new Map(documents.map(({ id, text }) => [parseHash(id) ?? id, text]));
  const byHash = new Map(documents.map(({ text }) => [hashDocument(text), text]));
  const byTokens = new Map(documents.map(({ text }) => [tokensOf(text), text]));
  const texts = new Set(byHash.values());
  return {
    byId: (id: string) => byId.get(id) ?? byHash.get(id),
    has: (text: string) => texts.has(text),
    all: documents,
    /** The document that a text is, spaces and comments aside. */
    equalTo: (text: string) => (texts.has(text) ? text : byTokens.get(tokensOf(text))),
  };
}

/**
 * A document without what means nothing: comments, commas, how it is spaced. Two documents of the same tokens give the same
 * text. `undefined` for what is no GraphQL.
 */
const tokensOf = (text: string): string | undefined =>
  orUndefined(() => stripIgnoredCharacters(text));

/** Gives a text's hash where it came with one. */
function checkHash(text: string, given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  const hash = hashDocument(text);
  if (hash === parseHash(given)) return hash;
  throw requestError(400, '`sha256Hash` is not the hash of `query`.');
}

/** The SHA-256 of a document's text as UTF-8, in hexadecimal: the name by which every client of it means the same. */
const hashDocument = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A normalised hash; `undefined` for anything else. */
const parseHash = (id: string): string | undefined => SHA256.exec(id)?.[1]?.toLowerCase();
const SHA256 = /^(?:sha256:)?([0-9a-f]{64})$/i;

const MAX_ID_LENGTH = 256;

/**
 * Reads how a request names its document: by its text, by an id, or by its text together with its hash. `isHash` says whether the
 * id is a hash as the Apollo protocol sends it.
 *
 * @throws {GraphQLError} 400 for names and texts that are none, and for two names.
 */
function readName({ query, documentId, extensions }: DocumentParameters) {
  const persisted = isJsonObject(extensions)
    ? (extensions['persistedQuery'] ?? undefined)
    : undefined;
  if (query != null && typeof query !== 'string') {
    throw requestError(400, '`query` must be a string: the document’s text.');
  }
  const text = query || undefined;
  if (documentId != null) {
    if (text !== undefined || persisted !== undefined) {
      throw requestError(400, 'Send `documentId` alone, without `query` and `persistedQuery`.');
    }
    return { text, id: readId(documentId, '`documentId`'), isHash: false };
  }
  if (persisted === undefined) return { text, id: undefined, isHash: false };
  if (!isJsonObject(persisted) || persisted['version'] !== 1) {
    throw requestError(400, '`persistedQuery` must be an object of version 1.');
  }
  return { text, id: readId(persisted['sha256Hash'], '`sha256Hash`'), isHash: true };
}

function readId(id: unknown, what: string): string {
  if (typeof id === 'string' && id !== '' && id.length <= MAX_ID_LENGTH) return id;
  throw requestError(400, `${what} must be a string of 1 to ${MAX_ID_LENGTH} characters.`);
}
