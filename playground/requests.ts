import type { Fetcher } from '@graphiql/toolkit';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { getOperationAST, Kind, OperationTypeNode, parse } from 'graphql';

import { fill, type Ids } from './samples/fill.ts';
import type { Sample } from './samples/sample.ts';

/** A GraphQL request in GraphiQL's format. */
export interface GraphqlRequest {
  readonly query: string;
  readonly operationName?: string | null;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
}

/** An error of a GraphQL response. */
export interface GraphqlError {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly locations?: readonly { readonly line: number; readonly column: number }[];
  readonly extensions?: {
    readonly code?: string;
    readonly violations?: readonly {
      /** The path from the field's argument: `["input", "values", "amount"]`. */
      readonly path: readonly (string | number)[];
      readonly message: string;
    }[];
  };
}

/** A GraphQL response. */
export interface GraphqlResponse {
  readonly data?: unknown;
  readonly errors?: readonly GraphqlError[];
  readonly extensions?: Readonly<Record<string, unknown>>;
}

export type Headers = Readonly<Record<string, string>>;

/** The calls to the platform that a response needed, as counted by the gateway. */
export interface Cost {
  readonly calls: number;
  readonly notModified: number;
  readonly coalesced: number;
  /** Reads served from the cache. */
  readonly fresh: number;
  /** The number of calls by the platform's operation. */
  readonly operations: Readonly<Record<string, number>>;
}

/** A response and its HTTP details. */
export interface Received {
  readonly response: GraphqlResponse;
  readonly status: number;
  readonly durationMs: number;
  /** The headers that the browser shows to scripts, sorted by name. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The length of the decompressed body. */
  readonly bytes: number;
}

/** The state of the last run in the open tab. */
export type Run =
  | { readonly state: 'running' }
  | { readonly state: 'failed' }
  | LiveRun
  | {
      readonly state: 'answered' | 'errors';
      readonly received: Omit<Received, 'response'>;
      /** `undefined` if the gateway rejected the request. */
      readonly cost: Cost | undefined;
      /** The ids that were filled into the variables. */
      readonly ids: Ids | undefined;
      readonly errors: readonly GraphqlError[];
    };

/** A running or ended subscription. */
export interface LiveRun {
  readonly state: 'live' | 'ended';
  readonly received: Pick<Received, 'status' | 'headers'>;
  readonly results: number;
  readonly lastResultAt: Date | undefined;
  readonly hasErrors: boolean;
  /** The number of polls of the platform, from the gateway's last heartbeat. */
  readonly polls: number | undefined;
  /**
   * Whether the gateway ended the stream as complete, so that running it again gives no more
   * results.
   */
  readonly isComplete: boolean;
}

export const ENDPOINT = new URL('graphql', document.baseURI);

/**
 * Sends one request to the gateway that serves this page.
 *
 * @throws {Error} when there is no response, or the response is not GraphQL, for example a proxy's.
 */
export async function send(
  request: GraphqlRequest,
  headers: Headers = {},
  signal?: AbortSignal,
): Promise<Received> {
  const startedAtMs = performance.now();
  const accept = 'application/graphql-response+json, application/json;q=0.9';
  return receive(await post(request, { ...headers, accept }, signal), startedAtMs);
}

function post(request: GraphqlRequest, headers: Headers, signal?: AbortSignal): Promise<Response> {
  return fetch(ENDPOINT, {
    method: 'POST',
    headers: {
      ...headers,
      // Proves to the gateway that a script of its own page sends this, not a form on another site.
      'x-csrf': '1',
      'content-type': 'application/json',
    },
    body: JSON.stringify(request),
    signal: signal ?? null,
  }).catch((cause: unknown) => {
    throw new Error(`The gateway at ${ENDPOINT} does not respond.`, { cause });
  });
}

async function receive(response: Response, startedAtMs: number): Promise<Received> {
  const body = await response.arrayBuffer();
  const durationMs = performance.now() - startedAtMs;
  const text = new TextDecoder().decode(body);
  const parsed = parseResponse(text);
  const { status } = response;
  if (parsed === undefined) {
    throw new Error(`HTTP ${status} without a GraphQL response: ${text.slice(0, 200)}`);
  }
  return {
    response: parsed,
    status,
    durationMs,
    headers: [...response.headers],
    bytes: body.byteLength,
  };
}

