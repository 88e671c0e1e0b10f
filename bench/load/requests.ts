import { CALLER } from '../test-bed.ts';

/**
 * An HTTP request with placeholders in its path, headers and body. `<n>` is the number of the
 * request, `<n+1>` and `<n/2>` are computed from it, and `<id>` is the id in the report.
 */
export interface RequestTemplate {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Creates a GraphQL request by POST. `variables` is JSON with placeholders. */
export const graphqlRequest = (
  query: string,
  variables = '{}',
  headers = CALLER,
): RequestTemplate => ({
  method: 'POST',
  path: '/graphql',
  headers: { 'content-type': 'application/json', ...headers },
  body: `{"query":${JSON.stringify(query)},"variables":${variables}}`,
});

const CREATE = 'createInstance(input: $input) { instance { instanceId } }';
/** A value for each required field of `thing`. */
const REQUIRED =
  '"owner":"1","amount":1,"quantity":1,"open":true,"title":"a","city":"a","street":"a","phone":"a","email":"a","note":"a"';
const creation = (id: string, key = '') =>
  `{"formId":"thing","values":{"creation":"${id}",${REQUIRED}}${key}}`;

/** A page of 20 instances: one call to the platform. */
export const PAGE = graphqlRequest(
  `query Page($page: Int!) {
    instances(formId: "thing", first: 20, page: $page) {
      totalCount
      pageInfo { hasNextPage }
      nodes { instanceId values can { update delete } }
    }
  }`,
  '{"page":<n+1>}',
);

/** One creation, which the platform writes to its ledger. */
export const CREATION = graphqlRequest(
  `mutation Create($input: CreateInstanceInput!) { ${CREATE} }`,
  `{"input":${creation('<id>')}}`,
);

/** One creation with its own idempotency key. */
export const KEYED_CREATION = graphqlRequest(
  `mutation Create($input: CreateInstanceInput!) { ${CREATE} }`,
  `{"input":${creation('<id>', ',"idempotencyKey":"<id>"')}}`,
);

/** The same creation twice in a row, with one idempotency key. */
export const CREATION_TWICE = graphqlRequest(
  `mutation Create($input: CreateInstanceInput!) { ${CREATE} }`,
  `{"input":${creation('twice-<n/2>', ',"idempotencyKey":"twice-<n/2>"')}}`,
);

/** Three creations, one after the other. */
export const CREATIONS = graphqlRequest(
  `mutation Create($a: CreateInstanceInput!, $b: CreateInstanceInput!, $c: CreateInstanceInput!) {
    ${['a', 'b', 'c'].map((name) => `${name}: ${CREATE.replace('$input', `$${name}`)}`).join(' ')}
  }`,
  `{${['a', 'b', 'c'].map((name) => `"${name}":${creation(`<id>-${name}`)}`).join(',')}}`,
);

/**
 * Four instances that each refer to the next, one call each. The first has the id `(n + 1) × 1000`.
 */
export const CHAIN = graphqlRequest(
  `query Chain($id: ID!) {
    instance(formId: "thing", instanceId: $id) {
      reference(field: "next") { reference(field: "next") { reference(field: "next") { id } } }
    }
  }`,
  '{"id":"<n+1>000"}',
);

/** The text of a request, ready to send. */
export interface WrittenRequest {
  readonly id: string;
  readonly text: string;
}

/** Returns a function that formats the requests of one template, numbered from `from`. */
export function createRequestWriter(
  { method, path, headers, body }: RequestTemplate,
  prefix: string,
  from: number,
) {
  const [fillPath, fillBody] = [compile(path), compile(body)];
  const lines = Object.entries({ host: '127.0.0.1', accept: 'application/json', ...headers })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  const fillHead = compile(lines);
  let next = from;
  return (): WrittenRequest => {
    const n = next++;
    const id = `${prefix}-${n}`;
    const filled = fillBody(n, id);
    const length = method === 'POST' ? `content-length: ${Buffer.byteLength(filled)}\r\n` : '';
    return {
      id,
      text: `${method} ${fillPath(n, id)} HTTP/1.1\r\n${fillHead(n, id)}${length}\r\n${filled}`,
    };
  };
}

function compile(text: string): (n: number, id: string) => string {
  const parts = text.split(/(<n>|<n\+1>|<n\/2>|<id>)/);
  if (parts.length === 1) return () => text;
  return (n, id) => {
    const values: Readonly<Record<string, string>> = {
      '<n>': String(n),
      '<n+1>': String(n + 1),
      '<n/2>': String(n >> 1),
      '<id>': id,
    };
    return parts.map((part, at) => (at % 2 === 1 ? values[part] : part)).join('');
  };
}
