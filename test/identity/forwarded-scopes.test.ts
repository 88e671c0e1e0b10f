import type { FastifyReply, FastifyRequest } from 'fastify';
import { expect, it } from 'vitest';

import { createScopes, type Scope } from '../../src/cache/scope.ts';
import { authenticateByForwarding } from '../../src/http/auth/forward.ts';

const ROOM = 2;

/** Authentication with room for two callers; `accept` is the platform's word on a token. */
function startForwarding() {
  const accept = new Map<string, () => void>();
  const authenticate = authenticateByForwarding({
    scopes: createScopes({ max: ROOM, idleMs: 60_000 }),
    openScope(_key, authorization, onAccepted) {
      accept.set(authorization, onAccepted);
      return { cache: { clear: () => undefined } } as unknown as Scope;
    },
    anonymous: {} as Scope,
  });
  return {
    accept: (authorization: string) => accept.get(authorization)?.(),
    identify: (authorization: string) =>
      authenticate({ headers: { authorization } } as FastifyRequest, {} as FastifyReply),
  };
}

it('invented tokens evict no caller whose token the platform has accepted', async () => {
  const { identify, accept } = startForwarding();
  const first = await identify('Bearer ann');
  accept('Bearer ann');

  for (let count = 0; count < 10 * ROOM; count++) await identify(`Bearer made-up-${count}`);

  expect((await identify('Bearer ann')).scope).toBe(first.scope);
});

it('a caller is identified by name once the platform has accepted the token', async () => {
  const { identify, accept } = startForwarding();
  const before = await identify('Bearer ann');
  accept('Bearer ann');
  const after = await identify('Bearer ann');

  expect(before.key).toBeUndefined();
  expect(after.key).toBeDefined();
  expect((await identify('Bearer bob')).key).toBeUndefined();
});
