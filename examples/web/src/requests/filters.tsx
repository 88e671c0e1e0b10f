import type { SubmitEvent } from 'react';

import { hrefOf } from '../route.ts';
import { type ListParams, STATUSES, writeParams } from './list-params.ts';
import { StatusSelect } from './status.tsx';

/** Filters the list: by status at once, by texts after submitting them. */
export function Filters({ params }: { readonly params: ListParams }) {
  const apply = (changed: Partial<ListParams>) => {
    location.hash = hrefOf('/', writeParams({ ...params, ...changed }));
  };
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    apply({ title: String(form.get('title')).trim(), minAmount: String(form.get('minAmount')) });
  };

  return (
    <search>
      <form className="filters" onSubmit={submit}>
        <label>
          Status
          <StatusSelect
            value={params.status ?? ''}
            onChange={({ target }) =>
              apply({ status: STATUSES.find((status) => status === target.value) })
            }
          >
            <option value="">All</option>
          </StatusSelect>
        </label>
        <label>
          Title
          <input name="title" type="search" defaultValue={params.title} placeholder="Any" />
        </label>
        <label>
          Amount from, in EUR
          <input
            name="minAmount"
            type="number"
            min="0"
            step="any"
            defaultValue={params.minAmount}
            placeholder="0"
          />
        </label>
        <button type="submit">Filter</button>
      </form>
    </search>
  );
}
