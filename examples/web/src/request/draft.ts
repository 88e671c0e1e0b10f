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
export function useDraft(saved: Values): Draft {
  const [changes, setChanges] = useState<Readonly<Partial<Record<Field, Change>>>>({});
  const entries = Object.entries(changes) as [Field, Change][];
  const entered = Object.fromEntries(entries.map(([field, { to }]) => [field, to]));
  const changedEntries = entries.filter(([field, { to }]) => to !== saved[field]);
  const conflicts = changedEntries.filter(([field, { from }]) => from !== saved[field]);
  return {
    values: { ...saved, ...entered } as Values,
    changed: Object.fromEntries(changedEntries.map(([field, { to }]) => [field, to])),
    conflicts: conflicts.map(([field]) => field),
    enter(field, to) {
      setChanges((last) => ({ ...last, [field]: { from: last[field]?.from ?? saved[field], to } }));
    },
    reset: () => setChanges({}),
  };
}

export interface Draft {
  /** The saved values with the user's input. */
  readonly values: Values;
  /** The fields that the user changed, with their new values. */
  readonly changed: Partial<Values>;
  /** The changed fields whose saved values other users have changed too. */
  readonly conflicts: readonly Field[];
  enter<F extends Field>(field: F, to: Values[F]): void;
  /** Discards the user's input. */
  reset(): void;
}
