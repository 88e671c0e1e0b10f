import type { Dialect } from './dialect.ts';
import { undefinedIfNotFound } from './errors.ts';
import { OPERATIONS, PATHS } from './operations.ts';
import { readForm } from './reading/form.ts';
import { readList } from './reading/list.ts';
import type { FormRecord, PageRecord } from './records.ts';
import { formatListQuery, type ListQuery } from './search.ts';
import type { Transport } from './transport.ts';

/** The form operations, one method each. */
export interface Forms {
  /** `getForm`. `undefined` when there is no such form. */
  read(formId: string, signal?: AbortSignal): Promise<FormRecord | undefined>;
  /** `getForms`, one page. */
  list(query: ListQuery, signal?: AbortSignal): Promise<PageRecord<FormRecord>>;
}

export function createForms(transport: Transport, dialect: Dialect): Forms {
  return {
    async read(formId, signal) {
      return transport
        .call({ operation: OPERATIONS.getForm, path: PATHS.form(formId), signal }, ({ body, headers }) =>
          readForm(body, dialect, formId, headers.link),
        )
        .catch(undefinedIfNotFound);
    },
    async list(query, signal) {
      const path = PATHS.forms() + formatListQuery(query, dialect);
      return transport.call({ operation: OPERATIONS.getForms, path, signal }, (answer) =>
        readList(answer, dialect, (item) => readForm(item, dialect)),
      );
    },
  };
}
