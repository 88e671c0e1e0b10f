import type { Upstream } from '../upstream/index.ts';
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
      const join = <T>(wanted: Resource, call: (shared: AbortSignal) => Promise<T>): Promise<T> => {
        const counted = (shared: AbortSignal) => {
          meter?.count();
          return call(shared);
        };
        return coalescer.join(wanted, counted, signal);
      };
      return {
        form: (id) => join(resource('getForm', id), (shared) => forms.read(id, shared)),
        forms: (query) => join(resource('getForms', query), (shared) => forms.list(query, shared)),
        instance: (key) =>
          join(resource('getFormIntance', key.formId, key.instanceId), (shared) => instances.read(key, shared)),
        instances: (formId, query) =>
          join(resource('getFormIntances', formId, query), (shared) => instances.list(formId, query, shared)),
        rule: (key) => join(resource('getParameters', key.component, key.version), (shared) => rules.read(key, shared)),
      };
    },
    wrote: () => coalescer.forget(),
  };
}
