import { setTimeout as sleep } from 'node:timers/promises';

import { createCache, type ReadPlatform } from '../../cache/cache.ts';
import { CacheStore } from '../../cache/store.ts';
import { InputError, UpstreamError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { Work } from '../../core/work.ts';
import type { MissingTypes } from '../../graphql/errors.ts';
import { checkNoRows, readRange } from '../../loaders/list-range.ts';
import type { Service } from '../../upstream/index.ts';
import type { ListPaging } from '../../upstream/list-paging.ts';
import type { FormRecord, RuleKey, RuleRecord } from '../../upstream/records.ts';
import { getForm, getForms } from '../../upstream/resources/forms.ts';
import { getParameters } from '../../upstream/resources/rules.ts';
import type { ListQuery } from '../../upstream/search.ts';

/** The definitions of forms, and of the rules that are included. */
export interface DefinitionSet {
  readonly forms: readonly FormRecord[];
  readonly rules: readonly RuleRecord[];
}

/** Reads the definitions of forms and rules as one caller may see them, and again as often as needed. */
export type DefinitionReader = ReturnType<typeof createDefinitionReader>;

interface DefinitionOptions {
  readonly signal?: AbortSignal;
  /** How long the reading of forms one by one is spread, in milliseconds; 0 reads several at a time. */
  readonly spreadMs?: number;
}

interface ReaderOptions {
  readonly service: Pick<Service, 'current'>;
  readonly ruleKeys: readonly RuleKey[];
  readonly isIncluded: (formId: string) => boolean;
  /** Called for each form that cannot be read by itself, and without an id for each entry of the list that cannot be recognised. */
  readonly onUnread: (formId: string | undefined, error: Error) => void;
}

/** How many forms are read at a time where there is no time to spread it over. */
const AT_A_TIME = 8;
/** A list that has less than this share of the forms known before is read once more, after so many milliseconds. */
const SHRUNK_SHARE = 0.5;
const READ_AGAIN_MS = 1_000;
/** About how much memory may hold what was read, for conditional requests. */
const MAX_BYTES = 256 * 1024 * 1024;

/** Makes a reader, which holds what it read. */
export function createDefinitionReader(options: ReaderOptions) {
  const { service, ruleKeys, isIncluded, onUnread } = options;
  // Nothing in it is fresh, so that each poll revalidates.
  const store = new CacheStore({ definitionsMs: 0, maxBytes: MAX_BYTES });
  let upstream = service.current();
  let cache = createCache(upstream, store, store.partition());
  let known: ReadonlyMap<string, FormRecord> = new Map();
  let listed: number | undefined;
  const knownRules = new Map<RuleKey, RuleRecord>();

  /** A list that is suddenly empty or much shorter may be that of a platform which has just started. */
  const readSettledList = async (signal: AbortSignal): Promise<readonly FormRecord[]> => {
    const readAll = () =>
      readList(cache.reads(new Work({ signal })), upstream.lists.of(getForms.name), (error) =>
        onUnread(undefined, error),
      );
    let found = await readAll();
    if (found.length < (listed ?? known.size) * SHRUNK_SHARE) {
      await sleep(READ_AGAIN_MS, undefined, { signal, ref: false });
      // Such a platform may answer 304 to the list that it gave before.
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
    const read = cache.reads(new Work({ signal }));
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
    const readPlatform = cache.reads(new Work({ signal }));
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
    /**
     * Reads every form that is included: by lists alone where these have the fields, else each form by itself. What was read
     * before is read on the condition that it has changed. A form that cannot be read is as it was before, or else without
     * fields; such a rule is as before, or else left out.
     *
     * @throws {UpstreamError} when the list itself cannot be read.
     */
    async read({
      signal = new AbortController().signal,
      spreadMs = 0,
    }: DefinitionOptions = {}): Promise<DefinitionSet> {
      if (upstream !== service.current()) {
        upstream = service.current();
        cache = createCache(upstream, store, store.partition());
      }
      const [forms, rules] = await Promise.all([readForms(signal, spreadMs), readRules(signal)]);
      return { forms, rules };
    },
    /** Takes forms as they were known before, for those that cannot be read. */
    remember(forms: readonly FormRecord[]): void {
      known = new Map(forms.map((form) => [form.formId, form]));
    },
  };
}

/**
 * Gives back an error that costs one definition only: one whose id cannot be sent is no reason to have none of the others.
 *
 * @throws any other.
 */
function toReadError(error: unknown, signal: AbortSignal): Error {
  if (!signal.aborted && (error instanceof UpstreamError || error instanceof InputError))
    return error;
  throw error;
}

/** How many pages are read at most, of a platform whose list does not end. */
const PAGES_MAX = 1_000;

/**
 * Reads the whole list of forms, each form once.
 *
 * @param onUnreadable called for an entry that cannot be recognised.
 * @throws {UpstreamError} `malformed` where the platform has its forms on another page than the first one requested.
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
    // A platform that knows no pages gives the same ones again.
    if (found.size === known || !hasNext) {
      if (found.size === 0 && total === undefined) await checkNoRows(source);
      break;
    }
  }
  return [...found.values()];
}

interface FollowOptions {
  readonly reader: DefinitionReader;
  /** How often they are read, in milliseconds. */
  readonly everyMs: number;
  /** Whether a snapshot has them. */
  readonly isKnown: boolean;
  readonly log: Log;
}

type OnRead = (definitions: DefinitionSet) => Promise<void>;

/** How long a start waits for the platform's definitions. */
const START_TIMEOUT_MS = 5_000;
/** How soon a first read that failed is tried again, at first and at last. */
const RETRY_FROM_MS = 1_000;
const RETRY_TO_MS = 60_000;
/** How much of the time between two rounds the reading of forms one by one is spread over. */
const SPREAD_SHARE = 0.5;
/** A pause is this much shorter or longer, by chance, so that replicas which start together do not ask together. */
const JITTER = 0.1;
/** Definitions are old when so many rounds of reading them have passed. */
const OLD_ROUNDS = 3;

const UNREADABLE = 'the form definitions cannot be read from the platform';
const UNREADY =
  'The gateway is not ready until they are read. With TYPED_FORMS=none it serves the generic graph without them.';

/** How the reading of definitions goes, which begins with a start. */
export type Following = ReturnType<typeof followDefinitions>;

/** Makes what reads definitions again and again. */
export function followDefinitions({ reader, everyMs, isKnown, log }: FollowOptions) {
  const stopping = new AbortController();
  const { signal } = stopping;
  let readAtMs = performance.now();
  let retryAtMs = readAtMs;
  let isRead = false;
  let error: unknown;

  const ageMs = () => performance.now() - readAtMs;
  const isMissing = () => !isKnown && !isRead;
  const tell = (err: unknown): void => {
    const ageSeconds = Math.round(ageMs() / 1_000);
    if (isMissing()) log.warn({ err, advice: UNREADY }, UNREADABLE);
    else
      log.warn(
        { err, ageSeconds },
        ageMs() > OLD_ROUNDS * everyMs ? `${UNREADABLE}, and have grown old` : UNREADABLE,
      );
  };
  const tryRead = async (options: DefinitionOptions, onRead: OnRead): Promise<void> => {
    try {
      await onRead(await reader.read(options));
      isRead = true;
      readAtMs = performance.now();
    } catch (err) {
      error = err;
      if (!signal.aborted) tell(err);
    }
  };
  const pause = (ms: number) => {
    retryAtMs = performance.now() + ms;
    return sleep(ms * (1 + JITTER * (2 * Math.random() - 1)), undefined, { signal, ref: false });
  };
  const run = async (onRead: OnRead): Promise<void> => {
    const longest = Math.min(everyMs, RETRY_TO_MS);
    for (
      let waitMs = Math.min(RETRY_FROM_MS, longest);
      !isRead;
      waitMs = Math.min(waitMs * 2, longest)
    ) {
      await pause(waitMs);
      await tryRead({ signal }, onRead);
    }
    for (;;) {
      await pause(everyMs);
      await tryRead({ signal, spreadMs: everyMs * SPREAD_SHARE }, onRead);
    }
  };

  return {
    /** How long ago they were last read from the platform, in milliseconds; since the start where they were never read. */
    ageMs,
    /** Why types are lacking; `undefined` once definitions are known. */
    missing: (): MissingTypes | undefined =>
      isMissing()
        ? { error, retryAfterMs: Math.max(0, Math.ceil(retryAtMs - performance.now())) }
        : undefined,
    /** Reads them once for a start, which waits for no more than a moment. */
    readFirst: (onRead: OnRead) =>
      tryRead({ signal: AbortSignal.timeout(START_TIMEOUT_MS) }, onRead),
    /** Reads them until it is stopped. Its timers keep no process alive. */
    watch(onRead: OnRead): void {
      // Only `stop` ends it, by an AbortError.
      run(onRead).catch(() => undefined);
    },
    stop: () => stopping.abort(),
  };
}

/** Whether two sets define the same. */
export const isSameSet = (one: DefinitionSet, other: DefinitionSet): boolean =>
  changedForms(one.forms, other.forms).size === 0 && rulesOf(one) === rulesOf(other);

const rulesOf = ({ rules }: DefinitionSet): string =>
  JSON.stringify(rules.map(({ definition: _, ...read }) => read));

/** Gives the ids of the forms that came, went or changed. Links and members unknown to the gateway do not count. */
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
