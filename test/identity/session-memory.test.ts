import { expect, it } from 'vitest';

import { collectGarbage } from '../support/collect-garbage.ts';
import { postGraphql, startGateway } from '../support/gateway.ts';
import { scriptPlatform } from '../support/scripted-platform.ts';
import { signInAs } from './support.ts';

const SESSIONS = 40;
/** A body of 190 kB that the operation does not use. */
const LARGE = { a: 'x'.repeat(95_000), b: 'x'.repeat(95_000) };

it('a session does not keep the request that opened it', async () => {
  let tokens = 0;
  const { env } = await scriptPlatform(
    () => ({}),
    () => `token-${tokens++}`,
  );
  const { url } = await startGateway({ UPSTREAM_URL: env.UPSTREAM_URL, IDENTITY: 'user' });
  const open = async () => {
    const headers = await signInAs(url, 'ann');
    const answer = await postGraphql(
      url,
      { query: '{ viewer { name } }', variables: LARGE },
      headers,
    );
    expect(answer.data).toEqual({ viewer: { name: 'ann' } });
  };
  await open();
  const before = collectGarbage();

  for (let count = 0; count < SESSIONS; count++) await open();

  // Their bodies are more than 7 MB.
  expect(collectGarbage() - before).toBeLessThan(3_500_000);
});
