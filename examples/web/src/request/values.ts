import type { RequestValuesFragment } from '../__generated__/graphql.ts';

/** Reads from the form what differs from what is known. */
export function readValues(form: FormData, known: RequestValuesFragment): Record<string, unknown> {
  const text = (name: string) => String(form.get(name) ?? '');
  const entered = {
    title: text('title').trim(),
    amount: Number(text('amount')),
    quantity: Number(text('quantity')),
    status: text('status').toLowerCase(),
    neededBy: text('neededBy') || null,
    urgent: form.has('urgent'),
    notes: text('notes').trim() || null,
  };
  const isSame = (name: keyof typeof entered) =>
    String(entered[name] ?? '').toLowerCase() === String(known[name] ?? '').toLowerCase();
  return Object.fromEntries(Object.entries(entered).filter(([name]) => !isSame(name as keyof typeof entered)));
}
