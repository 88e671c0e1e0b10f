import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';

import { listen } from '../../support/listen.ts';
import { canary, FORMS, type FormId, nextOf, TOTALS, type Verb } from './model.ts';

/** A change that reached the platform. */
export interface Change {
  readonly form: string;
  readonly verb: Verb;
  /** The instance, or the mark in its values. */
  readonly mark: string;
}

interface Answer {
  readonly status: number;
  readonly body?: unknown;
}

const VERB_OF: Readonly<Record<string, Verb>> = {
  POST: 'create',
  PUT: 'replace',
  PATCH: 'update',
  DELETE: 'delete',
};

/** Returns the body of a call. A call for a token has no body. */
async function readBody(request: IncomingMessage) {
  const body = await text(request);
  return body.startsWith('{') ? JSON.parse(body) : {};
}

/**
 * Starts a platform whose texts contain markers. It records changes, and the fields of searches.
 */
export async function startPlatform() {
  const changes: Change[] = [];
  const searched: string[] = [];
  const change = (form: string, verb: Verb, mark: string): Answer => {
    changes.push({ form, verb, mark });
    if (verb === 'create') return { status: 201, body: rowOf(form, '77') };
    return { status: verb === 'delete' ? 204 : 202 };
  };
  const read = (
    form: string,
    instance: string | undefined,
    { pathname, searchParams }: URL,
  ): Answer => {
    const search = searchParams.get('search') ?? '';
    searched.push(...fieldsIn(search, searchParams.get('sort') ?? ''));
    if (form === '') return { status: 200, body: listForms(search, searchParams) };
    if (!pathname.includes('/instances')) return { status: 200, body: definitionOf(form) };
    return {
      status: 200,
      body: instance ? rowOf(form, instance) : list(form, search, searchParams),
    };
  };
  const answer = async (request: IncomingMessage): Promise<Answer> => {
    const { method = '' } = request;
    const url = new URL(request.url ?? '', 'http://platform');
    const [, , kind = '', id = '', , instance] = url.pathname.split('/').map(decodeURIComponent);
    const body = await readBody(request);
    if (kind === 'token') return { status: 201, body: { access_token: 't', expires_in: 3600 } };
    if (kind === 'rules')
      return { status: 200, body: ruleOf(id, url.pathname.endsWith('/execute')) };
    if (kind === 'cases') return { status: 202, body: caseOf(body.idProcess) };
    const verb = VERB_OF[method];
    return verb ? change(id, verb, instance ?? String(body.values?.name)) : read(id, instance, url);
  };
  const server = createServer((request, response) => {
    void answer(request).then(({ status, body }) =>
      response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(body === undefined ? undefined : JSON.stringify(body)),
    );
  });
  return { url: await listen(server), changes, searched };
}

const fieldsIn = (search: string, sort: string): readonly string[] =>
  [
    ...search.split(',').map((part) => part.split('=')[0] ?? ''),
    ...sort.split(',').map((part) => part.slice(1)),
  ].filter(Boolean);

const definitionOf = (form: string) => ({
  idForm: form,
  name: form,
  description: canary('def', form),
  fields: [
    { name: 'name', label: `Name of ${form}`, type: 'text', maxLength: 40 },
    { name: 'link', label: 'Link', type: 'reference', reference: nextOf(form) },
  ],
});

const rowOf = (form: string, id: string) => ({
  idInstance: Number(id),
  values: { name: canary('val', form), link: 1 },
});

function list(form: string, search: string, query: URLSearchParams) {
  const ids = /(?:^|,)idInstance=(?:in|eq):([^,]*)/.exec(search)?.[1]?.split('|');
  const size = Number(query.get('per-page') ?? 20);
  const from = (Number(query.get('page-number') ?? 1) - 1) * size;
  if (ids)
    return { items: ids.slice(from, from + size).map((id) => rowOf(form, id)), total: ids.length };
  const total = TOTALS[form as FormId];
  const length = Math.max(0, Math.min(size, total - from));
  return {
    items: Array.from({ length }, (_, index) => rowOf(form, String(from + index + 1))),
    total,
  };
}

function listForms(search: string, query: URLSearchParams) {
  const conditions = search.split(',').filter(Boolean);
  const found = FORMS.filter((form) =>
    conditions.every((condition) => {
      const [, field, operator, value = ''] = /^(\w+)=(\w+):(.*)$/.exec(condition) ?? [];
      if (field !== 'idForm' && field !== 'name') return true;
      return operator === 'ne' ? form !== value : value.split('|').includes(form);
    }),
  );
  const size = Number(query.get('per-page') ?? 20);
  const from = (Number(query.get('page-number') ?? 1) - 1) * size;
  return { items: found.slice(from, from + size).map(definitionOf), total: found.length };
}

function ruleOf(segment: string, isExecuted: boolean) {
  const [rule = ''] = segment.split('-');
  const parameters = [{ name: canary('rule', rule), type: 'text', value: 'x' }];
  return isExecuted ? parameters : { name: rule, parameters };
}

const caseOf = (process = 'any') => ({ idCase: 1, cdActivity: 2, name: canary('case', process) });
