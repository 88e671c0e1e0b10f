import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

import { listen } from './listen.ts';

/** A definition in the platform's format. */
export type Definition = Readonly<Record<string, unknown>> & { readonly idForm: string };

interface FormPlatformOptions {
  /** Whether the list of forms omits their fields, so that each form must be read on its own. */
  readonly isSummary?: boolean;
  /** The values of an instance, by its form and its number from 1. */
  readonly valuesOf?: (form: Definition, instance: number) => unknown;
}

/** A replacement for the response: another response, or a closed connection. */
export type Disturbance = 'cut' | { readonly status: number; readonly body: string };

/** Returns the replacement for the response to a call, or `undefined` to respond normally. */
export type Disturb = (method: string, path: string) => Disturbance | undefined;

/** How many instances each form has. */
const INSTANCES = 5;

/**
 * Starts a platform with these forms, which the test may change. Each form has five instances.
 * `calls` lists the paths of all calls except token calls, with the status unless it is 200.
 */
export async function startFormPlatform(
  forms: readonly Definition[],
  options: FormPlatformOptions = {},
) {
  const calls: string[] = [];
  const state = {
    forms,
    changedAtMs: Date.now() - 60_000,
    failing: undefined as RegExp | undefined,
    held: Promise.resolve(),
    disturb: (() => undefined) as Disturb,
  };
  /** The status of a call. Only definitions have a date: instances are new each time. */
  const statusOf = ({ headers }: IncomingMessage, { pathname }: URL): number => {
    if (state.failing?.test(pathname)) return 503;
    const sinceMs = Date.parse(headers['if-modified-since'] ?? '');
    const isUnchanged = sinceMs >= Math.floor(state.changedAtMs / 1_000) * 1_000;
    return isUnchanged && !pathname.includes('/instances') ? 304 : 200;
  };
  const answer = async (request: IncomingMessage, url: URL, response: ServerResponse) => {
    const status = statusOf(request, url);
    calls.push(`${decodeURIComponent(url.pathname)}${status === 200 ? '' : ` ${status}`}`);
    if (url.pathname.includes('/instances')) await state.held;
    const body = status === 200 ? bodyOf(url, state.forms, options) : {};
    response.setHeader('last-modified', new Date(state.changedAtMs).toUTCString());
    send(response, body === undefined ? 404 : status, body);
  };
  const server = createServer((request, response) => {
    request.resume();
    const url = new URL(request.url ?? '', 'http://platform');
    if (url.pathname === TOKEN_PATH)
      return send(response, 200, { access_token: 'token', expires_in: 3600 });
    const disturbance = state.disturb(request.method ?? '', request.url ?? '');
    if (disturbance === undefined) return void answer(request, url, response);
    if (disturbance === 'cut') return void request.socket.destroy();
    return response.writeHead(disturbance.status, JSON_TYPE).end(disturbance.body);
  });
  const url = await listen(server);
  return {
    calls,
    env: { UPSTREAM_URL: url, UPSTREAM_USERNAME: 'u', UPSTREAM_PASSWORD: 'p', TYPED_FORMS: '*' },
    /** Changes the forms from now on. */
    define(next: readonly Definition[]) {
      state.forms = next;
      state.changedAtMs = Date.now();
    },
    /** Disturbs calls from now on, but those for tokens. */
    disturb(by: Disturb) {
      state.disturb = by;
    },
    /** Keeps answers about instances back until the given function is called. */
    hold(): () => void {
      const { promise, resolve } = Promise.withResolvers<void>();
      state.held = promise;
      return resolve;
    },
    /** Lets calls with a matching path fail with 503 from now on, except token calls. */
    fail(failing: RegExp | undefined) {
      state.failing = failing;
    },
  };
}

/** Returns the body for a path, or `undefined` if nothing is there. */
function bodyOf(
  { pathname, searchParams }: URL,
  forms: readonly Definition[],
  { isSummary = false, valuesOf = () => ({}) }: FormPlatformOptions,
): unknown {
  const [, , , id = '', , instance] = pathname.split('/').map(decodeURIComponent);
  if (id === '') {
    const summaries = forms.map(({ fields: _, ...form }) => form);
    return pageOf(isSummary ? summaries : forms, searchParams);
  }
  const form = forms.find(({ idForm }) => idForm === id);
  if (form === undefined || !pathname.includes('/instances')) return form;
  const rows = Array.from({ length: INSTANCES }, (_, index) => ({
    idInstance: index + 1,
    values: valuesOf(form, index + 1),
  }));
  if (instance !== undefined) return rows.find(({ idInstance }) => String(idInstance) === instance);
  const [, searched] = /(?:^|,)idInstance=in:([^,]*)/.exec(searchParams.get('search') ?? '') ?? [];
  const ids = searched?.split('|');
  const found = rows.filter(({ idInstance }) => ids?.includes(String(idInstance)) ?? true);
  return pageOf(found, searchParams);
}

function pageOf(rows: readonly unknown[], query: URLSearchParams) {
  const size = Number(query.get('per-page') ?? 20);
  const from = (Number(query.get('page-number') ?? 1) - 1) * size;
  return { items: rows.slice(from, from + size), total: rows.length };
}

const TOKEN_PATH = '/v1.0/token';
const JSON_TYPE = { 'content-type': 'application/json' };

const send = (response: ServerResponse, status: number, body: unknown) =>
  response.writeHead(status, JSON_TYPE).end(status === 304 ? '' : JSON.stringify(body));
