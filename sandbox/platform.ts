import type { DatabaseSync } from 'node:sqlite';

import { formatJson } from './json.ts';
import type { ListQuery } from './list-query.ts';
import type { Definitions } from './load-definitions.ts';
import type { Form } from './model.ts';
import { type Cases, createCases } from './storage/cases.ts';
import { openDatabase } from './storage/database.ts';
import { type DefinitionChanges, recordDefinitions } from './storage/definition-changes.ts';
import { createInstances, type Instances, seedForms } from './storage/instances.ts';
import { createTokens, type Tokens } from './storage/tokens.ts';

/** The definitions and stored data that the operations work on. */
export interface Platform {
  readonly definitions: Definitions;
  readonly changes: DefinitionChanges;
  readonly instances: Instances;
  readonly cases: Cases;
  /** Searches, sorts and pages forms, as the database does for instances. */
  pickForms(forms: readonly Form[], query: ListQuery): { readonly total: number; readonly idForms: readonly string[] };
}

interface PlatformOptions {
  readonly file: string;
  readonly definitions: Definitions;
  readonly now: () => number;
}

/** Opens the file, seeds forms that are new to it, and creates the platform over it. */
export function openPlatform({ file, definitions, now }: PlatformOptions): {
  readonly platform: Platform;
  readonly tokens: Tokens;
  close(): void;
} {
  const database = openDatabase(file);
  seedForms(database, { forms: definitions.forms.values(), seeds: definitions.seeds, now });
  return {
    platform: {
      definitions,
      changes: recordDefinitions(database, definitions, now),
      instances: createInstances(database, now),
      cases: createCases(database),
      pickForms: createFormPicker(database),
    },
    tokens: createTokens(database, now),
    close: () => database.close(),
  };
}

/** The forms come from the definitions; the database reads them from one bound JSON value. */
function createFormPicker(database: DatabaseSync): Platform['pickForms'] {
  return (forms, { where, order, page }) => {
    const rows = formatJson(
      forms.map(({ idForm, name, description, version }) => ({ idForm, name, description, version })),
    );
    const from = `FROM json_each(?) WHERE TRUE${where.sql}`;
    const count = database.prepare(`SELECT count(*) AS total ${from}`).get(rows, ...where.bound);
    const picked = database
      .prepare(`SELECT value ->> '$.idForm' AS id ${from} ORDER BY ${order.sql}id LIMIT ? OFFSET ?`)
      .all(rows, ...where.bound, ...order.bound, page.limit, page.offset);
    return { total: Number(count?.['total']), idForms: picked.map(({ id }) => String(id)) };
  };
}
