import { type Scope, type ScopeKey, type Scopes, scopeKey } from '../../cache/scope.ts';
import type { Identify } from './identify.ts';
import { noSignIn } from './no-sign-in.ts';

interface ForwardOptions {
  readonly scopes: Scopes;
  /** Makes the scope of the caller whose token this is: the whole `Authorization` header. */
  readonly openScope: (key: ScopeKey, authorization: string) => Scope;
  /** Sees nothing. */
  readonly nobody: Scope;
}

/** `IDENTITY=forward`: each caller brings the platform's token, which is passed on as it is. */
export function identifyByForwarding({ scopes, openScope, nobody }: ForwardOptions): Identify {
  const session = noSignIn(undefined);
  return async ({ headers: { authorization } }) => {
    if (!authorization) return { scope: nobody, session };
    const key = scopeKey('forward', authorization);
    return { scope: scopes.get(key, () => openScope(key, authorization)), session };
  };
}
