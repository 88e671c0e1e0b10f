import type { Dialect } from './dialect.ts';
import { OPERATIONS, PATHS } from './operations.ts';
import { readForm } from './reading/form.ts';
import { readList } from './reading/list.ts';
import { absentIfNotFound } from './reading/result.ts';
import type { FormRecord, PageRecord, ReadOptions, ReadResult } from './records.ts';
import { formatListQuery, type ListQuery } from './search.ts';
import type { Transport } from './transport.ts';

/** The form operations, one method each. */
export interface Forms {
  /** `getForm`. Its record is `undefined` when there is no such form. */
  read(formId: string, options?: ReadOptions): Promise<ReadResult<FormRecord | undefined>>;
  /** `getForms`, one page. */
  list(query: ListQuery, options?: ReadOptions): Promise<ReadResult<PageRecord<FormRecord>>>;
}

export function createForms(transport: Transport, dialect: Dialect): Forms {
  return {
    async read(formId, options) {
      return transport
        .read({ operation: OPERATIONS.getForm, path: PATHS.form(formId), ...options }, ({ body, headers }) =>
          readForm(body, dialect, formId, headers.link),
        )
        .catch(absentIfNotFound);
    },
    async list(query, options) {
      const path = PATHS.forms() + formatListQuery(query, dialect);
      return transport.read({ operation: OPERATIONS.getForms, path, ...options }, (answer) =>
        readList(answer, dialect, (item) => readForm(item, dialect)),
      );
    },
  };
}
