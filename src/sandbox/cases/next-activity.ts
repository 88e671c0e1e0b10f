import { feelContext, isMet } from '../feel.ts';
import type { Activity, Process } from '../model.ts';
import type { Values } from '../values/merge-values.ts';

/** The activity that follows another, by the case's values; `undefined` when the case is completed. */
export function nextActivity(process: Process, { next }: Activity, values: Values): bigint | undefined {
  const context = feelContext(process.variables, values);
  const taken = next.find(({ when }) => when === undefined || isMet(when, context));
  return taken === undefined || taken.to === 'end' ? undefined : taken.to;
}