function parseResponse(text: string): GraphqlResponse | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isResponse(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const isResponse = (value: unknown): value is GraphqlResponse =>
  typeof value === 'object' && value !== null && ('data' in value || 'errors' in value);

interface FetcherOptions {
  readonly headers: Headers;
  readonly samples: readonly Sample[];
  readonly onRun: (run: Run | undefined) => void;
}

/**
 * Creates a fetcher that fills in the missing ids of a sample and sends GraphiQL's operations.
 *
 * It returns an observable, because GraphiQL unsubscribes when the user stops a run or opens
 * another tab. Then the request is aborted, so that its response cannot appear in the wrong tab.
 */
export function createFetcher(options: FetcherOptions): Fetcher {
  return (params) => ({
    subscribe(observer: unknown) {
      const { next, error, complete } = observer as Observer;
      const abort = new AbortController();
      const show = (response: GraphqlResponse) => abort.signal.aborted || next(response);
      run(params, { ...options, show }, abort.signal).then(
        () => abort.signal.aborted || complete(),
        (reason) => {
          if (abort.signal.aborted) return options.onRun(undefined);
          options.onRun({ state: 'failed' });
          // Without the error object, because GraphiQL would show its stack.
          error({ message: reason instanceof Error ? reason.message : String(reason) });
        },
      );
      return { unsubscribe: () => abort.abort() };
    },
  });
}

interface Observer {
  next(response: GraphqlResponse): void;
  error(reason: unknown): void;
  complete(): void;
}

interface RunOptions extends FetcherOptions {
  readonly show: (response: GraphqlResponse) => void;
}

async function run(
  params: GraphqlRequest,
  options: RunOptions,
  signal: AbortSignal,
): Promise<void> {
  const { headers, samples, onRun, show } = options;
  onRun({ state: 'running' });
  const request = withValidOperationName(params);
  if (kindOf(request) === OperationTypeNode.SUBSCRIPTION) return runLive(request, options, signal);
  const sample = samples.find(({ name }) => name === request.operationName);
  const filled = await fill(sample, request, (query) => send({ query }, headers, signal));
  const ids = filled && 'ids' in filled ? filled.ids : undefined;
  const sendFilled = () => {
    const variables = { ...request.variables, ...ids };
    return send({ ...request, variables }, { ...headers, 'x-caseway-explain': '1' }, signal);
  };
  const received = filled && 'failure' in filled ? filled.failure : await sendFilled();
  const { response, cost } = takeCost(received.response);
  const { errors = [] } = response;
  onRun({ state: errors.length > 0 ? 'errors' : 'answered', received, cost, ids, errors });
  show(response);
}

/** Runs a subscription until it ends or is stopped. */
async function runLive(
  request: GraphqlRequest,
  { headers, onRun, show }: RunOptions,
  signal: AbortSignal,
): Promise<void> {
  const startedAtMs = performance.now();
  const response = await post(request, { ...headers, accept: 'text/event-stream' }, signal);
  if (!response.body || !response.headers.get('content-type')?.startsWith('text/event-stream')) {
    const received = await receive(response, startedAtMs);
    const { errors = [] } = received.response;
    onRun({ state: 'errors', received, cost: undefined, ids: undefined, errors });
    return show(received.response);
  }
  const received = { status: response.status, headers: [...response.headers] };
  let live: LiveRun = {
    state: 'live',
    received,
    results: 0,
    lastResultAt: undefined,
    hasErrors: false,
    polls: undefined,
    isComplete: false,
  };
  const update = (changed: Partial<LiveRun>) => {
    live = { ...live, ...changed };
    onRun(live);
  };
  update({});
  const isComplete = await readResults(response.body, {
    onResult(result) {
      const hasErrors = result.errors !== undefined;
      update({ results: live.results + 1, lastResultAt: new Date(), hasErrors });
      show(result);
    },
    onPolls: (polls) => update({ polls }),
  });
  update({ state: 'ended', isComplete });
}

interface ResultHandlers {
  readonly onResult: (result: GraphqlResponse) => void;
  readonly onPolls: (polls: number) => void;
}

/**
 * Reads results in the format of GraphQL over SSE. The gateway's heartbeats are comments with the
 * number of its polls.
 *
 * @returns whether the gateway completed the stream.
 */
async function readResults(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  { onResult, onPolls }: ResultHandlers,
): Promise<boolean> {
  const onComment = (comment: string) => {
    const polls = /^(\d+) polls$/.exec(comment.trim())?.[1];
    if (polls !== undefined) onPolls(Number(polls));
  };
  const events = body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream({ onComment }))
    .getReader();
  for (;;) {
    const { value, done } = await events.read();
    if (done) return false;
    if (value.event === 'complete') return true;
    const result = parseResponse(value.data);
    if (value.event === 'next' && result) onResult(result);
  }
}

/** Removes the cost from a response, so that the pane shows the response of any client. */
function takeCost(response: GraphqlResponse): {
  response: GraphqlResponse;
  cost: Cost | undefined;
} {
  const { extensions, ...rest } = response;
  if (extensions === undefined) return { response, cost: undefined };
  const { upstream, ...otherExtensions } = extensions;
  const isEmpty = Object.keys(otherExtensions).length === 0;
  return {
    response: isEmpty ? rest : { ...rest, extensions: otherExtensions },
    cost: upstream as Cost | undefined,
  };
}

/**
 * Returns the kind of the operation that a request names, or `undefined` if the document or the
 * name is invalid.
 */
export function kindOf({ query, operationName }: GraphqlRequest): OperationTypeNode | undefined {
  try {
    return getOperationAST(parse(query), operationName)?.operation;
  } catch {
    return undefined;
  }
}

/**
 * Corrects the operation name if the document does not have it: right after a change of tabs
 * GraphiQL passes the last tab's name.
 */
export function withValidOperationName(request: GraphqlRequest): GraphqlRequest {
  try {
    const names = parse(request.query).definitions.flatMap((definition) =>
      definition.kind === Kind.OPERATION_DEFINITION ? [definition.name?.value] : [],
    );
    if (names.includes(request.operationName ?? undefined)) return request;
    return { ...request, operationName: names[0] };
  } catch {
    return request;
  }
}
