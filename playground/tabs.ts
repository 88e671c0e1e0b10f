import { useGraphiQL, useGraphiQLActions } from '@graphiql/react';

import { SAMPLES } from './samples/index.ts';
import type { Sample } from './samples/sample.ts';
import { emptyVariables } from './variables-text.ts';

/** A sample's tab, as the explorer takes it at the first visit. */
export function tabOf({ query, fill }: Sample) {
  return { query, variables: fill === undefined ? null : emptyVariables(fill), headers: null };
}

/** What the panel can do with the tabs. */
export function useTabs() {
  const { tabs, activeTabIndex } = useGraphiQL(({ tabs, activeTabIndex }) => ({ tabs, activeTabIndex }));
  const { moveTab, changeTab, closeTab } = useGraphiQLActions();
  const active = tabs[activeTabIndex];

  return {
    activeTitle: active?.title,

    /** Turns to a sample's tab; a tab that was closed is opened anew, as it first was. */
    open(sample: Sample): void {
      const index = tabs.findIndex(({ title }) => title === sample.name);
      if (index < 0) moveTab([...tabs, newTab(sample)]);
      changeTab(index < 0 ? tabs.length : index);
    },

    /** Puts samples behind the tabs that there are, and stays where the reader is. */
    add(samples: readonly Sample[]): void {
      const isNew = ({ name }: Sample) => !tabs.some(({ title }) => title === name);
      moveTab([...tabs, ...samples.filter(isNew).map(newTab)]);
    },

    /** Gives all samples back as they first were. Tabs of the reader's own stay, behind them. */
    reset(): void {
      if (active === undefined) return;
      const own = tabs.filter(({ title, query }) => query && !SAMPLES.some(({ name }) => name === title));
      // The explorer lets tabs be reordered only around the active one: it goes first, and is closed at the end.
      moveTab([active, ...SAMPLES.map(newTab), ...own.map((tab) => ({ ...tab, id: newId() }))]);
      changeTab(1);
      closeTab(0);
    },
  };
}

function newTab(sample: Sample) {
  const { query, variables, headers } = tabOf(sample);
  return {
    id: newId(),
    hash: [query, variables ?? '', ''].join('|'),
    title: sample.name,
    query,
    variables,
    headers,
    operationName: sample.name,
    response: null,
  };
}

// Not crypto.randomUUID(), which browsers keep from pages that are served without TLS.
const newId = () => Math.random().toString(36).slice(2);
