import { z } from 'zod';

import { oneOf, TEXT } from '../../config/setting-types.ts';
import { valuesOf } from '../../config/settings.ts';
import type { Feature } from '../feature.ts';
import { rolesCommand } from './command.ts';
import { maxReservedOf, readRolesFile } from './file.ts';
import { createRoles } from './roles.ts';

const SETTINGS = z
  .object({
    ROLES: TEXT.optional().meta({
      unit: 'JSON file',
      whenUnset: 'every caller may do everything',
      description:
        'The permissions of callers with `IDENTITY=service`. All other actions are refused with `FORBIDDEN`.',
    }),
    ROLES_MODE: oneOf('enforce', 'log').default('enforce').meta({
      description:
        'Actions that a role does not allow: `enforce` refuses them, `log` runs and logs them.',
    }),
  })
  .meta({ title: 'Roles' });

const NO_ROLES =
  'ROLES is not set: every caller may do whatever the gateway’s own platform user may; see docs/roles.md';

/** Limits the permissions of callers by roles from a file. */
export const roles: Feature = {
  settings: SETTINGS,
  commands: [rolesCommand],
  configure({ settings, callers, env, report }) {
    const { ROLES: path, ROLES_MODE: mode } = valuesOf(settings, SETTINGS);
    if (path === undefined) {
      if (env['ROLES_MODE'])
        report.missing(
          'ROLES',
          'is needed with ROLES_MODE: without it every caller may do everything',
        );
      const isExposed = settings.NODE_ENV === 'production' && settings.IDENTITY === 'service';
      return isExposed ? { open: ({ log }) => void log.info(NO_ROLES) } : undefined;
    }
    const { IDENTITY, CALLER_AUTH = 'none' } = settings;
    if (IDENTITY !== 'service' || CALLER_AUTH === 'none') {
      report('ROLES', 'needs IDENTITY=service, and CALLER_AUTH=key or jwt, to identify the caller');
    }
    const maxReserved = maxReservedOf(settings);
    const file = report.file('ROLES', path, (content) =>
      readRolesFile(content, CALLER_AUTH, maxReserved),
    );
    return file && createRoles(file, { path, callers, mode, maxReserved });
  },
};
