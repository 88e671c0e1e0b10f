import { useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { useEffect } from 'react';

import { takeLinkedQuery } from './links.ts';
import { emptyVariables } from './samples/fill.ts';
import type { Sample } from './samples/sample.ts';
import { storage } from './storage.ts';

/**
 * Returns GraphiQL's initial tabs: the user's stored tabs, or some samples at the first visit, and
 * a tab for the query of a link.
 */
export function initialTabs(samples: readonly Sample[]) {
  const linked = takeLinkedQuery();
  const defaults = firstVisit(samples).map(toTab);
  if (linked === undefined) return { defaultTabs: defaults, ...lastTab() };
  return {
    defaultTabs: [{ ...linked, headers: null }, ...defaults],
    initialQuery: linked.query,
    initialVariables: linked.variables,
  };
}

/**
 * Returns three samples to begin with: a typed query that joins forms, a typed mutation and the
 * generic list.
 */
export function firstVisit(samples: readonly Sample[]): readonly Sample[] {
  const queries = samples.filter(({ group }) => group === 'Typed queries');
  const mutations = samples.filter(({ group }) => group === 'Typed mutations');
  // A joined form has its fields on one line.
  const joins = ({ query }: Sample) => query.match(/\{.+\}$/gm)?.length ?? 0;
  const query = queries.toSorted((a, b) => joins(a) - joins(b)).at(-1);
  const mutation = mutations.find(({ fill }) => fill === undefined) ?? mutations[0];
  const byName = (name: string) => samples.find((sample) => sample.name === name);
  const chosen =
    query && mutation
      ? [query, mutation, byName('ListInstances')]
      : ['ListForms', 'ListInstances', 'CreateInstance'].map(byName);
  return chosen.filter((sample) => sample !== undefined);
}

/** Returns the query of a new tab: the first sample's, without its name. */
export function newTabQuery(samples: readonly Sample[]): string {
  return firstVisit(samples)[0]?.query.replace(/^query \w+ /m, '') ?? '';
}

/**
 * Returns the content of the last active tab, or nothing at the first visit.
 *
 * GraphiQL stores the editor's content and the tabs separately and at different moments. If they
 * differ it opens the editor's content as a new tab, so a reload right after a run would duplicate
 * the tab. So only the stored tabs are used.
 */
function lastTab(): { initialQuery?: string; initialVariables?: string } {
  try {
    const stored: unknown = JSON.parse(storage.getItem('graphiql:tabState') ?? '{}');
    const { tabs, activeTabIndex } = stored as {
      tabs: readonly StoredTab[];
      activeTabIndex: number;
    };
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

/** Returns the page's operations on tabs. */
export function useTabs(samples: readonly Sample[]) {
  const { tabs, activeTabIndex } = useGraphiQL(({ tabs, activeTabIndex }) => ({
    tabs,
    activeTabIndex,
  }));
  const { moveTab, changeTab, closeTab } = useGraphiQLActions();
  const active = tabs[activeTabIndex];

  return {
    activeTitle: active?.title,

    /** Opens a sample's tab and creates it if it is missing. */
    open(sample: Sample): void {
      const index = tabs.findIndex(({ title }) => title === sample.name);
      if (index < 0) moveTab([...tabs, newTab(toTab(sample), sample.name)]);
      changeTab(index < 0 ? tabs.length : index);
    },

    /** Opens a new tab with a query. */
    add(tab: Pick<Tab, 'query' | 'variables'>): void {
      moveTab([...tabs, newTab({ ...tab, headers: null }, '<untitled>')]);
      changeTab(tabs.length);
    },

    /** Restores the tabs of the first visit. The user's own tabs follow them. */
    reset(): void {
      if (active === undefined) return;
      const isOfSample = (title: string) => samples.some(({ name }) => name === title);
      const untouched = ['', newTabQuery(samples)];
      const userTabs = tabs.filter(
        ({ title, query }) => !untouched.includes(query ?? '') && !isOfSample(title),
      );
      const first = firstVisit(samples).map((sample) => newTab(toTab(sample), sample.name));
      // GraphiQL can reorder tabs only around the active one. So it goes first and is closed at the
      // end.
      moveTab([active, ...first, ...userTabs.map((tab) => ({ ...tab, id: newId() }))]);
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

// crypto.randomUUID() is missing on pages that are served without TLS.
const newId = () => Math.random().toString(36).slice(2);

/**
 * Keeps the active tab visible and its text in the editors, and opens a link when it is put into the
 * page's address.
 */
export function TabStrip({ samples }: { readonly samples: readonly Sample[] }): null {
  const { tabs, activeTabIndex, queryEditor, variableEditor } = useGraphiQL(
    ({ tabs, activeTabIndex, queryEditor, variableEditor }) => ({
      tabs,
      activeTabIndex,
      queryEditor,
      variableEditor,
    }),
  );
  const { add } = useTabs(samples);
  const active = tabs[activeTabIndex];

  // biome-ignore lint/correctness/useExhaustiveDependencies: the editors change a tab's text themselves
  useEffect(() => {
    if (!active || !queryEditor || !variableEditor) return;
    // GraphiQL opens a new tab empty, and loses a change of tabs while the editors load.
    const query = active.query ?? newTabQuery(samples);
    if (queryEditor.getValue() !== query) queryEditor.setValue(query);
    const variables = active.variables ?? '';
    if (variableEditor.getValue() !== variables) variableEditor.setValue(variables);
  }, [active?.id, queryEditor, variableEditor]);

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
