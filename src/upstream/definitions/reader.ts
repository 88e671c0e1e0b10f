import { setTimeout as sleep } from 'node:timers/promises';

import { InputError, UpstreamError } from '../errors.ts';
import type { FormRecord, PageRecord, ReadOptions, ReadResult, RuleKey, RuleRecord } from '../records.ts';
import type { Forms, Rules } from '../resources.ts';

/** The definitions of forms, and of the rules that are wanted. */
export interface DefinitionSet {
  readonly forms: readonly FormRecord[];
  readonly rules: readonly RuleRecord[];
}

/** Reads the definitions of forms and rules as one caller may see them, and again as often as needed. */
export interface DefinitionReader {
  /**
   * Reads every form that is wanted: by lists alone where these have the fields, else each form by itself. What was read before
   * is read on the condition that it has changed. A form that cannot be read is as it was before, or else without fields; such
   * a rule is as before, or else left out.
   *
   * @throws {UpstreamError} when the list itself cannot be read.
   */
  read(options?: DefinitionOptions): Promise<DefinitionSet>;
  /** Takes forms as they were known before, for those that cannot be read. */
  remember(forms: readonly FormRecord[]): void;
}

interface DefinitionOptions {
  readonly signal?: AbortSignal;
  /** How long the reading of forms one by one is spread, in milliseconds; 0 reads several at a time. */
  readonly spreadMs?: number;
}

interface ReaderOptions {
  readonly forms: Forms;
  readonly rules: Rules;
  readonly ruleKeys: readonly RuleKey[];
  /** How many forms a page of the list may have. */
  readonly maxPageSize: number;
  readonly isWanted: (formId: string) => boolean;
  /** Called for each form that cannot be read by itself. */
  readonly onUnread: (formId: string, error: Error) => void;
}

/** How many forms are read at a time where there is no time to spread it over. */
const AT_A_TIME = 8;
/** A list that has less than this share of the forms known before is read once more, after so many milliseconds. */
const SHRUNK_SHARE = 0.5;
const READ_AGAIN_MS = 1_000;

/** Makes a reader, which holds what it read. */
export function createDefinitionReader(options: ReaderOptions): DefinitionReader {
  const { forms, rules, ruleKeys, maxPageSize, isWanted, onUnread } = options;
  const remembered = new Map<string, FormRecord>();
  let listed: number | undefined;
  const readList = createListReader(forms, maxPageSize);
  const readForm = createRereader((formId: string, conditions) => forms.read(formId, conditions));
  const readRule = createRereader((key: RuleKey, conditions) => rules.read(key, conditions));

  /** A list that is suddenly empty or much shorter may be a platform's that has just started. */
  const readSettledList = async (signal: AbortSignal | undefined): Promise<readonly FormRecord[]> => {
    const known = listed ?? remembered.size;
    let found = await readList(signal);
    if (found.length < known * SHRUNK_SHARE) {
      await sleep(READ_AGAIN_MS, undefined, { signal, ref: false });
      found = await readList(signal, { isConditional: false });
    }
    listed = found.length;
    return found;
  };

  const readForms = async ({ signal, spreadMs = 0 }: DefinitionOptions): Promise<readonly FormRecord[]> => {
    const wanted = (await readSettledList(signal)).filter(({ formId }) => isWanted(formId));
    const found = new Map(wanted.map((form) => [form.formId, form]));
    const summaries = wanted.filter(({ fields }) => fields === undefined);
    const queue = summaries.values();
    const work = async () => {
      for (const summary of queue) {
        if (spreadMs > 0) await sleep(spreadMs / summaries.length, undefined, { signal, ref: false });
        const { formId } = summary;
        const form = await readForm.read(formId, signal).catch((error: unknown) => {
          onUnread(formId, toReadError(error, signal));
          return readForm.known(formId) ?? remembered.get(formId);
        });
        found.set(formId, form ?? summary);
      }
    };
    await Promise.all(Array.from({ length: spreadMs > 0 ? 1 : AT_A_TIME }, work));
    readForm.keepOnly(found);
    return [...found.values()];
  };

  const readRules = async (signal: AbortSignal | undefined): Promise<readonly RuleRecord[]> => {
    const read = (key: RuleKey) =>
      readRule.read(key, signal).catch((error: unknown) => {
        toReadError(error, signal);
        return readRule.known(key);
      });
    return (await Promise.all(ruleKeys.map(read))).filter((rule) => rule !== undefined);
  };

  return {
    async read(asked = {}) {
      const [foundForms, foundRules] = await Promise.all([readForms(asked), readRules(asked.signal)]);
      return { forms: foundForms, rules: foundRules };
    },
    remember(known) {
      for (const form of known) remembered.set(form.formId, form);
    },
  };
}

