const PAGE = `query Page($page: Int!) {
  instances(formId: "thing", first: 20, page: $page) {
    totalCount
    pageInfo { hasNextPage }
    nodes { instanceId values can { update delete } }
  }
}`;

const CREATE = `mutation Create($input: CreateInstanceInput!) {
  createInstance(input: $input) { instance { instanceId } }
}`;

const CHAIN = `query Chain($id: ID!) {
  instance(formId: "thing", instanceId: $id) {
    reference(field: "next") { reference(field: "next") { reference(field: "next") { id } } }
  }
}`;

const CHANGES = `mutation Changes($a: CreateInstanceInput!, $b: CreateInstanceInput!, $c: CreateInstanceInput!) {
  a: createInstance(input: $a) { instance { instanceId } }
  b: createInstance(input: $b) { instance { instanceId } }
  c: createInstance(input: $c) { instance { instanceId } }
}`;

const creation = (id: string) => ({ formId: 'thing', values: { mutation: id } });

/** Bodies of requests. Every `n` asks for something else, so that no answer can be shared. */
const OPERATIONS = {
  /** One call to the platform, 20 items. */
  page: (n: number) => ({ query: PAGE, variables: { page: n + 1 } }),
  /** One change, known in the platform's ledger by its id. */
  create: (_n: number, id: string) => ({
    query: CREATE,
    variables: { input: creation(id) },
  }),
  /** One change that is asked for twice, with the same key. */
  twice: (n: number) => {
    const id = `twice-${n >> 1}`;
    return { query: CREATE, variables: { input: { ...creation(id), idempotencyKey: id } } };
  },
  /** Calls to the platform that each need the one before: instances `n` thousand and the three after it. */
  chain: (n: number) => ({ query: CHAIN, variables: { id: String((n + 1) * 1_000) } }),
  /** Three changes, one after the other. */
  changes: (_n: number, id: string) => ({
    query: CHANGES,
    variables: { a: creation(`${id}-a`), b: creation(`${id}-b`), c: creation(`${id}-c`) },
  }),
} as const;

export type OperationName = keyof typeof OPERATIONS;

interface Writing {
  readonly operation: OperationName;
  readonly prefix: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Writes the requests of one stream, whole with their heads, numbered from `from`. */
export function createWriter({ operation, prefix, headers }: Writing, from = 0) {
  const head = ['POST /graphql HTTP/1.1', 'host: gateway', 'content-type: application/json', 'accept: application/json']
    .concat(Object.entries(headers).map(([header, value]) => `${header}: ${value}`))
    .join('\r\n');
  let count = 0;
  return () => {
    const n = from + count++;
    const id = `${prefix}-${n}`;
    const body = JSON.stringify(OPERATIONS[operation](n, id));
    return { id, text: `${head}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}` };
  };
}
