import { useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { useEffect } from 'react';

import { takeLinkedQuery } from './links.ts';
import { emptyVariables } from './samples/fill.ts';
import type { Sample } from './samples/sample.ts';
import { storage } from './storage.ts';

/** What GraphiQL starts with: the reader's tabs; at the first visit those of some samples; and a tab for a link's query. */
export function initialTabs(samples: readonly Sample[]) {
  const linked = takeLinkedQuery();
  const defaults = firstVisit(samples).map(toTab);
  return {
    defaultTabs: linked ? [{ ...linked, headers: null }, ...defaults] : defaults,
    ...(linked ? { initialQuery: linked.query, initialVariables: linked.variables } : lastTab()),
  };
}

/** Three samples to begin with: a typed query that joins forms, a typed mutation and the generic list. */
export function firstVisit(samples: readonly Sample[]): readonly Sample[] {
  const queries = samples.filter(({ group }) => group === 'Typed queries');
  const mutations = samples.filter(({ group }) => group === 'Typed mutations');
  // A form that is joined stands with its fields in one line.
  const joins = ({ query }: Sample) => query.match(/\{.+\}$/gm)?.length ?? 0;
  const query = queries.toSorted((one, other) => joins(one) - joins(other)).at(-1);
  const mutation = mutations.find(({ fill }) => fill === undefined) ?? mutations[0];
  const named = (name: string) => samples.find((sample) => sample.name === name);
  const chosen =
    query && mutation
      ? [query, mutation, named('ListInstances')]
      : ['ListForms', 'ListInstances', 'CreateInstance'].map(named);
  return chosen.filter((sample) => sample !== undefined);
}

/**
 * The content of the last active tab; `undefined` at the first visit.
 *
 * GraphiQL stores the open editor and the tabs apart and at different moments. Where they differ it takes the editor for
 * a new tab, so that a reload right after a run would double the tab. The tabs alone are believed here.
 */
function lastTab(): { initialQuery?: string; initialVariables?: string } {
  try {
    const stored: unknown = JSON.parse(storage.getItem('graphiql:tabState') ?? '{}');
    const { tabs, activeTabIndex } = stored as { tabs: readonly StoredTab[]; activeTabIndex: number };
    const { query, variables } = tabs[activeTabIndex] ?? {};
    return { initialQuery: query ?? '', initialVariables: variables ?? '' };
  } catch {
    return {};
  }
}

interface StoredTab {
  readonly query?: string | null;
  readonly variables?: string | null;
}

/** What the page does with the tabs. */
export function useTabs(samples: readonly Sample[]) {
  const { tabs, activeTabIndex } = useGraphiQL(({ tabs, activeTabIndex }) => ({ tabs, activeTabIndex }));
  const { moveTab, changeTab, closeTab } = useGraphiQLActions();
  const active = tabs[activeTabIndex];

  return {
    activeTitle: active?.title,

    /** Activates a sample's tab, and creates it if missing. */
    open(sample: Sample): void {
      const index = tabs.findIndex(({ title }) => title === sample.name);
      if (index < 0) moveTab([...tabs, newTab(toTab(sample), sample.name)]);
      changeTab(index < 0 ? tabs.length : index);
    },

    /** Turns to a new tab for a query. */
    add(tab: Pick<Tab, 'query' | 'variables'>): void {
      moveTab([...tabs, newTab({ ...tab, headers: null }, '<untitled>')]);
      changeTab(tabs.length);
    },

    /** Gives back the tabs of the first visit, each as it was. Tabs of the reader's own stay, behind them. */
    reset(): void {
      if (active === undefined) return;
      const own = tabs.filter(({ title, query }) => query && !samples.some(({ name }) => name === title));
      const first = firstVisit(samples).map((sample) => newTab(toTab(sample), sample.name));
      // GraphiQL lets tabs be reordered only around the active one: it goes first, and is closed at the end.
      moveTab([active, ...first, ...own.map((tab) => ({ ...tab, id: newId() }))]);
      changeTab(1);
      closeTab(0);
    },
  };
}

interface Tab {
  readonly query: string;
  readonly variables: string | null;
  readonly headers: null;
}

const toTab = ({ query, fill }: Sample): Tab => ({
  query,
  variables: fill === undefined ? null : emptyVariables(fill),
  headers: null,
});

const newTab = (tab: Tab, title: string) => ({
  ...tab,
  id: newId(),
  hash: [tab.query, tab.variables ?? '', ''].join('|'),
  title,
  operationName: title,
  response: null,
});

// Not crypto.randomUUID(), which browsers keep from pages that are served without TLS.
const newId = () => Math.random().toString(36).slice(2);

/** Keeps the active tab in view, and opens a link that is put into the page's address. */
export function TabStrip({ samples }: { readonly samples: readonly Sample[] }): null {
  const activeTabIndex = useGraphiQL(({ activeTabIndex }) => activeTabIndex);
  const { add } = useTabs(samples);

  useEffect(() => {
    document
      .getElementById(`graphiql-session-tab-${activeTabIndex}`)
      ?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [activeTabIndex]);

  useEffect(() => {
    const openLink = () => {
      const linked = takeLinkedQuery();
      if (linked) add(linked);
    };
    addEventListener('hashchange', openLink);
    return () => removeEventListener('hashchange', openLink);
  }, [add]);

  return null;
}
