import { useState } from 'react';

import type { Field, Values } from './values.ts';

/** A changed field: the value on the screen and the value that the user entered. */
interface Change {
  readonly from: Values[Field];
  readonly to: Values[Field];
}

/**
 * Collects the user's input over saved values. Untouched fields follow the saved values, also while
 * the form is open, and are not in `changed`.
 */
export function useDraft(saved: Values) {
  const [changes, setChanges] = useState<Readonly<Partial<Record<Field, Change>>>>({});
  const entries = (Object.entries(changes) as [Field, Change][]).filter(([field, { to }]) => to !== saved[field]);
  const changed: Partial<Values> = Object.fromEntries(entries.map(([field, { to }]) => [field, to]));
  const entered = Object.fromEntries(Object.entries(changes).map(([field, { to }]) => [field, to]));
  return {
    values: { ...saved, ...entered } as Values,
    changed,
    /** The changed fields whose saved values other users have changed too. */
    overtaken: entries.filter(([field, { from }]) => from !== saved[field]).map(([field]) => field),
    enter<F extends Field>(field: F, to: Values[F]): void {
      setChanges((last) => ({ ...last, [field]: { from: last[field]?.from ?? saved[field], to } }));
    },
    reset: () => setChanges({}),
  };
}

export type Draft = ReturnType<typeof useDraft>;
