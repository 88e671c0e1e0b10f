import { createServer } from 'node:http';
import { expect, it } from 'vitest';

import { postGraphql } from '../support/gateway.ts';
import { listen } from '../support/listen.ts';
import { runMain } from '../support/run.ts';
import { signIn } from './support.ts';

const SESSIONS = 200;
/** A body of 190 kB, of which the operation uses nothing. */
const LARGE = { a: 'x'.repeat(95_000), b: 'x'.repeat(95_000) };

/** A platform that gives a new token to whoever signs in. */
async function startPlatform(): Promise<string> {
  let tokens = 0;
  return listen(
    createServer((incoming, outgoing) => {
      incoming.resume();
      outgoing.setHeader('content-type', 'application/json');
      outgoing.end(JSON.stringify({ access_token: `token-${tokens++}`, expires_in: 3600 }));
    }),
  );
}

it('a session does not keep the request that opened it: 200 with large bodies stay within 60 MB', async () => {
  const { printed } = runMain([], {
    ...{ UPSTREAM_URL: await startPlatform(), IDENTITY: 'user', PORT: '0', TYPED_FORMS: 'none', LOG_LEVEL: 'silent' },
    NODE_OPTIONS: '--max-old-space-size=60',
  });
  const url = await printed(/GraphQL at (\S+)\/graphql/);
  const viewer = async (authorization: string) => {
    const body = JSON.stringify({ query: '{ viewer { name } }', variables: LARGE });
    const headers = { 'content-type': 'application/json', authorization };
    return (await fetch(`${url}/graphql`, { method: 'POST', headers, body })).json();
  };

  for (let count = 0; count < SESSIONS; count++) {
    const { data } = await postGraphql(url, JSON.stringify({ query: signIn('ann') }));
    expect(await viewer(`Bearer ${data.signIn.sessionToken}`)).toEqual({ data: { viewer: { name: 'ann' } } });
  }
}, 240_000);
