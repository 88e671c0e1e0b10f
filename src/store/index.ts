import type { Upstream } from '../upstream/index.ts';
import type { Asking, Reading } from '../upstream/reading/held.ts';
import { createCoalescer } from './coalescer.ts';
import type { Meter } from './meter.ts';
import { type Reads, type Resource, resource } from './resource.ts';

/** What we know of the upstream as one caller may see it. */
export interface Store {
  /** Reads as one operation asks for them, until its signal aborts; the meter counts the calls that it causes. */
  reads(signal: AbortSignal, meter?: Meter): Reads;
  /**
   * Told after every write, whatever became of it: what was asked before must not answer what is asked from now on.
   */
  wrote(): void;
}

/** Makes the store of one identity scope. */
export function createStore({ forms, instances, rules }: Upstream): Store {
  const coalescer = createCoalescer();

  return {
    reads(signal, meter) {
      const join = <T>(wanted: Resource, call: (asking: Asking<T>) => Promise<Reading<T>>): Promise<T> => {
        const counted = async (shared: AbortSignal) => {
          meter?.count();
          return (await call({ signal: shared })).record;
        };
        return coalescer.join(wanted, counted, signal);
      };
      return {
        form: (id) => join(resource('getForm', id), (asking) => forms.read(id, asking)),
        forms: (query) => join(resource('getForms', query), (asking) => forms.list(query, asking)),
        instance: (key) =>
          join(resource('getFormIntance', key.formId, key.instanceId), (asking) => instances.read(key, asking)),
        instances: (formId, query) =>
          join(resource('getFormIntances', formId, query), (asking) => instances.list(formId, query, asking)),
        rule: (key) => join(resource('getParameters', key.component, key.version), (asking) => rules.read(key, asking)),
      };
    },
    wrote: () => coalescer.forget(),
  };
}
