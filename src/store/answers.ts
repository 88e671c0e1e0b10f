import type { Depot } from './depot.ts';
import type { Evidence } from './evidence.ts';
import type { Seeker } from './finder.ts';
import type { Store } from './index.ts';
import type { Mark } from './journal.ts';
import type { Meter } from './meter.ts';

/** An answer as it is sent. */
export interface Answer {
  readonly body: Buffer;
  /** Whether nothing is missing from it. */
  readonly isWhole: boolean;
}

/** An answer that is kept with all that it rests on. */
export interface KeptAnswer {
  readonly answer: Answer;
  readonly evidence: Evidence;
  readonly bytes: number;
}

/** Answers of one caller's queries. Nobody else can find them. */
export interface Answers {
  /**
   * Gives the answer to a query: the one that is kept, where all that it rests on is known or confirmed to be true now; the
   * one that is being made for an equal query, unless something was changed since; else what `make` gives. An answer that
   * lacks something, holds an older copy or says who asks serves nobody else.
   *
   * @param key names the query with its variables.
   */
  give(key: string, seeker: Seeker, make: () => Promise<Answer | undefined>): Promise<Answer | undefined>;
}

/** An answer on its way. */
interface Making {
  readonly mark: Mark;
  /** Of who makes it. */
  readonly meter: Meter;
  /** Resolves to `undefined` where it serves nobody else; it never rejects. */
  readonly kept: Promise<KeptAnswer | undefined>;
}

/** Evidence takes about so much for each thing that was read. */
const FACT_BYTES = 300;

interface AnswersOptions {
  readonly store: Pick<Store, 'confirm'>;
  readonly depot: Pick<Depot, 'answers' | 'journal'>;
}

/** Makes the answers of one scope. */
export function createAnswers({ store, depot: { answers, journal } }: AnswersOptions): Answers {
  const shelf = answers?.shelf();
  const underWay = new Map<string, Making>();

  /** Gives the kept answer, if it is the answer still. */
  const recall = async (key: string, { signal, meter }: Seeker): Promise<KeptAnswer | undefined> => {
    const kept = shelf?.get(key);
    if (kept === undefined) return undefined;
    if (await store.confirm(kept.evidence, signal, meter)) return kept;
    shelf?.delete(key);
    return undefined;
  };
  const keep = (key: string, answer: Answer | undefined, { meter }: Seeker): KeptAnswer | undefined => {
    const { evidence } = meter;
    if (!answer?.isWhole || evidence === undefined) return undefined;
    const kept = { answer, evidence, bytes: answer.body.length + evidence.flat().length * FACT_BYTES };
    shelf?.set(key, kept);
    return kept;
  };

  return {
    async give(key, seeker, make) {
      const other = underWay.get(key);
      // Nothing is waited for where nobody is to be joined, so that equal queries of one moment find each other.
      const others = other?.mark === journal.mark() ? await other.kept : undefined;
      if (other && others) {
        seeker.meter.trust(other.meter.trustedUntilMs);
        return others.answer;
      }

      const { promise, resolve } = Promise.withResolvers<KeptAnswer | undefined>();
      const making = { mark: journal.mark(), meter: seeker.meter, kept: promise };
      underWay.set(key, making);
      let kept: KeptAnswer | undefined;
      try {
        kept = await recall(key, seeker);
        if (kept) return kept.answer;
        const answer = await make();
        kept = keep(key, answer, seeker);
        return answer;
      } finally {
        if (underWay.get(key) === making) underWay.delete(key);
        resolve(kept);
      }
    },
  };
}
