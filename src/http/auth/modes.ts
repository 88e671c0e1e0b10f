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

/** Opens the way of knowing who calls that `IDENTITY` names. */
export const openIdentity = (options: IdentityOptions): Identity => MODES[options.settings.IDENTITY](options);
