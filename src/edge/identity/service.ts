import type { Scope } from '../../store/scope.ts';
import type { CallerCheck } from '../callers/caller-check.ts';
import type { Identify } from './identify.ts';
import { noSignIn } from './no-sign-in.ts';

/** `IDENTITY=service`: everybody who may call sees what the gateway's own credentials may see, in one scope. */
export function identifyAsService(scope: Scope, checkCaller: CallerCheck): Identify {
  return async ({ headers }) => ({ scope, session: noSignIn(await checkCaller(headers)) });
}
