import { setTimeout as sleep } from 'node:timers/promises';

import { createCache, type ReadPlatform } from '../../cache/cache.ts';
import { CacheStore } from '../../cache/store.ts';
import { InputError, UpstreamError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { RequestState } from '../../core/request-state.ts';
import type { MissingTypes } from '../../graphql/errors.ts';
import { checkNoRows, readRange } from '../../loaders/list-range.ts';
import type { Service } from '../../upstream/index.ts';
import type { ListPaging } from '../../upstream/list-paging.ts';
import type { FormRecord, RuleKey, RuleRecord } from '../../upstream/records.ts';
import { getForm, getForms } from '../../upstream/resources/forms.ts';
import { getParameters } from '../../upstream/resources/rules.ts';
import type { ListQuery } from '../../upstream/search.ts';

/** The definitions of the included forms and rules. */
export interface DefinitionSet {
  readonly forms: readonly FormRecord[];
  readonly rules: readonly RuleRecord[];
}

/** Reads the definitions of forms and rules as one caller sees them. It can be used repeatedly. */
export interface DefinitionReader {
  /**
   * Reads all included forms and rules. If the list contains the fields, it suffices; otherwise
   * each form is read. Known definitions are read by conditional requests. A form that cannot be
   * read keeps its last known definition, or else has no fields. A rule that cannot be read keeps
   * its last known definition, or else is left out.
   *
   * @throws {UpstreamError} if the list cannot be read.
   */
  read(options?: DefinitionOptions): Promise<DefinitionSet>;
  /** Sets the known forms, which replace forms that cannot be read. */
  remember(forms: readonly FormRecord[]): void;
}

interface DefinitionOptions {
  readonly signal?: AbortSignal;
  /**
   * The time over which reads of single forms are spread, in milliseconds. 0 reads several at the
   * same time.
   */
  readonly spreadMs?: number;
}

interface ReaderOptions {
  readonly service: Pick<Service, 'current'>;
  readonly ruleKeys: readonly RuleKey[];
  readonly isIncluded: (formId: string) => boolean;
  /**
   * Called for each form whose definition cannot be read. For an unrecognised entry of the list,
   * `formId` is `undefined`.
   */
  readonly onUnread: (formId: string | undefined, error: Error) => void;
}

/** The number of forms that are read at the same time if reads are not spread. */
const AT_A_TIME = 8;
/**
 * A list with less than this share of the known forms is read again, after this wait in
 * milliseconds.
 */
const SHRUNK_SHARE = 0.5;
const READ_AGAIN_MS = 1_000;
/** The approximate memory for definitions, in bytes. They are kept for conditional requests. */
const MAX_BYTES = 256 * 1024 * 1024;

/** Creates a reader. It remembers the definitions for later reads. */
export function createDefinitionReader(options: ReaderOptions): DefinitionReader {
  const { service, ruleKeys, isIncluded, onUnread } = options;
  // No copy is ever fresh, so each poll sends conditional requests.
  const store = new CacheStore({ definitionsMs: 0, maxBytes: MAX_BYTES });
  let upstream = service.current();
  let cache = createCache(upstream, store, store.partition());
  let known: ReadonlyMap<string, FormRecord> = new Map();
  let listed: number | undefined;
  const knownRules = new Map<RuleKey, RuleRecord>();

  /**
   * Reads the list of forms, and reads it again if it is suddenly much shorter. The platform may
   * just have started.
   */
  const readSettledList = async (signal: AbortSignal): Promise<readonly FormRecord[]> => {
    const readAll = () =>
      readList(
        cache.reads(new RequestState({ signal })),
        upstream.lists.of(getForms.name),
        (error) => onUnread(undefined, error),
      );
    let found = await readAll();
    if (found.length < (listed ?? known.size) * SHRUNK_SHARE) {
      await sleep(READ_AGAIN_MS, undefined, { signal, ref: false });
      // A platform that has just started may answer 304 to its earlier, complete list.
      cache.clear();
      found = await readAll();
    }
    listed = found.length;
    return found;
  };

  const readForms = async (
    signal: AbortSignal,
    spreadMs: number,
  ): Promise<readonly FormRecord[]> => {
    const included = (await readSettledList(signal)).filter(({ formId }) => isIncluded(formId));
    const found = new Map(included.map((form) => [form.formId, form]));
    const summaries = included.filter(({ isSummary }) => isSummary);
    const read = cache.reads(new RequestState({ signal }));
    const queue = summaries.values();
    const work = async () => {
      for (const summary of queue) {
        if (spreadMs > 0)
          await sleep(spreadMs / summaries.length, undefined, { signal, ref: false });
        const { formId } = summary;
        const form = await read(getForm, { formId }).catch((error: unknown) => {
          onUnread(formId, toReadError(error, signal));
          return known.get(formId);
        });
        found.set(formId, form ?? summary);
      }
    };
    await Promise.all(Array.from({ length: spreadMs > 0 ? 1 : AT_A_TIME }, work));
    known = found;
    return [...found.values()];
  };

  const readRules = async (signal: AbortSignal): Promise<readonly RuleRecord[]> => {
    const readPlatform = cache.reads(new RequestState({ signal }));
    const read = async (key: RuleKey): Promise<RuleRecord | undefined> => {
      try {
        knownRules.set(key, await readPlatform(getParameters, key));
      } catch (error) {
        toReadError(error, signal);
      }
      return knownRules.get(key);
    };
    return (await Promise.all(ruleKeys.map(read))).filter((rule) => rule !== undefined);
  };

  return {
    async read({ signal = new AbortController().signal, spreadMs = 0 } = {}) {
      if (upstream !== service.current()) {
        upstream = service.current();
        cache = createCache(upstream, store, store.partition());
      }
      const [forms, rules] = await Promise.all([readForms(signal, spreadMs), readRules(signal)]);
      return { forms, rules };
    },
    remember(forms) {
      known = new Map(forms.map((form) => [form.formId, form]));
    },
  };
}

/**
 * Returns the error if it affects only one definition. For example, one invalid id must not prevent
 * reading the others.
 *
 * @throws any other error.
 */
function toReadError(error: unknown, signal: AbortSignal): Error {
  if (!signal.aborted && (error instanceof UpstreamError || error instanceof InputError))
    return error;
  throw error;
}

/** The maximum number of pages, in case a platform's list does not end. */
const PAGES_MAX = 1_000;

/**
 * Reads the whole list of forms. Each form occurs once.
 *
 * @param onUnreadable called for an entry that is not recognised.
 * @throws {UpstreamError} `malformed` if the first requested page is empty, but another page has
 *   forms.
 */
async function readList(
  read: ReadPlatform,
  paging: ListPaging,
  onUnreadable: (error: Error) => void,
): Promise<readonly FormRecord[]> {
  const found = new Map<string, FormRecord>();
  const source = {
    operation: getForms.name,
    paging,
    readList: (query: ListQuery) => read(getForms, query),
  };
  const count = paging.largest;
  for (let page = 0; page < PAGES_MAX; page++) {
    const key = { where: [], orderBy: [], offset: page * count, count };
    const { rows, hasNext, total } = await readRange(key, source);
    const known = found.size;
    for (const form of rows) {
      if (form instanceof Error) onUnreadable(form);
      else found.set(form.formId, form);
    }
    // A platform without paging returns the same rows for each page.
    if (found.size === known || !hasNext) {
      if (found.size === 0 && total === undefined) await checkNoRows(source);
      break;
    }
  }
  return [...found.values()];
}

interface FollowOptions {
  readonly reader: DefinitionReader;
  /** The interval between two reads, in milliseconds. */
  readonly everyMs: number;
  /** Whether the definitions are known from a snapshot. */
  readonly isKnown: boolean;
  readonly log: Log;
}

type OnRead = (definitions: DefinitionSet) => Promise<void>;

/** How long a start waits for the definitions, in milliseconds. */
const START_TIMEOUT_MS = 5_000;
/** The first and the longest wait before a failed first read is repeated, in milliseconds. */
const RETRY_FROM_MS = 1_000;
const RETRY_TO_MS = 60_000;
/** The share of the interval over which reads of single forms are spread. */
const SPREAD_SHARE = 0.5;
/**
 * The share by which waits vary at random, so that replicas that start together do not read at the
 * same time.
 */
const JITTER = 0.1;
/** The number of intervals after which definitions count as old. */
const OLD_ROUNDS = 3;

const UNREADABLE = 'the form definitions cannot be read from the platform';
const UNREADY =
  'The gateway is not ready until they are read. With TYPED_FORMS=none it serves the generic graph without them.';

/** The repeated reading of definitions. */
export interface Following {
  /**
   * Returns the time since the last successful read in milliseconds. Before the first one, it is
   * the time since the start.
   */
  ageMs(): number;
  /** Returns why the types of forms are missing; `undefined` once definitions are known. */
  missing(): MissingTypes | undefined;
  /**
   * Reads the definitions once for a start. It does not reject, and takes at most
   * `START_TIMEOUT_MS`.
   */
  readFirst(onRead: OnRead): Promise<void>;
  /** Reads the definitions until `stop` is called. Its timers do not keep the process running. */
  watch(onRead: OnRead): void;
  stop(): void;
}

/** Creates the repeated reading of definitions. `readFirst` and `watch` start it. */
export function followDefinitions({ reader, everyMs, isKnown, log }: FollowOptions): Following {
  const stopping = new AbortController();
  const { signal } = stopping;
  let readAtMs = performance.now();
  let retryAtMs = readAtMs;
  let isRead = false;
  let error: unknown;

  const ageMs = () => performance.now() - readAtMs;
  const isMissing = () => !isKnown && !isRead;
  const logFailure = (err: unknown): void => {
    if (isMissing()) {
      log.warn({ err, advice: UNREADY }, UNREADABLE);
      return;
    }
    const ageSeconds = Math.round(ageMs() / 1_000);
    const isOld = ageMs() > OLD_ROUNDS * everyMs;
    log.warn({ err, ageSeconds }, isOld ? `${UNREADABLE}, and have grown old` : UNREADABLE);
  };
  const tryRead = async (options: DefinitionOptions, onRead: OnRead): Promise<void> => {
    try {
      await onRead(await reader.read(options));
      isRead = true;
      readAtMs = performance.now();
    } catch (err) {
      error = err;
      if (!signal.aborted) logFailure(err);
    }
  };
  const pause = (ms: number) => {
    retryAtMs = performance.now() + ms;
    return sleep(ms * (1 + JITTER * (2 * Math.random() - 1)), undefined, { signal, ref: false });
  };
  const run = async (onRead: OnRead): Promise<void> => {
    const longestMs = Math.min(everyMs, RETRY_TO_MS);
    let waitMs = Math.min(RETRY_FROM_MS, longestMs);
    while (!isRead) {
      await pause(waitMs);
      await tryRead({ signal }, onRead);
      waitMs = Math.min(waitMs * 2, longestMs);
    }
    for (;;) {
      await pause(everyMs);
      await tryRead({ signal, spreadMs: everyMs * SPREAD_SHARE }, onRead);
    }
  };

  return {
    ageMs,
    missing() {
      if (!isMissing()) return undefined;
      return { error, retryAfterMs: Math.max(0, Math.ceil(retryAtMs - performance.now())) };
    },
    readFirst: (onRead) => tryRead({ signal: AbortSignal.timeout(START_TIMEOUT_MS) }, onRead),
    watch(onRead) {
      // It ends only by the AbortError of `stop`.
      run(onRead).catch(() => undefined);
    },
    stop: () => stopping.abort(),
  };
}

/** Returns whether two sets have the same definitions. */
export const isSameSet = (one: DefinitionSet, other: DefinitionSet): boolean =>
  changedForms(one.forms, other.forms).size === 0 && rulesOf(one) === rulesOf(other);

const rulesOf = ({ rules }: DefinitionSet): string =>
  JSON.stringify(rules.map(({ definition: _, ...read }) => read));

/**
 * Returns the ids of forms that were added, removed or changed. Links and members that the gateway
 * does not use are ignored.
 */
export function changedForms(
  before: readonly FormRecord[],
  after: readonly FormRecord[],
): ReadonlySet<string> {
  const earlier = new Map(before.map((form) => [form.formId, form]));
  const later = new Map(after.map((form) => [form.formId, form]));
  const isChanged = (formId: string): boolean => {
    const [one, other] = [earlier.get(formId), later.get(formId)];
    return (
      one === undefined ||
      other === undefined ||
      (one !== other && definitionOf(one) !== definitionOf(other))
    );
  };
  return new Set([...earlier.keys(), ...later.keys()].filter(isChanged));
}

const definitionOf = ({ formId, name, description, fields }: FormRecord): string =>
  JSON.stringify([formId, name, description, fields]);
