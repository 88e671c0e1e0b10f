import DataLoader from 'dataloader';

import type { Reader } from './reader.ts';

/**
 * Puts a DataLoader before each read by id, as its documentation shows: made anew for each operation, the same id read
 * once, and what was read forgotten after a change. The platform reads one thing a call, so a batch is a call for each id.
 */
export function withLoaders(reader: Reader): Reader {
  const form = byId((id: string) => reader.form(id));
  const instance = byId(([idForm, idInstance]: readonly [string, string]) => reader.instance(idForm, idInstance));
  const rule = byId(([component, version]: readonly [string, string]) => reader.rule(component, version));

  return {
    ...reader,
    form: (idForm) => form.load(idForm),
    instance: (idForm, idInstance) => instance.load([idForm, idInstance]),
    rule: (component, version) => rule.load([component, version]),
    async change(...change) {
      const answer = await reader.change(...change);
      instance.clearAll();
      return answer;
    },
  };
}

const byId = <K, V>(read: (key: K) => Promise<V>) =>
  new DataLoader<K, V, string>((keys) => Promise.all(keys.map(read)), { cacheKeyFn: (key) => JSON.stringify(key) });
