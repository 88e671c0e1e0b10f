import { createHash } from 'node:crypto';

import { LostError, OfflineError, RefusedError } from './failures.ts';
import type { Folder } from './folder.ts';
import type { Asked, Gateway } from './gateway.ts';

/** An answer, and how it came. */
export interface Answered<T> {
  readonly data: T;
  /** `kept`: the gateway did not answer, so this is what it said last. */
  readonly from: 'gateway' | 'unchanged' | 'kept';
  /** When the gateway said so last, in epoch milliseconds. */
  readonly asOfMs: number;
}

interface Kept {
  readonly data: unknown;
  readonly etag: string | undefined;
  readonly asOfMs: number;
}

/** Answers questions: from the gateway while it can be reached, else from what it said last. */
export interface Answers {
  /** @throws what the gateway failed with, where there is nothing to fall back on, or must not be. */
  ask<T>(asked: Asked): Promise<Answered<T>>;
}

export function createAnswers(gateway: Gateway, folder: Folder, now: () => number): Answers {
  return {
    async ask<T>(asked: Asked) {
      const name = fileOf(asked);
      const kept = folder.read<Kept>(name);
      const keep = (content: Kept) => folder.write(name, content);
      try {
        const reading = await gateway.read(asked, kept?.etag);
        const asOfMs = now();
        if (!reading.isUnchanged) {
          keep({ data: reading.data, etag: reading.etag, asOfMs });
          return { data: reading.data as T, from: 'gateway', asOfMs };
        }
        // Nobody is told "unchanged" but who named what they have.
        if (kept === undefined) throw new LostError('The gateway’s answer cannot be read.');
        keep({ ...kept, asOfMs });
        return { data: kept.data as T, from: 'unchanged', asOfMs };
      } catch (error) {
        if (kept === undefined || !isPassing(error)) throw error;
        return { data: kept.data as T, from: 'kept', asOfMs: kept.asOfMs };
      }
    },
  };
}

/** What is kept may be shown while nobody answers, and not to somebody whose session has ended. */
const isPassing = (error: unknown): boolean =>
  error instanceof OfflineError || error instanceof LostError || (error instanceof RefusedError && error.isRetryable);

const fileOf = ({ documentId, variables }: Asked): string =>
  `answer-${createHash('sha256')
    .update(JSON.stringify([documentId, variables]))
    .digest('base64url')}.json`;
