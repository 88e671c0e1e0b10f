import { storage } from './storage.ts';

/**
 * What the tab held that the reader last looked at; nothing at the first visit.
 *
 * The explorer stores the open editor and the tabs apart and at different moments. Where they differ it takes the
 * editor for a new tab, so that a reload right after a run would double the tab. The tabs alone are believed here.
 */
export function lastTab(): { initialQuery?: string; initialVariables?: string } {
  try {
    const stored: unknown = JSON.parse(storage.getItem('graphiql:tabState') ?? '{}');
    const { tabs, activeTabIndex } = stored as { tabs: readonly Stored[]; activeTabIndex: number };
    const { query, variables } = tabs[activeTabIndex] ?? {};
    return { initialQuery: query ?? '', initialVariables: variables ?? '' };
  } catch {
    return {};
  }
}

interface Stored {
  readonly query?: string | null;
  readonly variables?: string | null;
}
