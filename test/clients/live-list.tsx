/** A page with a live list, by the library that the address names. */
import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { ApolloProvider, useQuery as useApolloQuery } from '@apollo/client/react';
import { createConnection } from 'caseway/client';
import { createRetryLink } from 'caseway/client/apollo';
import { type LiveList, useLiveList as useApolloLiveList } from 'caseway/client/react-apollo';
import { useLiveList } from 'caseway/client/react-urql';
import { forwardSubscription } from 'caseway/client/urql';
import { useState } from 'react';
import { createRoot } from 'react-dom/client';
import {
  Client,
  cacheExchange,
  fetchExchange,
  Provider,
  subscriptionExchange,
  useQuery,
} from 'urql';

interface Suppliers {
  readonly suppliers: { readonly nodes: readonly { readonly id: string; readonly name: string }[] };
}

const SELECTION = 'suppliers(first: $first) { nodes { id name } }';
const query = gql(`query List($first: Int) { ${SELECTION} }`);
const subscription = gql(`subscription LiveList($first: Int) { ${SELECTION} }`);

interface ScreenProps {
  readonly data: Suppliers | undefined;
  readonly live: LiveList<unknown>;
}

function Screen({ data, live }: ScreenProps) {
  return (
    <main>
      <output>{live.connection}</output>
      <time>{live.staleSinceMs}</time>
      <p role="alert">{live.error === undefined ? '' : String(live.error)}</p>
      <ul>
        {data?.suppliers.nodes.map(({ id, name }) => (
          <li key={id}>{name}</li>
        ))}
      </ul>
    </main>
  );
}

interface ListProps {
  readonly variables: { readonly first: number };
  readonly isPaused: boolean;
}

function ApolloList({ variables, isPaused }: ListProps) {
  const { data } = useApolloQuery<Suppliers>(query, { variables });
  const live = useApolloLiveList({ query, subscription, variables, skip: isPaused });
  return <Screen data={data} live={live} />;
}

function UrqlList({ variables, isPaused }: ListProps) {
  const [{ data }] = useQuery<Suppliers>({ query, variables });
  const live = useLiveList<Suppliers, object>({ subscription, variables, pause: isPaused });
  return <Screen data={live.data ?? data} live={live} />;
}

function App() {
  const [first, setFirst] = useState(3);
  const [isPaused, setIsPaused] = useState(false);
  const List = location.hash === '#urql' ? UrqlList : ApolloList;
  return (
    <>
      <button type="button" onClick={() => setFirst(5)}>
        More
      </button>
      <button type="button" onClick={() => setIsPaused(!isPaused)}>
        Pause
      </button>
      <List variables={{ first }} isPaused={isPaused} />
    </>
  );
}

const url = '/graphql';
const apollo = new ApolloClient({
  cache: new InMemoryCache(),
  link: ApolloLink.from([createRetryLink(), new HttpLink({ uri: url })]),
});
const urql = new Client({
  url,
  preferGetMethod: false,
  exchanges: [
    cacheExchange,
    fetchExchange,
    subscriptionExchange({ forwardSubscription: forwardSubscription(createConnection({ url })) }),
  ],
});

createRoot(document.body).render(
  <ApolloProvider client={apollo}>
    <Provider value={urql}>
      <App />
    </Provider>
  </ApolloProvider>,
);
