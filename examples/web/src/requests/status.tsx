import type { PurchaseRequestStatus } from '../__generated__/graphql.ts';
import { formatChoice } from '../format.ts';

export function Status({ status }: { readonly status: PurchaseRequestStatus | null | undefined }) {
  if (status == null) return <>–</>;
  return <span className={`status status-${status.toLowerCase()}`}>{formatChoice(status)}</span>;
}
