import { useState } from 'react';

import type { Field, Values } from './values.ts';

/** A field that the user has changed: from what they saw, to what they entered. */
interface Change {
  readonly from: Values[Field];
  readonly to: Values[Field];
}

/**
 * What a user has entered over saved values. Fields that they left alone follow the saved values, also while the form is open,
 * and are not part of `changed`.
 */
export function useDraft(saved: Values) {
  const [changes, setChanges] = useState<Readonly<Partial<Record<Field, Change>>>>({});
  const entries = (Object.entries(changes) as [Field, Change][]).filter(([field, { to }]) => to !== saved[field]);
  const changed: Partial<Values> = Object.fromEntries(entries.map(([field, { to }]) => [field, to]));
  const entered = Object.fromEntries(Object.entries(changes).map(([field, { to }]) => [field, to]));
  return {
    values: { ...saved, ...entered } as Values,
    changed,
    /** The changed fields whose saved value somebody else has changed as well. */
    overtaken: entries.filter(([field, { from }]) => from !== saved[field]).map(([field]) => field),
    enter<F extends Field>(field: F, to: Values[F]): void {
      setChanges((last) => ({ ...last, [field]: { from: last[field]?.from ?? saved[field], to } }));
    },
    reset: () => setChanges({}),
  };
}

export type Draft = ReturnType<typeof useDraft>;
