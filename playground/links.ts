import { OperationTypeNode } from 'graphql';

import { ENDPOINT, type GraphqlRequest, type Headers, kindOf } from './requests.ts';

/** A query as a link carries it. */
export interface LinkedQuery {
  readonly query: string;
  readonly variables: string;
}

/**
 * The address of this page with a query in it, as `#query=…&variables=…`. What follows `#` is sent to no server. It opens
 * a tab and runs nothing; credentials are never part of it.
 */
export function toLink({ query, variables }: LinkedQuery): string {
  const parts = new URLSearchParams({ query, ...(variables.trim() !== '' && { variables }) });
  const page = new URL(location.href);
  page.hash = parts.toString();
  return page.href;
}

/** The query of the page's own address, which it is taken out of, so that a reload does not open it again. */
export function takeLinkedQuery(): LinkedQuery | undefined {
  const parts = new URLSearchParams(location.hash.slice(1));
  const query = parts.get('query');
  if (query === null) return undefined;
  history.replaceState(null, '', location.pathname + location.search);
  return { query, variables: parts.get('variables') ?? '' };
}

/**
 * A command that sends the request from a POSIX shell. Headers stand in it by name alone, as shell variables to set:
 * commands are pasted where credentials should not be.
 */
export function toCurl(request: GraphqlRequest, headers: Headers): string {
  const lines = [
    `curl ${quote(ENDPOINT.href)}`,
    ...(kindOf(request) === OperationTypeNode.SUBSCRIPTION ? [`--no-buffer`, `-H 'accept: text/event-stream'`] : []),
    `-H 'content-type: application/json'`,
    ...Object.keys(headers).map((name) => `-H "${name}: $${name.toUpperCase().replace(/\W/g, '_')}"`),
    `-d ${quote(JSON.stringify(request))}`,
  ];
  return lines.join(' \\\n  ');
}

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Copies a text. Browsers keep the clipboard from pages without TLS, except by a selection. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}
