import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';

import { writeFolder } from '../support/folder.ts';
import { listen } from '../support/listen.ts';
import { type ConnectionFiles, readConnectionFiles } from './files.ts';

/** The fields of the form `order`, which every platform has. A platform shows them in its own way. */
export interface Order {
  readonly title: string;
  readonly amount: number;
  readonly paid: boolean;
  /** A day, such as `2026-03-31`. */
  readonly due: string | null;
  /** A UTC time, such as `2026-03-01T09:30:00`. */
  readonly placedAt: string | null;
  /** The id of an instance of the form `supplier`. */
  readonly supplier: number | null;
}

/** The fields of the form `supplier`. */
export interface Supplier {
  readonly company: string;
}

/** The orders of a platform at its start, by id. A page of the questions has two of them. */
export const ORDERS: Readonly<Record<number, Order>> = {
  1: {
    title: 'Desks',
    amount: 1299.25,
    paid: true,
    due: '2026-03-31',
    placedAt: '2026-03-01T09:30:00',
    supplier: 7,
  },
  2: { title: 'Lamps', amount: 80.5, paid: false, due: null, placedAt: null, supplier: null },
  3: {
    title: 'Chairs',
    amount: 450.75,
    paid: true,
    due: '2026-12-24',
    placedAt: '2026-12-01T18:00:00',
    supplier: 8,
  },
};

export const SUPPLIERS: Readonly<Record<number, Supplier>> = {
  7: { company: 'Acme' },
  8: { company: 'Brightwater' },
};

/** The order that the questions create; it gets the id 4. */
export const NEW_ORDER: Order = {
  title: 'Shelves',
  amount: 99.95,
  paid: false,
  due: '2026-05-02',
  placedAt: '2026-04-30T08:15:00',
  supplier: 7,
};

/** The change of order 2. */
export const CHANGE = { paid: true, due: '2026-06-30' } as const;

/** The values of the case that the questions start. */
export const NEW_CASE = { title: 'Desks', amount: 12.5 };

/** No platform has this supplier, and each refuses an order that names it. */
export const UNKNOWN_SUPPLIER = 999;

