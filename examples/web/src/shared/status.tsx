import type { PurchaseRequest_Status } from '../__generated__/graphql.ts';
import { formatChoice } from './format.ts';

export function Status({ status }: { readonly status: PurchaseRequest_Status | null | undefined }) {
  if (status == null) return <>–</>;
  return <span className={`status status-${status.toLowerCase()}`}>{formatChoice(status)}</span>;
}
