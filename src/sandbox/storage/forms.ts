import type { DatabaseSync } from 'node:sqlite';

import { formatJson } from '../json.ts';
import type { Listing } from '../listing/listing.ts';
import type { Form } from '../model.ts';

/** Picks from forms as the database picks from instances, so that both lists search and sort alike. */
export type PickForms = (forms: readonly Form[], listing: Listing) => { total: number; idForms: readonly string[] };

/** The forms are the definitions' own; they pass through the database as one bound JSON value. */
export function createFormPicker(database: DatabaseSync): PickForms {
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
