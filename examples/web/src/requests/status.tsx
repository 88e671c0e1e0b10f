import type { ComponentProps } from 'react';

import type { PurchaseRequestStatus } from '../__generated__/graphql.ts';
import { formatChoice } from '../format.ts';
import { STATUSES } from './list-params.ts';

export function Status({ status }: { readonly status: PurchaseRequestStatus | null | undefined }) {
  if (status == null) return <>–</>;
  return <span className={`status status-${status.toLowerCase()}`}>{formatChoice(status)}</span>;
}

/** A choice of a status. `children` are options before the statuses. */
export function StatusSelect({ children, ...props }: ComponentProps<'select'>) {
  return (
    <select {...props}>
      {children}
      {STATUSES.map((status) => (
        <option key={status} value={status}>
          {formatChoice(status)}
        </option>
      ))}
    </select>
  );
}
