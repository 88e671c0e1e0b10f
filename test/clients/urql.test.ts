import { Client, fetchExchange } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { buildSchema, introspectionFromSchema } from 'graphql';
import { expect, it } from 'vitest';

import { DEAREST, FIRST, REJECT, startTypedGateway, WHERE } from './support.ts';

it('urql’s normalized cache knows the composed schema, and sees a change in every list that holds it', async () => {
  const { url, sdl } = await startTypedGateway();
  const warnings: string[] = [];
  const cache = cacheExchange({
    schema: introspectionFromSchema(buildSchema(sdl)),
    logger: (_severity, message) => warnings.push(message),
    keys: { Case: () => null },
  });
  const client = new Client({ url: `${url}/graphql`, preferGetMethod: false, exchanges: [cache, fetchExchange] });
  const variables = { where: WHERE, first: 2 };
  const read = () => client.query(DEAREST, variables, { requestPolicy: 'cache-first' }).toPromise();

  const first = await read();
  const changed = await client.mutation(REJECT, { instanceId: FIRST.instanceId }).toPromise();
  const second = await read();

  expect([first.error, changed.error, second.error]).toEqual([undefined, undefined, undefined]);
  expect(first.data.purchaseRequests.edges[0].node).toMatchObject(FIRST);
  expect(second.data.purchaseRequests.edges[0].node).toMatchObject({ ...FIRST, status: 'REJECTED' });
  expect(warnings).toEqual([]);
});
