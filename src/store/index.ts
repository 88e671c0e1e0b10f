import type { Upstream } from '../upstream/index.ts';
import { createCoalescer } from './coalescer.ts';
import { type Reads, resourceKey } from './resource.ts';

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
      form: (formId) => coalescer.join(resourceKey('form', formId), (shared) => forms.read(formId, shared), signal),
      forms: (query) => coalescer.join(resourceKey('forms', query), (shared) => forms.list(query, shared), signal),
      instance: (key) =>
        coalescer.join(
          resourceKey('instance', key.formId, key.instanceId),
          (shared) => instances.read(key, shared),
          signal,
        ),
      instances: (formId, query) =>
        coalescer.join(
          resourceKey('instances', formId, query),
          (shared) => instances.list(formId, query, shared),
          signal,
        ),
      rule: (key) =>
        coalescer.join(resourceKey('rule', key.component, key.version), (shared) => rules.read(key, shared), signal),
    }),
    wrote: () => coalescer.forget(),
  };
}
