import type { Arguments, Workload } from './workloads.ts';

/** A request of a workload, whole but for its arguments: `FORM` and `PAGE` stand for them. */
export interface RequestTemplate {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The path of a workload at the servers that are no GraphQL. */
export function endpoint({ name, hasArguments }: Workload): RequestTemplate {
  const path = hasArguments ? `/${name}?formId=FORM&page=PAGE` : `/${name}`;
  return { method: 'GET', path, headers: {}, body: '' };
}

/** A GraphQL request; `idType` is what the server calls an id. */
export function graphql(
  { hasArguments }: Workload,
  query: string,
  {
    idType = 'ID!',
    headers = {},
  }: { readonly idType?: string; readonly headers?: Readonly<Record<string, string>> } = {},
): RequestTemplate {
  const text = query.replace('FORM_ID', idType);
  const variables = query.includes('$page') ? '{"formId":"FORM","page":PAGE}' : '{"formId":"FORM"}';
  const body = `{"query":${JSON.stringify(text)}${hasArguments ? `,"variables":${variables}` : ''}}`;
  return { method: 'POST', path: '/graphql', headers: { 'content-type': 'application/json', ...headers }, body };
}

/** Writes requests of one template, whole with their heads: all the same, or each with arguments of its own, from `from` on. */
export function createWriter(template: RequestTemplate, kind: Arguments, from: number): () => string {
  let next = from;
  const same = write(template, 0);
  return kind === 'equal' ? () => same : () => write(template, ++next);
}

function write({ method, path, headers, body }: RequestTemplate, n: number): string {
  const fill = (text: string) => text.replace('FORM', `thing-${n}`).replace('PAGE', String(n + 1));
  const filled = fill(body);
  const lines = Object.entries({ host: 'server', accept: 'application/json', ...headers })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  const length = method === 'POST' ? `content-length: ${filled.length}\r\n` : '';
  return `${method} ${fill(path)} HTTP/1.1\r\n${lines}${length}\r\n${filled}`;
}
