import { oneOf, TEXT } from '../../config/setting-types.ts';
import type { SettingTable } from '../../config/settings.ts';

export const SETTINGS = {
  ROLES: {
    group: 'Roles',
    type: TEXT,
    unit: 'JSON file',
    whenUnset: 'every caller may do everything',
    description:
      'A file that says which callers may do what with `IDENTITY=service`. What it does not allow is refused with `FORBIDDEN`.',
  },
  ROLES_MODE: {
    group: 'Roles',
    type: oneOf('enforce', 'log'),
    unit: 'enforce, log',
    default: 'enforce',
    description: 'Whether what a role does not allow is refused, or done and logged.',
  },
} as const satisfies SettingTable;
