import type { IdempotencyStore } from '../../cache/idempotency.ts';
import { type Scope, scopeKey } from '../../cache/scope.ts';
import type { CallerCheck } from '../callers/caller-check.ts';
import type { Identify } from './identify.ts';
import { noSignIn } from './no-sign-in.ts';

/**
 * `IDENTITY=service`: everybody who may call sees what the gateway's own credentials may see, in one scope. Only their names
 * for changes are their own, where callers are known: two who say the same name do not mean the same change.
 */
export function identifyAsService(scope: Scope, checkCaller: CallerCheck, changes: IdempotencyStore): Identify {
  return async ({ headers }) => {
    const viewer = await checkCaller(headers);
    const idempotency = viewer === undefined ? scope.idempotency : changes.forCaller(scopeKey('caller', viewer.name));
    return { scope: { ...scope, idempotency }, session: noSignIn(viewer) };
  };
}
