import type { Dialect } from './dialect.ts';
import { OPERATIONS, PATHS } from './operations.ts';
import { readForm } from './reading/form.ts';
import { type Asking, absentIfNotFound, type Reading } from './reading/held.ts';
import { readList } from './reading/list.ts';
import type { FormRecord, PageRecord } from './records.ts';
import { formatListQuery, type ListQuery } from './search.ts';
import type { Transport } from './transport.ts';

/** The form operations, one method each. */
export interface Forms {
  /** `getForm`. Its record is `undefined` when there is no such form. */
  read(formId: string, asking?: Asking<FormRecord | undefined>): Promise<Reading<FormRecord | undefined>>;
  /** `getForms`, one page. */
  list(query: ListQuery, asking?: Asking<PageRecord<FormRecord>>): Promise<Reading<PageRecord<FormRecord>>>;
}

export function createForms(transport: Transport, dialect: Dialect): Forms {
  return {
    async read(formId, asking) {
      return transport
        .read({ operation: OPERATIONS.getForm, path: PATHS.form(formId), ...asking }, ({ body, headers }) =>
          readForm(body, dialect, formId, headers.link),
        )
        .catch(absentIfNotFound);
    },
    async list(query, asking) {
      const path = PATHS.forms() + formatListQuery(query, dialect);
      return transport.read({ operation: OPERATIONS.getForms, path, ...asking }, (answer) =>
        readList(answer, dialect, (item) => readForm(item, dialect)),
      );
    },
  };
}
