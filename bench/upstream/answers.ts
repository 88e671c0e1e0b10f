import type { IncomingMessage } from 'node:http';

import { readCatalogue } from './catalogue.ts';

export interface Content {
  readonly status: number;
  readonly body: string;
  /** When it last changed, as HTTP says it; only where the platform tells. */
  readonly modified?: string;
}

const FORM = JSON.stringify({
  idForm: 'thing',
  name: 'Thing',
  fields: [
    { name: 'title', type: 'text' },
    { name: 'next', type: 'reference', reference: 'thing' },
  ],
});

/** Says what the platform answers to a call, which has no effect but that of a creation. */
export function answerTo({ method, url = '' }: IncomingMessage, nextId: () => number): Content {
  const [path = '', query = ''] = url.split('?');
  const [, , , , instances, id] = path.split('/');
  if (method === 'GET') {
    const content = readCatalogue(path, new URLSearchParams(query));
    if (content !== undefined) return content;
  }
  if (path === '/v1.0/forms/thing') return { status: 200, body: FORM };
  if (instances === undefined) return { status: 404, body: '{"message":"no such resource"}' };
  if (method === 'POST') return { status: 201, body: instance(nextId()) };
  if (method === 'GET' && id !== undefined) return { status: 200, body: instance(Number(id)) };
  if (method === 'GET') return { status: 200, body: page(new URLSearchParams(query)) };
  return { status: method === 'DELETE' ? 204 : 202, body: '' };
}

function page(query: URLSearchParams): string {
  const size = Number(query.get('per-page') ?? 20);
  const first = (Number(query.get('page-number') ?? 1) - 1) * size;
  const items = Array.from({ length: size }, (_, index) => instance(first + index));
  return `{"items":[${items.join(',')}],"total":2000000000}`;
}

function instance(id: number): string {
  const values = `{"title":"Thing number ${id}","amount":${id % 1_000},"state":"open","next":${id + 1},"note":"as ever"}`;
  const href = `/v1.0/forms/thing/instances/${id}`;
  return `{"idInstance":${id},"values":${values},"links":[{"rel":"self","href":"${href}","methods":["GET","PATCH"]}]}`;
}
