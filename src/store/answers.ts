import type { Depot } from './depot.ts';
import type { Evidence } from './evidence.ts';
import type { Seeker } from './finder.ts';
import type { Store } from './index.ts';
import type { Mark } from './journal.ts';
import type { Meter } from './meter.ts';
import type { Wanted } from './wanted.ts';

/** An answer as it is sent. */
export interface Answer {
  readonly body: string | Buffer;
  /** Whether nothing is missing from it. */
  readonly isWhole: boolean;
}

/** An answer with all that it rests on. */
interface GroundedAnswer {
  readonly answer: Answer;
  readonly evidence: Evidence;
}

/** What is kept of a query: at first only that it was asked, since most that are asked once are not asked again. */
export interface KeptAnswer {
  readonly grounded?: GroundedAnswer;
  readonly bytes: number;
}

/** Makes an answer; `undefined` where there is none. */
type Make = () => Promise<Answer | undefined>;

/** Answers of one caller's queries. Nobody else can find them. */
export interface Answers {
  /**
   * Gives the answer to a query: the one that is kept since it was asked for the second time, where all that it rests on is known or confirmed to be true now; the
   * one that is being made for an equal query, unless something was changed since; else what `make` gives. An answer that
   * lacks something, holds an older copy or says who asks serves nobody else.
   *
   * @param key names the query with its variables.
   */
  give(key: string, seeker: Seeker, make: Make): Promise<Answer | undefined>;
  /** Forgets all answers that are kept. */
  clear(): void;
}

/** An answer on its way. */
interface Making {
  readonly mark: Mark;
  /** Of who makes it. */
  readonly meter: Meter;
  /** Resolves to `undefined` where it serves nobody else; it never rejects. */
  readonly made: Promise<GroundedAnswer | undefined>;
}

interface Made {
  readonly answer: Answer | undefined;
  readonly grounded?: GroundedAnswer;
}

/** Evidence takes about so much for each thing that was read, and for each character of what names it: all is said twice. */
const FACT_BYTES = 300;
const BYTES_PER_CHARACTER = 3;
const ASKED: KeptAnswer = { bytes: 0 };

const sizeOf = ({ key }: Wanted): number => FACT_BYTES + BYTES_PER_CHARACTER * key.length;

interface AnswersOptions {
  readonly store: Pick<Store, 'confirm'>;
  readonly depot: Pick<Depot, 'answers' | 'journal'>;
}

/** Makes the answers of one scope. */
export function createAnswers({ store, depot: { answers, journal } }: AnswersOptions): Answers {
  const shelf = answers?.shelf();
  const underWay = new Map<string, Making>();

  /** Gives the kept answer, if it is the answer still. */
  const recall = async (key: string, { signal, meter }: Seeker): Promise<GroundedAnswer | undefined> => {
    const grounded = shelf?.get(key)?.grounded;
    if (grounded === undefined) return undefined;
    if (await store.confirm(grounded.evidence, signal, meter)) return grounded;
    shelf?.set(key, ASKED);
    return undefined;
  };
  /** Makes an answer, and gives it with what it rests on where it may serve others, or again. */
  const makeFor = async (key: string, { meter }: Seeker, make: Make): Promise<Made> => {
    const answer = await make();
    const { evidence } = meter;
    if (!answer?.isWhole || evidence === undefined) return { answer };
    if (shelf?.get(key) === undefined) shelf?.set(key, ASKED);
    else {
      const body = Buffer.from(answer.body);
      const bytes = evidence.flat().reduce((sum, { wanted }) => sum + sizeOf(wanted), body.length);
      shelf.set(key, { grounded: { answer: { ...answer, body }, evidence }, bytes });
    }
    return { answer, grounded: { answer, evidence } };
  };

  return {
    async give(key, seeker, make) {
      const { meter } = seeker;
      const other = underWay.get(key);
      // Nothing is waited for where nobody is to be joined, so that equal queries of one moment find each other.
      const others = other?.mark === journal.mark() ? await other.made : undefined;
      if (other && others) {
        meter.trust(other.meter.trustedUntilMs);
        return others.answer;
      }

      const { promise, resolve } = Promise.withResolvers<GroundedAnswer | undefined>();
      const making = { mark: journal.mark(), meter, made: promise };
      underWay.set(key, making);
      let grounded: GroundedAnswer | undefined;
      try {
        grounded = await recall(key, seeker);
        if (grounded) return grounded.answer;
        const made = await makeFor(key, seeker, make);
        grounded = made.grounded;
        return made.answer;
      } finally {
        if (underWay.get(key) === making) underWay.delete(key);
        resolve(grounded);
      }
    },
    clear: () => shelf?.clear(),
  };
}
