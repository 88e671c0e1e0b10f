import { useGraphiQL } from '@graphiql/react';
import { useEffect, useMemo } from 'react';

import type { Sample } from './samples/sample.ts';
import { samplesOf } from './samples/typed.ts';
import { storage } from './storage.ts';
import { useTabs } from './tabs.ts';

/** The samples of the platform's forms; none until the schema has come, and where forms have no types of their own. */
export function useTypedSamples(): readonly Sample[] {
  const schema = useGraphiQL(({ schema }) => schema);
  return useMemo(() => (schema ? samplesOf(schema) : []), [schema]);
}

/** How many forms get a tab by themselves; the panel has all of them. */
const TABS_MAX = 4;
const SEEN = 'typedTabs';
/** The explorer keeps its tabs half a second after they have changed: who leaves before has not seen these. */
const KEPT_AFTER_MS = 1_000;

/** Adds tabs for the platform's forms, once, when it is known what forms there are. */
export function TypedTabs(): null {
  const samples = useTypedSamples();
  const { add } = useTabs();

  // biome-ignore lint/correctness/useExhaustiveDependencies: they are added when there are some, and not once more with each change of tabs.
  useEffect(() => {
    if (samples.length === 0 || storage.getItem(SEEN) !== null) return;
    add(samples.slice(0, TABS_MAX));
    const timer = setTimeout(() => storage.setItem(SEEN, 'yes'), KEPT_AFTER_MS);
    return () => clearTimeout(timer);
  }, [samples]);

  return null;
}
