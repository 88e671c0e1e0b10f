import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client/core';
import { buildSchema, type GraphQLSchema, isObjectType } from 'graphql';
import { expect, it } from 'vitest';

import { DEAREST, FIRST, REJECT, startTypedGateway, WHERE } from './support.ts';

it('Apollo Client keeps typed instances by their ids, and sees a change in every list that holds them', async () => {
  const { url, sdl } = await startTypedGateway();
  const cache = new InMemoryCache({ possibleTypes: possibleTypesOf(buildSchema(sdl)) });
  const client = new ApolloClient({ link: new HttpLink({ uri: `${url}/graphql` }), cache });
  const variables = { where: WHERE, first: 2 };
  const read = () => client.query({ query: gql(DEAREST), variables, fetchPolicy: 'cache-first' });

  const first = await read();
  await client.mutate({ mutation: gql(REJECT), variables: { instanceId: FIRST.instanceId } });
  const second = await read();

  expect(firstNode(first.data)).toMatchObject({ __typename: 'PurchaseRequest', ...FIRST });
  expect(firstNode(second.data)).toMatchObject({ ...FIRST, status: 'REJECTED' });
  expect(Object.keys(cache.extract())).toContain(`PurchaseRequest:${firstNode(first.data)?.id}`);
});

interface Data {
  readonly purchaseRequests: { readonly edges: readonly { readonly node: { readonly id: string } }[] };
}

const firstNode = (data: unknown) => (data as Data).purchaseRequests.edges[0]?.node;

/** Which types an interface stands for, as Apollo Client has to be told. */
const possibleTypesOf = (schema: GraphQLSchema): Record<string, string[]> =>
  Object.fromEntries(
    ['Instance', 'Node'].map((name) => [
      name,
      Object.values(schema.getTypeMap()).flatMap((type) =>
        isObjectType(type) && type.getInterfaces().some((one) => one.name === name) ? [type.name] : [],
      ),
    ]),
  );
