import type { RepeatsByCaller } from '../../store/repeats-by-caller.ts';
import type { Scope } from '../../store/scope.ts';
import { scopeKey } from '../../store/scopes.ts';
import type { CallerCheck } from '../callers/caller-check.ts';
import type { Identify } from './identify.ts';
import { noSignIn } from './no-sign-in.ts';

/**
 * `IDENTITY=service`: everybody who may call sees what the gateway's own credentials may see, in one scope. Only their names
 * for changes are their own, where callers are known: two who say the same name do not mean the same change.
 */
export function identifyAsService(scope: Scope, checkCaller: CallerCheck, repeatsOf: RepeatsByCaller): Identify {
  return async ({ headers }) => {
    const viewer = await checkCaller(headers);
    const repeats = viewer === undefined ? scope.repeats : repeatsOf(scopeKey('caller', viewer.name));
    return { scope: { ...scope, repeats }, session: noSignIn(viewer) };
  };
}
