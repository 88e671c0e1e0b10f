import { OperationTypeNode, parse, print, separateOperations } from 'graphql';

import { ENDPOINT, type GraphqlRequest, kindOf } from './requests.ts';

export const CLIENTS = ['cURL', 'fetch', 'caseway/client', 'Apollo Client', 'urql'] as const;

/**
 * Returns code that sends a request. A header has a placeholder instead of its value, because code
 * is often pasted where credentials must not be.
 */
export function codeFor(
  client: (typeof CLIENTS)[number],
  request: GraphqlRequest,
  headers: readonly string[],
): string {
  if (client === 'cURL') return toCurl(request, headers);
  const kind = kindOf(request) ?? OperationTypeNode.QUERY;
  const parts: Parts = {
    kind,
    query: `\`\n${onlyOperation(request).replace(/[`\\]|\$\{/g, '\\$&')}\n\``,
    variables: JSON.stringify(request.variables ?? {}, null, 2),
    url: `'${ENDPOINT.href}'`,
    headers: headers.map((name) => `'${name}': 'YOUR_${name.toUpperCase()}'`).join(', '),
  };
  if (client === 'Apollo Client') return toApollo(parts);
  if (client === 'urql') return toUrql(parts);
  const isStream = kind === OperationTypeNode.SUBSCRIPTION;
  return client === 'fetch' && !isStream ? toFetch(parts) : toConnection(parts);
}

/** Returns the document without operations that are not sent. */
function onlyOperation({ query, operationName }: GraphqlRequest): string {
  try {
    const operations = separateOperations(parse(query));
    const sent = operations[operationName ?? ''];
    return sent && Object.keys(operations).length > 1 ? print(sent) : query.trim();
  } catch {
    return query.trim();
  }
}

/** The parts of a request, as JavaScript. */
interface Parts {
  readonly kind: OperationTypeNode;
  readonly query: string;
  readonly variables: string;
  readonly url: string;
  /** The members of an object. */
  readonly headers: string;
}

/** Returns a command for a POSIX shell. The headers are shell variables to set. */
function toCurl(request: GraphqlRequest, headers: readonly string[]): string {
  const lines = [`curl ${quote(ENDPOINT.href)}`];
  if (kindOf(request) === OperationTypeNode.SUBSCRIPTION) {
    lines.push('--no-buffer', `-H 'accept: text/event-stream'`);
  }
  lines.push(`-H 'content-type: application/json'`);
  for (const name of headers) {
    lines.push(`-H "${name}: $${name.toUpperCase().replace(/\W/g, '_')}"`);
  }
  lines.push(`-d ${quote(JSON.stringify(request))}`);
  return lines.join(' \\\n  ');
}

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const toFetch = ({ query, variables, url, headers }: Parts): string => `const query = ${query};
const variables = ${variables};

const response = await fetch(${url}, {
  method: 'POST',
  headers: { 'content-type': 'application/json'${headers && `, ${headers}`} },
  body: JSON.stringify({ query, variables }),
});
const { data, errors } = await response.json();
console.log(errors ?? data);
`;

const toConnection = (parts: Parts): string => `// npm install caseway
import { createConnection } from 'caseway/client';

const query = ${parts.query};
const variables = ${parts.variables};

const connection = createConnection({
  url: ${parts.url},${parts.headers && `\n  headers: () => ({ ${parts.headers} }),`}
});
${
  parts.kind === OperationTypeNode.SUBSCRIPTION
    ? `const stop = connection.subscribe(query, variables, {
  next: ({ data, errors }) => console.log(errors ?? data),
  error: (error) => console.log(error),
  complete: () => console.log('The gateway has ended the subscription.'),
});`
    : 'console.log(await connection.request(query, variables));'
}
`;

const toApollo = (parts: Parts): string => `// npm install caseway @apollo/client graphql rxjs
import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { createIdempotencyLink, createRetryLink } from 'caseway/client/apollo';

const client = new ApolloClient({
  link: ApolloLink.from([
    createIdempotencyLink(),
    createRetryLink(),
    new HttpLink({ uri: ${parts.url}${parts.headers && `, headers: { ${parts.headers} }`} }),
  ]),
  cache: new InMemoryCache(),
});
const variables = ${parts.variables};
const ${parts.kind === OperationTypeNode.MUTATION ? 'mutation' : 'query'} = gql${parts.query};

${
  {
    query: 'console.log(await client.query({ query, variables }));',
    mutation: 'console.log(await client.mutate({ mutation, variables }));',
    subscription: 'client.subscribe({ query, variables }).subscribe(console.log);',
  }[parts.kind]
}
`;

const toUrql = ({ kind, query, variables, url, headers }: Parts): string =>
  `// npm install caseway @urql/core graphql wonka
import { cacheExchange, Client, fetchExchange, gql } from '@urql/core';
import { createIdempotencyExchange, createRetryExchange } from 'caseway/client/urql';

const client = new Client({
  url: ${url},
  preferGetMethod: false,
  exchanges: [
    cacheExchange,
    createIdempotencyExchange(),
    createRetryExchange(),
    fetchExchange,
  ],${headers && `\n  fetchOptions: { headers: { ${headers} } },`}${
    kind === OperationTypeNode.SUBSCRIPTION ? '\n  fetchSubscriptions: true,' : ''
  }
});
const variables = ${variables};
const document = gql${query};

client.${kind}(document, variables).subscribe(({ data, error }) => console.log(error ?? data));
`;
