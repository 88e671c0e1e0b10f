import type { Settings } from '../../config/settings.ts';
import { openForward } from './forward.ts';
import type { Identity, IdentityOptions } from './identity.ts';
import { openService } from './service.ts';
import { openUsers } from './sessions.ts';

const MODES = {
  service: openService,
  user: openUsers,
  forward: openForward,
} satisfies Record<Settings['IDENTITY'], (options: IdentityOptions) => Identity>;

/** The credentials of callers, as in `/playground/config.json`. */
type CallerCredentials = 'none' | 'api-key' | 'token' | 'platform-token' | 'session';

/**
 * Returns the kind of credentials that callers send. `none` if every client with network access may
 * call the gateway.
 */
export function credentialsOf({
  IDENTITY,
  CALLER_AUTH = 'none',
}: Pick<Settings, 'IDENTITY' | 'CALLER_AUTH'>): CallerCredentials {
  if (IDENTITY === 'user') return 'session';
  if (IDENTITY === 'forward') return 'platform-token';
  return ({ none: 'none', key: 'api-key', jwt: 'token' } as const)[CALLER_AUTH];
}

/** Creates the identity mode that `IDENTITY` selects. */
export const openIdentity = (options: IdentityOptions): Identity =>
  MODES[options.settings.IDENTITY](options);
