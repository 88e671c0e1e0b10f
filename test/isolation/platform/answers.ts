import type { Accounts } from './accounts.ts';
import { type Person, stampOf } from './people.ts';

/** A parsed request to the platform. */
export interface Request {
  readonly method: string;
  /** The path without its query, as sent. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: string;
  /** The time of a conditional request. `NaN` without a condition. */
  readonly sinceMs: number;
  /**
   * The number of writes to the form. Each write changes the content of all its instances, except
   * for their stamps.
   */
  readonly changes: number;
}

export interface Answer {
  readonly status: number;
  readonly body?: unknown;
}

const FORMS = '/v1.0/forms';

/**
 * Returns the response for a person. Every record has the person's stamp for the path of its own
 * resource.
 */
export function answerTo(request: Request, person: Person, accounts: Accounts): Answer {
  const [, , kind, id, below, instanceId] = request.path.split('/').map(decodeURIComponent);
  if (kind === 'rules') return answerRule(request, person);
  if (kind === 'cases')
    return { status: 201, body: { idCase: 7, note: stampOf(person, request.path) } };
  if (id === undefined) return { status: 200, body: formsFor(request, person, accounts) };
  const refusal = accounts.refusalOf(person, id);
  if (refusal !== undefined) return refuse(refusal, person, request.path);
  if (below === undefined) return { status: 200, body: formAt(id, person) };
  return instanceId === undefined
    ? answerInstances(request, id, person)
    : answerInstance(request, person, instanceId);
}

/** Returns a refusal whose message has a stamp too. */
export function refuse(status: number, person: Person | undefined, path: string): Answer {
  const word = person === undefined ? 'nobody' : stampOf(person, path);
  return { status, body: { message: `refused: ${word}`, errorCode: `E${status}` } };
}

function formsFor({ query }: Request, person: Person, accounts: Accounts) {
  const requestedIds =
    idsInSearch(query, 'idForm') ??
    [1, 2].map((number) => `${person.code.split('x')[0]}.list${number}`);
  const items = requestedIds
    .filter((id) => accounts.refusalOf(person, id) === undefined)
    .map((id) => formAt(id, person));
  return { items, total: items.length };
}

function formAt(id: string, person: Person) {
  const fields = [
    { name: 'stamp', type: 'text' },
    { name: 'next', type: 'reference', reference: id },
  ];
  return { idForm: id, name: stampOf(person, `${FORMS}/${encodeURIComponent(id)}`), fields };
}

function answerInstances(
  { method, path, query, changes }: Request,
  formId: string,
  person: Person,
): Answer {
  if (method === 'POST')
    return {
      status: 201,
      body: instanceAt(`${FORMS}/${encodeURIComponent(formId)}`, '5', person, { changes }),
    };
  const [, mark] = /^mark=eq:(.*)$/.exec(query.get('search') ?? '') ?? [];
  const ids = idsInSearch(query, 'idInstance') ?? ['1', '2'];
  const form = path.replace(/\/instances$/, '');
  const items = ids.map((id) => instanceAt(form, id, person, { mark, changes }));
  return { status: 200, body: { items, total: items.length } };
}

function answerInstance(
  { method, path, changes }: Request,
  person: Person,
  instanceId: string,
): Answer {
  const form = path.split('/').slice(0, 4).join('/');
  if (method === 'GET')
    return { status: 200, body: instanceAt(form, instanceId, person, { changes }) };
  return method === 'DELETE'
    ? { status: 204 }
    : { status: 202, body: { message: stampOf(person, path) } };
}

function instanceAt(form: string, idInstance: string, person: Person, values: object) {
  return {
    idInstance,
    values: { stamp: stampOf(person, `${form}/instances/${idInstance}`), next: '2', ...values },
  };
}

function answerRule({ path }: Request, person: Person): Answer {
  const stamp = stampOf(person, path);
  if (path.endsWith('/execute'))
    return { status: 200, body: [{ name: 'stamp', type: 'text', value: stamp }] };
  return { status: 200, body: { name: stamp, parameters: [] } };
}

/** The ids of an `in` condition in a search. */
function idsInSearch(query: URLSearchParams, field: string): string[] | undefined {
  const search = query.get('search') ?? '';
  return search.startsWith(`${field}=in:`) ? search.slice(field.length + 4).split('|') : undefined;
}
