import { expect, it } from 'vitest';

import { executeAs, platformToken, READ, startPlatform, startWith } from './support.ts';

/** More than the gateway keeps of tokens that the platform has not accepted. */
const INVENTED = 1_050;

it('invented tokens evict no caller whose token the platform has accepted', async () => {
  const { url: UPSTREAM_URL, calls } = await startPlatform();
  const url = await startWith({ UPSTREAM_URL, IDENTITY: 'forward', TYPED_FORMS: 'none' });
  const authorization = await platformToken(UPSTREAM_URL, 'demo');
  await executeAs(url, READ, { authorization });

  for (let count = 0; count < INVENTED; count++) {
    await executeAs(url, '{ __typename }', { authorization: `Bearer made-up-${count}` });
  }
  calls.length = 0;

  expect((await executeAs(url, READ, { authorization })).data).toEqual({ form: { name: 'Supplier' } });
  expect(calls).toEqual([]);
});
