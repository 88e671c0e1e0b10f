import { setTimeout as sleep } from 'node:timers/promises';

import { InputError, UpstreamError } from '../errors.ts';
import type { Forms } from '../forms.ts';
import type { FormRecord } from '../records.ts';
import { readFormList } from './form-list.ts';
import { type Known, reread } from './reread.ts';

/** What the platform says of its forms, as one caller may see it. */
export interface Definitions {
  /**
   * Reads every form that is wanted: by lists alone where these tell the fields, else each form by itself. What was read
   * before is asked by `If-Modified-Since`. A form that cannot be read is as it was before, or else without fields.
   *
   * @throws {UpstreamError} when the list itself cannot be read.
   */
  read(asking?: ReadOptions): Promise<readonly FormRecord[]>;
  /** Takes forms as they were known before, for those that cannot be read. */
  remember(forms: readonly FormRecord[]): void;
}

/** How definitions are read. */
export interface ReadOptions {
  readonly signal?: AbortSignal;
  /** For how long the reading of forms one by one is spread, in milliseconds; 0 reads several at a time. */
  readonly spreadMs?: number;
}

interface DefinitionsOptions {
  readonly forms: Forms;
  /** How many a page of the list may have. */
  readonly maxPageSize: number;
  readonly isWanted: (formId: string) => boolean;
  /** Told of each form that cannot be read by itself. */
  readonly onUnread: (formId: string, error: Error) => void;
}

/** How many forms are read at a time where there is no time to spread it over. */
const AT_A_TIME = 8;

/** Makes the reader of one caller's definitions. It remembers what it read, to ask only whether that has changed. */
export function createDefinitions({ forms, maxPageSize, isWanted, onUnread }: DefinitionsOptions): Definitions {
  const listed = readFormList(forms, maxPageSize);
  const held = new Map<string, Known<FormRecord | undefined>>();
  const remembered = new Map<string, FormRecord>();

  const readOne = async (form: FormRecord, signal: AbortSignal | undefined): Promise<FormRecord> => {
    const known = held.get(form.formId);
    try {
      const read = await reread((options) => forms.read(form.formId, options), known, signal);
      held.set(form.formId, read);
      return read.record ?? form;
    } catch (error) {
      // One whose id cannot be asked for is no reason to have none of the others.
      if (signal?.aborted || !(error instanceof UpstreamError || error instanceof InputError)) throw error;
      onUnread(form.formId, error);
      return known?.record ?? remembered.get(form.formId) ?? form;
    }
  };

  return {
    async read({ signal, spreadMs = 0 } = {}) {
      const wanted = (await listed(signal)).filter(({ formId }) => isWanted(formId));
      const found = new Map(wanted.map((form) => [form.formId, form]));
      const summaries = wanted.filter(({ fields }) => fields === undefined);
      const queue = summaries.values();
      const work = async () => {
        for (const form of queue) {
          if (spreadMs > 0) await sleep(spreadMs / summaries.length, undefined, { signal, ref: false });
          found.set(form.formId, await readOne(form, signal));
        }
      };
      await Promise.all(Array.from({ length: spreadMs > 0 ? 1 : AT_A_TIME }, work));
      for (const formId of held.keys()) if (!found.has(formId)) held.delete(formId);
      return [...found.values()];
    },
    remember(known) {
      for (const form of known) remembered.set(form.formId, form);
    },
  };
}
