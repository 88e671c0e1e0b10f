import type {
  PurchaseRequestStatus,
  RequestValuesFragment,
  UpdatePurchaseRequestValues,
} from '../__generated__/graphql.ts';

/** Reads from the form what differs from what is known. */
export function readValues(form: FormData, known: RequestValuesFragment): UpdatePurchaseRequestValues {
  const text = (name: string) => String(form.get(name) ?? '').trim();
  const entered = {
    title: text('title'),
    amount: text('amount'),
    quantity: text('quantity'),
    status: text('status') as PurchaseRequestStatus,
    neededBy: text('neededBy') || null,
    urgent: form.has('urgent'),
    notes: text('notes') || null,
  } satisfies UpdatePurchaseRequestValues;
  const isChanged = (name: string, value: unknown) =>
    String(value ?? '') !== String(known[name as keyof typeof known] ?? '');
  return Object.fromEntries(Object.entries(entered).filter(([name, value]) => isChanged(name, value)));
}
