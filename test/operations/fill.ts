import { anExpense } from './instances.ts';

/** Replaces the placeholders of a text by a new case or a new expense of the sandbox. */
export async function fill(
  text: string,
  post: (path: string, body: object) => Promise<string>,
): Promise<string> {
  if (text.includes('NEW')) {
    const created = await post('/forms/expense/instances', anExpense());
    return text.replace('NEW', /"idInstance":(\d+)/.exec(created)?.[1] ?? '');
  }
  if (!text.includes('CASE')) return text;
  const aCase = { idProcess: 'purchase-approval', values: { title: 'Bench vices', amount: 566 } };
  const started = await post('/cases', aCase);
  return text.replace('CASE', /"idCase":(\d+)/.exec(started)?.[1] ?? '');
}
