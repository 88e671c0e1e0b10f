import { createHash } from 'node:crypto';
import { stripIgnoredCharacters } from 'graphql';
import { LRUCache } from 'lru-cache';
import { orUndefined } from '../../core/errors.ts';
import { isJsonObject } from '../../core/json.ts';
import type { Log } from '../../core/log.ts';
import type { RequestIds } from '../../core/observers.ts';
import type { SchemaManager } from '../apollo-server.ts';
import { requestError } from '../errors.ts';
import type { NamedDocument } from './documents.ts';
import { logChanged, type TrustedSettings } from './trusted-documents.ts';

/** The parts of a request that identify its document. They are not checked yet. */
export interface DocumentParameters {
  readonly query: unknown;
  readonly documentId: unknown;
  readonly extensions: unknown;
}

/** The document of a request. */
interface FoundDocument {
  /** `undefined` if the request contains no document. Apollo Server then creates the error. */
  readonly text: string | undefined;
  /**
   * Call this after the document is found valid. From then on clients can send its hash alone.
   * Absent for known documents.
   */
  readonly onValid?: (() => void) | undefined;
  /** Returns whether the document is still trusted. Absent if it may run without trust. */
  readonly isTrusted?: (() => boolean) | undefined;
  /** Whether the operator wrote it: a trusted document. */
  readonly isFromOperator?: boolean;
}

/** Documents that clients request by a hash or an id: persisted or trusted. */
export interface PersistedDocuments {
  /**
   * Returns the text to run: sent, persisted or trusted.
   *
   * @throws {GraphQLError} for an untrusted document, an unknown id, and a hash that does not match
   *   the text.
   */
  find(parameters: DocumentParameters, ids: RequestIds): FoundDocument;
  /** Returns the trusted documents. The list changes only by `replace`. */
  trusted(): readonly NamedDocument[];
  /** Replaces the trusted documents. Their ids must be unique. */
  replace(documents: readonly NamedDocument[]): void;
}

interface DocumentsOptions {
  /**
   * Without trust a document runs with a log line (`DOCUMENTS_MODE=log`), or is refused
   * (`enforce`).
   */
  readonly settings: TrustedSettings;
  readonly log: Log;
  readonly graph: Pick<SchemaManager, 'onReplaced'>;
}

/**
 * The highest number of persisted documents, and of their bytes. The least recently used are
 * removed first.
 */
const MAX_PERSISTED = 1_000;
const MAX_PERSISTED_BYTES = 8_388_608;
/** The highest number of bytes in memory per character. */
const BYTES_PER_CHARACTER = 2;

/**
 * Creates the persisted and the trusted documents, without any document yet. When the schema is
 * replaced, it checks the trusted documents again.
 */
export function createPersistedDocuments({
  settings,
  log,
  graph,
}: DocumentsOptions): PersistedDocuments {
  const { DOCUMENTS_MODE: mode } = settings;
  let trusted = indexTrusted([]);
  // All clients share these. A hash reveals nothing to a client without the text.
  const persisted = new LRUCache<string, string>({
    max: MAX_PERSISTED,
    maxSize: MAX_PERSISTED_BYTES,
    sizeCalculation: (text, hash) => (text.length + hash.length) * BYTES_PER_CHARACTER,
  });
  let untrusted = 0;

  /** Logs or refuses a document that is not trusted, depending on the mode. */
  const passUntrusted = (name: string, ids: RequestIds): void => {
    if (mode === 'off') return;
    log.warn({ ...ids, document: name, untrusted: ++untrusted }, 'document not trusted');
    if (mode === 'enforce') throw requestError(403, NOT_TRUSTED, 'DOCUMENT_NOT_TRUSTED');
  };

  // A stream keeps this function, so it must not capture the request.
  const toTrusted = (text: string, mustStay = true): FoundDocument => ({
    text,
    isFromOperator: true,
    isTrusted: mustStay ? () => trusted.has(text) : undefined,
  });

  const findByName = (id: string, isHash: boolean, ids: RequestIds): FoundDocument => {
    const hash = parseHash(id);
    const text = trusted.byId(hash ?? id);
    if (text !== undefined) return toTrusted(text);
    if (isHash && hash === undefined)
      throw requestError(400, '`sha256Hash` must be a SHA-256 in hexadecimal.');
    // Clients choose ids, so only a hash is logged.
    passUntrusted(hash ?? 'an unknown id', ids);
    const persistedText = hash && persisted.get(hash);
    // Clients recognise this message and status, and then send the text.
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

  graph.onReplaced((versions) => logChanged(trusted.all, versions, settings.DOCUMENTS, log));

  return {
    find(parameters, ids) {
      const { text, id, isHash } = readName(parameters);
      if (text !== undefined) return findByText(text, id, ids);
      return id === undefined ? { text: undefined } : findByName(id, isHash, ids);
    },
    trusted: () => trusted.all,
    replace(documents) {
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
    /** Returns the trusted document with the same text, apart from spaces and comments. */
    equalTo: (text: string) => (texts.has(text) ? text : byTokens.get(tokensOf(text))),
  };
}

/**
 * Returns a document without comments, commas and extra spaces. Documents with the same tokens get
 * the same text. `undefined` if it is not GraphQL.
 */
const tokensOf = (text: string): string | undefined =>
  orUndefined(() => stripIgnoredCharacters(text));

/**
 * Returns the hash of a text that was sent with a hash.
 *
 * @throws {GraphQLError} if they do not match.
 */
function checkHash(text: string, given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  const hash = hashDocument(text);
  if (hash === parseHash(given)) return hash;
  throw requestError(400, '`sha256Hash` is not the hash of `query`.');
}

/** Returns the SHA-256 of a document's UTF-8 text in hexadecimal. */
const hashDocument = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Returns a hash in lower case without a prefix. `undefined` for any other text. */
const parseHash = (id: string): string | undefined => SHA256.exec(id)?.[1]?.toLowerCase();
const SHA256 = /^(?:sha256:)?([0-9a-f]{64})$/i;

const MAX_ID_LENGTH = 256;

/**
 * Reads the document's text and id from a request. `isHash` is true for a hash of the Apollo
 * protocol.
 *
 * @throws {GraphQLError} 400 for invalid ids and texts, and for more than one id.
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