/**
 * Gives back an error that costs one definition only: one whose id cannot be sent is no reason to have none of the others.
 *
 * @throws any other.
 */
function toReadError(error: unknown, signal: AbortSignal | undefined): Error {
  if (!signal?.aborted && (error instanceof UpstreamError || error instanceof InputError)) return error;
  throw error;
}

/** Makes a read that holds its records, to read them on the condition that they have changed. */
function createRereader<K, T>(readOne: (key: K, options: ReadOptions) => Promise<ReadResult<T>>) {
  const held = new Map<K, { readonly record: T; readonly validator: string | undefined }>();
  return {
    async read(key: K, signal: AbortSignal | undefined, { isConditional = true } = {}): Promise<T> {
      const known = isConditional ? held.get(key) : undefined;
      const result = await readOne(key, { signal, ifModifiedSince: known?.validator });
      if (!result.notModified) held.set(key, result);
      const current = result.notModified ? known : result;
      if (current === undefined) throw new Error('a 304 came without a condition');
      return current.record;
    },
    known: (key: K): T | undefined => held.get(key)?.record,
    keepOnly(keys: ReadonlyMap<K, unknown>) {
      for (const key of held.keys()) if (!keys.has(key)) held.delete(key);
    },
  };
}

/** How many pages are read at most, of a platform whose list does not end. */
const PAGES_MAX = 1_000;

/** Makes the read of the whole list of forms, each form once. */
function createListReader(forms: Forms, perPage: number) {
  const pages = createRereader((pageNumber: number, conditions) =>
    forms.list({ where: [], orderBy: [], pageNumber, perPage }, conditions),
  );
  return async (signal: AbortSignal | undefined, how?: { isConditional: boolean }): Promise<readonly FormRecord[]> => {
    const found = new Map<string, FormRecord>();
    for (let pageNumber = 1; pageNumber <= PAGES_MAX; pageNumber++) {
      const page = await pages.read(pageNumber, signal, how);
      const added = page.items.filter(({ formId }) => !found.has(formId));
      for (const form of added) found.set(form.formId, form);
      // A platform that knows no pages gives the same ones again.
      if (added.length === 0 || !hasMore(page, found.size, perPage)) break;
    }
    return [...found.values()];
  };
}

const hasMore = ({ items, total, hasNext }: PageRecord<FormRecord>, count: number, perPage: number): boolean =>
  total === undefined ? (hasNext ?? items.length >= perPage) : total > count;

/** Whether two sets define the same. */
export const isSameSet = (one: DefinitionSet, other: DefinitionSet): boolean =>
  changedForms(one.forms, other.forms).size === 0 && JSON.stringify(one.rules) === JSON.stringify(other.rules);

/** Gives the ids of the forms that came, went or changed. Links and members unknown to the gateway do not count. */
export function changedForms(before: readonly FormRecord[], after: readonly FormRecord[]): ReadonlySet<string> {
  const earlier = new Map(before.map((form) => [form.formId, form]));
  const later = new Map(after.map((form) => [form.formId, form]));
  const isChanged = (formId: string): boolean => {
    const [one, other] = [earlier.get(formId), later.get(formId)];
    return one === undefined || other === undefined || (one !== other && definitionOf(one) !== definitionOf(other));
  };
  return new Set([...earlier.keys(), ...later.keys()].filter(isChanged));
}

const definitionOf = ({ formId, name, description, fields }: FormRecord): string =>
  JSON.stringify([formId, name, description, fields]);