/** A response of a platform. The body is sent as JSON. */
export interface Answer {
  /** Default 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** The usual response after a request limit is exceeded. */
export const TOO_MANY: Answer = {
  status: 429,
  headers: { 'retry-after': '30' },
  body: { message: 'Too many requests' },
};

/** One page of a list. */
export interface Page {
  /** In the platform's shape. */
  readonly rows: readonly unknown[];
  /** The number of rows of all pages. */
  readonly total: number;
  /** The number of rows before this page. */
  readonly start: number;
  readonly size: number;
  readonly hasNext: boolean;
}

/** The members of a platform that `platforms.test.ts` reads. */
interface Described {
  readonly name: string;
  /** The content of its `dialect.json`, if it needs one. */
  readonly dialect?: object;
  /** Whether its lists state the number of all rows. */
  readonly hasTotal: boolean;
  /** The error of an order with `UNKNOWN_SUPPLIER`, as a client reads it. */
  readonly refusal: {
    readonly message: string | RegExp;
    readonly errorCode?: string;
    /** The fields that the platform named. */
    readonly fields?: readonly string[];
  };
  /** Whether the form `supplier` has a choice `state` of `open` and `paid`. Default `false`. */
  readonly hasChoice?: boolean;
  /** Whether its lists have the order that is requested. Default `true`. */
  readonly isSorted?: boolean;
  /** The bodies that it must get for `NEW_ORDER`, for `CHANGE`, and for `NEW_CASE` if it has cases. */
  readonly written?: {
    readonly create: unknown;
    readonly update: unknown;
    readonly startCase?: unknown;
  };
}

/** A platform as data: its responses to each operation of the interface. */
export interface PlatformData extends Described, ConnectionFiles {
  readonly dialect: object;
  /** How calls are authorized. Default `B`. */
  readonly variant?: 'A' | 'B';
  /** The members of user name and password in variant A. Default `username` and `password`. */
  readonly credentials?: readonly [username: string, password: string];
  /** The `grant_type` of variant B. Default `client_credentials`. */
  readonly grantType?: string;
  /** The paths of `{base_url}` and of `getToken` at the same host. */
  readonly basePath?: string;
  readonly tokenPath?: string;
  /** The response of `getToken`, for a token that the platform has just made. */
  token(token: string): Answer;
  /** The forms by id, as `getForms` lists them, and as `getForm` shows them. */
  readonly forms: Readonly<Record<string, object>>;
  readonly definitions: { readonly order: Answer; readonly supplier: Answer };
  /** One row, as a list shows it. */
  order(id: number, order: Order): unknown;
  supplier(id: number, supplier: Supplier): unknown;
  list(page: Page): Answer;
  /** One row on its own. Default: as in a list. */
  one?(row: unknown, id: number): Answer;
  created(row: unknown, id: number): Answer;
  updated(row: unknown, id: number): Answer;
  deleted(id: number): Answer;
  /** The response of `startCase`, for a case with the id 42. Default: it has no cases. */
  readonly startedCase?: Answer;
  /** The bodies of the responses of `getParameters` and `execute`, if it has rules. */
  readonly rule?: { readonly parameters: object; readonly outputs: object };
  /** The response for an unknown id or path. */
  readonly absent: Answer;
  /** The response to an order with `UNKNOWN_SUPPLIER`. */
  readonly refused: Answer;
  /** The response to every call after the request limit is exceeded. */
  readonly limited: Answer;
  /** The operators of `search`. Default: the dialect's defaults. */
  readonly operators?: Operators;
  /** The names of ids in `search`. Default: the dialect's defaults. */
  readonly searchedIds?: { readonly form: string; readonly instance: string };
  /** Whether it responds with 304 to each conditional request. Default `false`. */
  readonly isNeverModified?: boolean;
  /** The number of the first page. Default 1. */
  readonly firstPage?: number;
  /** The most rows of a page. Default 100. */
  readonly maxPageSize?: number;
  /** Whether it shortens a page that is too large, instead of refusing it. */
  readonly cutsPages?: boolean;
}

/** A call that reached the platform, except for `getToken`. */
export interface Call {
  readonly method: string;
  /** The path with the query, decoded. */
  readonly path: string;
  readonly body: string;
}

/** A platform that listens until the test or its file has ended. */
export interface RunningPlatform {
  /** The settings of a gateway for it. */
  readonly settings: Readonly<Record<string, string>>;
  readonly calls: Call[];
  /** Exceeds the request limit from now on. */
  exceedLimit(): void;
}

/** A platform for the table of questions. */
export interface Platform extends Described {
  start(): Promise<RunningPlatform>;
}

/** Describes a platform by its data, and by its files in `examples/platforms`. */
export const definePlatform = <Data extends Omit<PlatformData, keyof ConnectionFiles>>(
  data: Data,
) => {
  const described = { ...data, ...readConnectionFiles(data.name) };
  return { ...described, start: () => startPlatform(described) };
};

const USERNAME = 'purchasing';
/** Has characters that a Basic pair and a URL must carry unharmed. */
const PASSWORD = 'desk:lamp ü';
const DEFAULT_PAGE_SIZE = 20;

/** Starts a platform on the loopback address. It ends with the test. */
export async function startPlatform(data: PlatformData) {
  const { basePath = '', tokenPath = '/v1.0/token', variant = 'B', dialect, adapter } = data;
  const calls: Call[] = [];
  const tokens = new Set<string>();
  const state = { isLimited: false };
  const route = createRoutes(data);

  const signIn = (request: Received): Answer => {
    if (!isSignIn(request, data)) return { status: variant === 'A' ? 401 : 400, body: {} };
    const token = `token-${tokens.size + 1}`;
    tokens.add(variant === 'A' ? token : `Bearer ${token}`);
    return data.token(token);
  };
  const answer = (request: Received): Answer => {
    const { method, url, headers, body } = request;
    if (url.pathname === tokenPath) return signIn(request);
    calls.push({ method, path: decodeURIComponent(url.pathname + url.search), body });
    if (!tokens.has(headers.authorization ?? '')) return { status: 401, body: {} };
    checkHeaders(request, variant);
    if (state.isLimited) return data.limited;
    if (data.isNeverModified && headers['if-modified-since']) return { status: 304 };
    return route(request, url.pathname.slice(`${basePath}/v1.0/`.length));
  };

  const server = createServer(async (incoming, outgoing) => {
    const { method = '', url = '', headers } = incoming;
    const body = await text(incoming);
    const request = { method, url: new URL(url, 'http://platform'), headers, body };
    const response = orRefuse(() => answer(request));
    outgoing.writeHead(response.status ?? 200, {
      'content-type': 'application/json',
      ...response.headers,
    });
    outgoing.end(response.body === undefined ? undefined : JSON.stringify(response.body));
  });
  const origin = await listen(server);

  return {
    calls,
    settings: {
      UPSTREAM_URL: `${origin}${basePath}`,
      UPSTREAM_AUTH: variant === 'A' ? 'credentials' : 'basic',
      UPSTREAM_USERNAME: USERNAME,
      UPSTREAM_PASSWORD: PASSWORD,
      UPSTREAM_DIALECT: `${writeFolder({ 'dialect.json': dialect, ...adapter })}/dialect.json`,
    },
    exceedLimit() {
      state.isLimited = true;
    },
    /** Invalidates all issued tokens. */
    revokeTokens: () => tokens.clear(),
  };
}

/** Returns `answer()`, or 400 if the platform does not understand the request. */
function orRefuse(answer: () => Answer): Answer {
  try {
    return answer();
  } catch (error) {
    return { status: 400, body: { message: String(error) } };
  }
}

/** Whether a call of `getToken` has the credentials, in the way of the variant. */
function isSignIn({ headers, body }: Received, data: PlatformData): boolean {
  const { variant = 'B', credentials = ['username', 'password'], grantType } = data;
  const [username, password] = credentials;
  if (variant === 'A')
    return body === JSON.stringify({ [username]: USERNAME, [password]: PASSWORD });
  const pair = Buffer.from(`${USERNAME}:${PASSWORD}`).toString('base64');
  return (
    headers.authorization === `Basic ${pair}` &&
    body === `grant_type=${grantType ?? 'client_credentials'}`
  );
}

interface Received {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Checks the interface's "Common request headers". */
function checkHeaders({ headers, body }: Received, variant: 'A' | 'B'): void {
  const type = variant === 'A' || body !== '' ? 'application/json' : undefined;
  if (headers.accept === 'application/json' && headers['content-type'] === type) return;
  throw new Error(`Accept is ${headers.accept}, Content-Type is ${headers['content-type']}.`);
}

/** Creates the rows of a list by id. `show` puts one into the platform's shape. */
function createTable<Row extends object>(
  initial: Readonly<Record<string, Row>>,
  show: (id: string, row: Row) => unknown,
) {
  const rows = new Map(Object.entries(initial));
  const find = (id: string): unknown => {
    const row = rows.get(id);
    return row === undefined ? undefined : show(id, row);
  };
  return {
    rows,
    find,
    /** Returns the rows of a list in its order, in the platform's shape. */
    search(query: URLSearchParams, idField: string, data: PlatformData): unknown[] {
      const { operators = OPERATORS, isSorted = true } = data;
      const search = query.get('search') ?? '';
      const sort = isSorted ? (query.get('sort') ?? '') : '';
      return [...rows]
        .map(([id, row]) => ({ id, fields: { ...row, [idField]: Number(id) || id } }))
        .filter(({ fields }) => meetsAll(fields, search, operators))
        .sort((one, other) => compareBy(sort, one.fields, other.fields))
        .map(({ id }) => find(id));
    },
  };
}

/** Answers all operations but `getToken`. */
function createRoutes(data: PlatformData) {
  const { absent, startedCase = absent, firstPage = 1, maxPageSize = 100 } = data;
  const { searchedIds = { form: 'idForm', instance: 'idInstance' }, cutsPages = false } = data;
  const forms = createTable(data.forms, (_id, form) => form);
  const orders = createTable(ORDERS, (id, order) => data.order(Number(id), order));
  const suppliers = createTable(SUPPLIERS, (id, row) => data.supplier(Number(id), row));
  const tables = { order: orders, supplier: suppliers };

  const pageOf = (rows: readonly unknown[], query: URLSearchParams): Answer => {
    const asked = Number(query.get('per-page') ?? DEFAULT_PAGE_SIZE);
    const size = Math.min(asked, maxPageSize);
    const start = (Number(query.get('page-number') ?? firstPage) - firstPage) * size;
    if (start < 0 || (asked > size && !cutsPages)) throw new Error(`No page for ${query}.`);
    const total = rows.length;
    const hasNext = start + size < total;
    return data.list({ rows: rows.slice(start, start + size), total, start, size, hasNext });
  };

  const create = (body: string): Answer => {
    if (body.includes(String(UNKNOWN_SUPPLIER))) return data.refused;
    const id = orders.rows.size + 1;
    orders.rows.set(String(id), NEW_ORDER);
    return data.created(orders.find(String(id)), id);
  };

  const change = (method: string, id: string): Answer => {
    const before = orders.rows.get(id);
    if (before === undefined) return absent;
    if (method === 'DELETE') {
      orders.rows.delete(id);
      return data.deleted(Number(id));
    }
    orders.rows.set(id, { ...before, ...CHANGE });
    return data.updated(orders.find(id), Number(id));
  };

  const instances = (formId: 'order' | 'supplier', { method, url, body }: Received): Answer => {
    if (method === 'POST') return create(body);
    const found = tables[formId].search(url.searchParams, searchedIds.instance, data);
    return pageOf(found, url.searchParams);
  };
  const instance = (formId: 'order' | 'supplier', id: string, method: string): Answer => {
    if (method !== 'GET') return change(method, id);
    const row = tables[formId].find(id);
    if (row === undefined) return absent;
    return data.one ? data.one(row, Number(id)) : { body: row };
  };

  const single: Readonly<Record<string, Answer>> = {
    cases: startedCase,
    'rules/discount-1/get-parameters': { body: data.rule?.parameters },
    'rules/discount-1/execute': { body: data.rule?.outputs },
  };
  return (request: Received, path: string): Answer => {
    const { searchParams } = request.url;
    const only = single[path];
    if (only !== undefined) return only;

    const [, formId, hasInstances, id] = path.split('/');
    if (formId === undefined) {
      return pageOf(forms.search(searchParams, searchedIds.form, data), searchParams);
    }
    if (formId !== 'order' && formId !== 'supplier') return absent;
    if (hasInstances === undefined) return data.definitions[formId];
    return id === undefined ? instances(formId, request) : instance(formId, id, request.method);
  };
}

/** Operators of `search` by name. Each checks a value against the expected text. */
type Operators = Readonly<Record<string, (value: unknown, expected: string) => boolean>>;

const compare = (value: unknown, expected: string): number => {
  if (typeof value === 'number') return value - Number(expected);
  return String(value) < expected ? -1 : Number(String(value) > expected);
};

/** The operators of the sandbox. */
export const OPERATORS = {
  eq: (value, expected) => compare(value, expected) === 0,
  ne: (value, expected) => compare(value, expected) !== 0,
  gt: (value, expected) => compare(value, expected) > 0,
  ge: (value, expected) => compare(value, expected) >= 0,
  lt: (value, expected) => compare(value, expected) < 0,
  le: (value, expected) => compare(value, expected) <= 0,
  like(value, expected) {
    const pattern = expected.split('%').map(RegExp.escape).join('.*');
    return new RegExp(`^${pattern}$`).test(String(value));
  },
  in: (value, expected) => expected.split('|').includes(String(value)),
} as const satisfies Operators;

type Fields = Readonly<Record<string, unknown>>;

function meetsAll(row: Fields, search: string, operators: Operators) {
  const criteria = search.split(',').filter((criterion) => criterion !== '');
  return criteria.every((criterion) => {
    const [, field = '', word = '', expected = ''] = /^(\w+)=(\w+):(.*)$/.exec(criterion) ?? [];
    const holds = operators[word];
    if (holds === undefined || !(field in row)) throw new Error(`No search for ${criterion}.`);
    return holds(row[field], expected);
  });
}

function compareBy(sort: string, one: Fields, other: Fields): number {
  for (const key of sort.split(',').filter((part) => part !== '')) {
    const order = compare(one[key.slice(1)], String(other[key.slice(1)]));
    if (order !== 0) return key.startsWith('-') ? -order : order;
  }
  return 0;
}
