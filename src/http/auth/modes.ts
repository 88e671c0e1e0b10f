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

/** The credentials that callers send, as `/playground/config.json` names them for the page. */
type CallerCredentials = 'none' | 'api-key' | 'token' | 'platform-token' | 'session';

/** Returns the credentials that callers send; `none` if everybody who can reach the gateway may call it. */
export function credentialsOf({
  IDENTITY,
  CALLER_AUTH = 'none',
}: Pick<Settings, 'IDENTITY' | 'CALLER_AUTH'>): CallerCredentials {
  if (IDENTITY === 'user') return 'session';
  if (IDENTITY === 'forward') return 'platform-token';
  return ({ none: 'none', key: 'api-key', jwt: 'token' } as const)[CALLER_AUTH];
}

/** Opens the way of knowing who calls that `IDENTITY` names. */
export const openIdentity = (options: IdentityOptions): Identity =>
  MODES[options.settings.IDENTITY](options);
