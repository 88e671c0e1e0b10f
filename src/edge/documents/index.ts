import type { NamedDocument } from '../../graphql/documents/broken.ts';
import { type DocumentLimits, findExcess } from '../../graphql/limits/document.ts';
import type { Log } from '../../telemetry/log.ts';
import { RequestError } from '../request-error.ts';
import { type AskedDocument, readName } from './asked.ts';
import { hashDocument, readHash } from './hash.ts';
import type { Registry } from './registry.ts';
import type { Trusted } from './trusted.ts';

/** The document that a request means. */
export interface FoundDocument {
  /** `undefined` where the request names none: the server says so itself. */
  readonly text: string | undefined;
  /** To be told once the document was found valid: from then on its hash stands for it. Absent where nothing is due. */
  readonly onValid?: (() => void) | undefined;
}

/** The request that asks. */
export interface Asking {
  readonly requestId: string;
  /** Whether a text was found to be within the limits before. */
  readonly isMeasured: (text: string) => boolean;
}

/** Finds the documents of requests, before anything else looks at them. */
export interface Documents {
  /**
   * Gives the text that is to run: sent, kept under its hash, or trusted.
   *
   * @throws {RequestError} for what may not run, for a name that stands for nothing here, for a hash that is of another
   *   text, and for a text that holds too much.
   */
  find(asked: AskedDocument, asking: Asking): FoundDocument;
  /** The text that a name stands for; `undefined` where it stands for none. */
  named(id: string): string | undefined;
  /** Gives all documents that have a name. */
  known(): readonly NamedDocument[];
}

interface DocumentsOptions {
  readonly trusted: Trusted;
  /** `log` runs what is not trusted and says so, `enforce` refuses it. */
  readonly mode: 'off' | 'log' | 'enforce';
  /** `undefined`: clients may not give documents names. */
  readonly registry: Registry | undefined;
  readonly limits: DocumentLimits;
  readonly log: Log;
}

export function createDocuments({ trusted, mode, registry, limits, log }: DocumentsOptions): Documents {
  let untrusted = 0;

  /** Lets a document pass that is not among the trusted, or refuses it. */
  const passUntrusted = (name: string, requestId: string): void => {
    if (mode === 'off') return;
    log.warn({ requestId, document: name, untrusted: ++untrusted }, 'document not trusted');
    if (mode === 'enforce') throw new RequestError(403, NOT_TRUSTED, { code: 'DOCUMENT_NOT_TRUSTED' });
  };
  const kept = (id: string): string | undefined => registry?.get(readHash(id) ?? '');

  const findByName = (id: string, isHash: boolean, requestId: string): FoundDocument => {
    const text = trusted.byId(readHash(id) ?? id);
    if (text !== undefined) return { text };
    const hash = readHash(id);
    if (isHash && hash === undefined) throw new RequestError(400, NO_HASH);
    // An id is the client's to choose, so it is told only where it can be nothing else than a hash.
    passUntrusted(hash ?? 'an unknown id', requestId);
    const found = kept(id);
    if (found !== undefined) return { text: found };
    // Clients know both by their words and their status, and send the text next.
    if (isHash && registry === undefined) throw persisted('PersistedQueryNotSupported', 'NOT_SUPPORTED');
    throw persisted('PersistedQueryNotFound', 'NOT_FOUND');
  };

  const findByText = (text: string, id: string | undefined, { requestId, isMeasured }: Asking): FoundDocument => {
    if (!isMeasured(text)) checkText(text, limits);
    const hash = checkHash(text, id);
    if (mode !== 'off') {
      const equal = trusted.equalTo(text);
      if (equal !== undefined) return { text: equal };
      passUntrusted(hash ?? hashDocument(text), requestId);
    }
    if (hash === undefined || registry === undefined || registry.get(hash) !== undefined) return { text };
    return { text, onValid: () => registry.keep(hash, text) };
  };

  return {
    find(asked, asking) {
      const name = readName(asked);
      if (name.text !== undefined) return findByText(name.text, name.id, asking);
      return name.id === undefined ? { text: undefined } : findByName(name.id, name.isHash, asking.requestId);
    },
    named: (id) => trusted.byId(readHash(id) ?? id) ?? kept(id),
    known: () => [...trusted.all, ...(registry?.all() ?? [])],
  };
}

function checkText(text: string, limits: DocumentLimits): void {
  const excess = findExcess(text, limits);
  if (excess !== undefined) throw new RequestError(400, excess);
}

/** Gives a text's hash where it came with one. */
function checkHash(text: string, given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  const hash = hashDocument(text);
  if (hash === readHash(given)) return hash;
  throw new RequestError(400, '`sha256Hash` is not the hash of `query`.');
}

const NOT_TRUSTED = 'This gateway runs only documents that its operator has put there.';
const NO_HASH = '`sha256Hash` must be a SHA-256 in hexadecimal.';

const persisted = (message: string, kind: string) =>
  new RequestError(200, message, { code: `PERSISTED_QUERY_${kind}` });
