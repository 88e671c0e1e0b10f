import type { JsonObject } from '../json.ts';
import type { Form, Seed } from '../model.ts';
import { changeValues, type HasInstance } from '../values/check-values.ts';
import type { Located } from './read-kind.ts';
import { duplicates } from './unique.ts';

interface Known {
  readonly forms: ReadonlyMap<string, Form>;
  readonly problems: string[];
}

/** Checks every row as a created instance would be; each wrong value adds its own line to `problems`. */
export function checkSeeds(seeds: readonly Located<Seed>[], { forms, problems }: Known): void {
  const rows = seeds.flatMap(({ value, at }) =>
    value.instances.map(({ idInstance }, index) => ({
      id: rowKey(value.idForm, idInstance),
      at: at(['instances', index]),
    })),
  );
  problems.push(...duplicates('instance', rows));
  const ids = new Set(rows.map(({ id }) => id));
  const hasInstance: HasInstance = (idForm, idInstance) => ids.has(rowKey(idForm, idInstance));

  for (const { value, at } of seeds) {
    const form = forms.get(value.idForm);
    if (form === undefined) {
      problems.push(`${at(['idForm'])}: the form "${value.idForm}" is not defined`);
      continue;
    }
    for (const [index, { idInstance, ...named }] of value.instances.entries()) {
      const change = { current: {}, named: named as JsonObject, hasInstance, isWhole: true };
      for (const { field, problem } of changeValues(form, change).problems) {
        problems.push(`${at(['instances', index, field])}: ${form.idForm} ${idInstance}: "${field}" ${problem}`);
      }
    }
  }
}

const rowKey = (idForm: string, idInstance: number) => JSON.stringify([idForm, idInstance]);
