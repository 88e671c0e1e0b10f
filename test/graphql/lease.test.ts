import { expect, it } from 'vitest';

import type { Idempotency } from '../../src/cache/idempotency.ts';
import { createScope } from '../../src/cache/scope.ts';
import { CacheStore } from '../../src/cache/store.ts';
import { UpstreamError } from '../../src/core/errors.ts';
import { createObservers } from '../../src/core/observers.ts';
import { RequestState } from '../../src/core/request-state.ts';
import { createContext } from '../../src/graphql/context.ts';
import { deleteFormIntance } from '../../src/upstream/resources/instances.ts';
import { failureOf, openPlatform } from '../upstream/support/open.ts';

it('a write whose lease has expired when it gets its connection is not sent, and no observer is notified', async () => {
  const { upstream, requests } = await openPlatform({ status: 204 });
  const lapsed = new UpstreamError('timeout', { operation: 'deleteFormIntance', isUnsent: true });
  const lease = {
    acquire: async () => undefined,
    check: () => {
      throw lapsed;
    },
    isTaken: () => false,
  };
  const idempotency: Idempotency = { run: (_change, execute) => execute(lease) };
  const observers = createObservers();
  const sent: number[] = [];
  observers.add({
    change: () => ({
      beforeSend: (attempt) => void sent.push(attempt),
      end: () => undefined,
      fail: () => undefined,
    }),
  });
  const { change } = createContext({
    observers,
    ids: { requestId: 'r' },
    client: {},
    requestState: new RequestState(),
    scope: createScope({ caller: 'none', upstream, store: new CacheStore(), idempotency }),
    session: {
      viewer: undefined,
      signIn: () => Promise.reject(lapsed),
      signOut: async () => undefined,
    },
  });
  const remove = (idempotencyKey?: string) =>
    change(deleteFormIntance, { formId: 'f', instanceId: '1' }, { idempotencyKey });

  expect(await failureOf(remove('k'))).toBe(lapsed);
  expect([requests.length, sent]).toEqual([0, []]);
  await remove();
  expect([requests.length, sent]).toEqual([1, [1]]);
});
