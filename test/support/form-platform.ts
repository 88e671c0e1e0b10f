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
  const statusOf = (request: IncomingMessage, url: URL): number => {
    if (state.failing?.test(url.pathname)) return 503;
    return isUnchanged(request, url, state.changedAtMs) ? 304 : 200;
  };
  const isDisturbed = (
    { method = '', url = '', socket }: IncomingMessage,
    response: ServerResponse,
  ): boolean => {
    const instead = url === TOKEN_PATH ? undefined : state.disturb(method, url);
    if (instead === 'cut') socket.destroy();
    else if (instead) response.writeHead(instead.status, JSON_TYPE).end(instead.body);
    return instead !== undefined;
  };
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    request.resume();
    const url = new URL(request.url ?? '', 'http://platform');
    if (url.pathname === TOKEN_PATH)
      return send(response, 200, { access_token: 'token', expires_in: 3600 });
    const status = statusOf(request, url);
    calls.push(`${decodeURIComponent(url.pathname)}${status === 200 ? '' : ` ${status}`}`);
    if (url.pathname.includes('/instances')) await state.held;
    const body = status === 200 ? bodyOf(url, state.forms, options) : {};
    response.setHeader('last-modified', new Date(state.changedAtMs).toUTCString());
    return send(response, body === undefined ? 404 : status, body);
  };
  const url = await listen(
    createServer((request, response) => {
      if (!isDisturbed(request, response)) void answer(request, response);
    }),
  );
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

/** Only definitions are dated: whatever an instance holds is new each time. */
function isUnchanged(
  { headers }: IncomingMessage,
  { pathname }: URL,
  changedAtMs: number,
): boolean {
  const sinceMs = Date.parse(headers['if-modified-since'] ?? '');
  return !pathname.includes('/instances') && sinceMs >= Math.floor(changedAtMs / 1_000) * 1_000;
}

function bodyOf(
  { pathname, searchParams }: URL,
  forms: readonly Definition[],
  options: FormPlatformOptions,
): unknown {
  const [, , , id = '', , instance] = pathname.split('/').map(decodeURIComponent);
  if (id === '')
    return pageOf(
      options.isSummary ? forms.map(({ fields: _, ...form }) => form) : forms,
      searchParams,
    );
  const form = forms.find(({ idForm }) => idForm === id);
  if (form === undefined || !pathname.includes('/instances')) return form;
  const rows = Array.from({ length: INSTANCES }, (_, index) => toRow(form, index + 1, options));
  if (instance !== undefined) return rows.find(({ idInstance }) => String(idInstance) === instance);
  const searchedIds = /(?:^|,)idInstance=in:([^,]*)/
    .exec(searchParams.get('search') ?? '')?.[1]
    ?.split('|');
  const found = rows.filter(
    ({ idInstance }) => searchedIds === undefined || searchedIds.includes(String(idInstance)),
  );
  return pageOf(found, searchParams);
}

const toRow = (
  form: Definition,
  idInstance: number,
  { valuesOf = () => ({}) }: FormPlatformOptions,
) => ({
  idInstance,
  values: valuesOf(form, idInstance),
});

function pageOf(rows: readonly unknown[], query: URLSearchParams) {
  const size = Number(query.get('per-page') ?? 20);
  const from = (Number(query.get('page-number') ?? 1) - 1) * size;
  return { items: rows.slice(from, from + size), total: rows.length };
}

const TOKEN_PATH = '/v1.0/token';
const JSON_TYPE = { 'content-type': 'application/json' };

const send = (response: ServerResponse, status: number, body: unknown) =>
  response.writeHead(status, JSON_TYPE).end(status === 304 ? '' : JSON.stringify(body));
