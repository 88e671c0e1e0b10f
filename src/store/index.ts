import type { Upstream } from '../upstream/index.ts';
import { confirm } from './confirm.ts';
import type { Depot } from './depot.ts';
import type { Evidence } from './evidence.ts';
import { createFinder } from './finder.ts';
import { createKnowledge } from './knowledge.ts';
import { createMeter, type Meter } from './meter.ts';
import type { Reads } from './resource.ts';
import type { ScopeKey } from './scopes.ts';
import type { Touched } from './touched.ts';
import { type Wanted, want } from './wanted.ts';

/** What we know of the upstream as one caller may see it. */
export interface Store {
  /**
   * Reads as one operation asks for them, until its signal aborts. The meter counts the calls that it causes, and gathers as
   * `meter.evidence` what its answer rests on.
   */
  reads(signal: AbortSignal, meter?: Meter): Reads;
  /**
   * Resolves to whether all that an answer rests on is known to be true now. An answer kept with its evidence is the answer
   * again when it is: nothing need be executed.
   *
   * What is not known is asked, conditionally where that can be, by calls that the operation would make as well and that
   * the meter counts. When it is not true, run the operation with the same meter: what was asked is not asked again. Never
   * rejects; a failure, or a budget that is used up, is not true, and the operation meets it again without a call.
   *
   * Keep an answer only for `meter.evidence` that is defined, of a query without errors, and in the scope of this store.
   */
  confirm(evidence: Evidence, signal: AbortSignal, meter: Meter): Promise<boolean>;
  /**
   * Told after every change, whatever became of it: what it touched is dropped in every scope, and no read that began
   * before answers one that begins from now on. Resolves when other replicas have been told.
   */
  wrote(touched: Touched): Promise<void>;
  /** Forgets all that this caller was told. */
  clear(): void;
}

interface StoreOptions {
  readonly upstream: Upstream;
  readonly depot: Depot;
  readonly key: ScopeKey;
}

/** Makes the store of one identity scope. */
export function createStore({ upstream, depot, key }: StoreOptions): Store {
  const knowledge = createKnowledge(depot, key);
  const finder = createFinder({ upstream, depot, knowledge });
  const { dialect } = upstream;

  return {
    reads(signal, meter = createMeter()) {
      const { witness } = meter;
      const read = async <T>(wanted: Wanted): Promise<T> => {
        const wave = witness.begin();
        try {
          const entry = await finder.find(wanted, { signal, meter });
          witness.note(wave, { wanted, version: entry.version });
          meter.trust(knowledge.trueUntilMs(wanted, entry));
          // A key belongs to one operation, whose answers have one type.
          return entry.content.record() as T;
        } catch (error) {
          witness.spoil();
          throw error;
        }
      };
      return {
        form: (id) => read(want.form(id)),
        forms: (query) => read(want.forms(query)),
        instance: (instance) => read(want.instance(instance)),
        instances: (formId, query) => read(want.instances(formId, query, dialect)),
        rule: (rule) => read(want.rule(rule)),
      };
    },
    confirm: (evidence, signal, meter) => confirm(evidence, { signal, meter }, { knowledge, finder }),
    wrote: depot.touch,
    clear: knowledge.forgetAll,
  };
}
