import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import type { Dialect } from '../dialect.ts';
import { isJsonObject, parseJson } from '../json.ts';
import { readForm } from '../reading/form.ts';
import type { FormRecord } from '../records.ts';

/** A file that keeps definitions as the platform told them, for a start without the platform. */
export interface Snapshot {
  /** `undefined` where there is none. @throws {Error} for a file that is no snapshot. */
  load(): Promise<readonly FormRecord[] | undefined>;
  /** Puts a new file in the old one's place: whoever reads sees the one or the other, whole. */
  save(forms: readonly FormRecord[]): Promise<void>;
}

/** What the file is called inside, so that another one is not taken for it. */
const KIND = 'caseway-definitions-1';

/** Opens the snapshot at `path`; links are left out, since they tell who read the definitions. */
export function openSnapshot(path: string, dialect: Dialect): Snapshot {
  return {
    async load() {
      const text = await readFile(path, 'utf8').catch(undefinedIfAbsent);
      if (text === undefined) return undefined;
      const content = parseJson(text);
      const forms = isJsonObject(content) && content['kind'] === KIND ? content['forms'] : undefined;
      if (!Array.isArray(forms)) throw new Error(`${path} is no snapshot of definitions`);
      return forms.map((form) => readForm(form, dialect));
    },
    async save(forms) {
      const next = join(dirname(path), `.${randomUUID()}.snapshot`);
      const kept = forms.map(({ formId, definition }) => withId(formId, definition, dialect));
      try {
        await writeFile(next, `${JSON.stringify({ kind: KIND, forms: kept }, undefined, 1)}\n`);
        await rename(next, path);
      } catch (error) {
        await rm(next, { force: true });
        throw error;
      }
    },
  };
}

/** A definition that was asked by its id may not say it. */
function withId(formId: string, definition: FormRecord['definition'], { form, links }: Dialect) {
  const [id = 'idForm'] = form.id;
  const kept = Object.entries(definition).filter(([name]) => ![...links.list, ...links.byRel].includes(name));
  return { [id]: formId, ...Object.fromEntries(kept) };
}

function undefinedIfAbsent(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
  throw error;
}
