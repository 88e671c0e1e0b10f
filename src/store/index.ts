import type { Upstream } from '../upstream/index.ts';
import { createCoalescer } from './coalescer.ts';
import { type Reads, resource } from './resource.ts';

/** What we know of the upstream as one caller may see it. */
export interface Store {
  /** Reads as one operation asks for them, until its signal aborts. */
  reads(signal: AbortSignal): Reads;
  /**
   * Told after every write, whatever became of it: what was asked before must not answer what is asked from now on.
   */
  wrote(): void;
}

/** Makes the store of one identity scope. */
export function createStore({ forms, instances, rules }: Upstream): Store {
  const coalescer = createCoalescer();

  return {
    reads: (signal) => ({
      form: (id) => coalescer.join(resource('getForm', id), (shared) => forms.read(id, shared), signal),
      forms: (query) => coalescer.join(resource('getForms', query), (shared) => forms.list(query, shared), signal),
      instance(key) {
        const wanted = resource('getFormIntance', key.formId, key.instanceId);
        return coalescer.join(wanted, (shared) => instances.read(key, shared), signal);
      },
      instances(formId, query) {
        const wanted = resource('getFormIntances', formId, query);
        return coalescer.join(wanted, (shared) => instances.list(formId, query, shared), signal);
      },
      rule(key) {
        const wanted = resource('getParameters', key.component, key.version);
        return coalescer.join(wanted, (shared) => rules.read(key, shared), signal);
      },
    }),
    wrote: () => coalescer.forget(),
  };
}
