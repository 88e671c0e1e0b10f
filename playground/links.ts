/** The query in a link. */
export interface LinkedQuery {
  readonly query: string;
  readonly variables: string;
}

/**
 * Returns the address of this page with a query in it, as `#query=…&variables=…`. Browsers do not
 * send the part after `#` to a server. Opening the link opens a tab and runs nothing. Credentials
 * are never part of it.
 */
export function toLink({ query, variables }: LinkedQuery): string {
  const parts = new URLSearchParams({ query });
  if (variables.trim() !== '') parts.set('variables', variables);
  const page = new URL(location.href);
  page.hash = parts.toString();
  return page.href;
}

/**
 * Returns the query in the page's address, and removes it there, so that a reload does not open it
 * again.
 */
export function takeLinkedQuery(): LinkedQuery | undefined {
  const parts = new URLSearchParams(location.hash.slice(1));
  const query = parts.get('query');
  if (query === null) return undefined;
  history.replaceState(null, '', location.pathname + location.search);
  return { query, variables: parts.get('variables') ?? '' };
}

/** Copies a text. On pages without TLS browsers allow this only for a selected text. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}
