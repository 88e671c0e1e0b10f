import { ON_OFF, TEXT } from '../../config/setting-types.ts';
import type { SettingTable } from '../../config/settings.ts';

export const SETTINGS = {
  AUDIT_FILE: {
    group: 'Audit',
    type: TEXT,
    unit: 'path, or `-`',
    whenUnset: 'no audit',
    description:
      'Where a line is appended for each change before it is sent to the platform, and one for its outcome; `-` is standard output. A change whose line cannot be written is not sent.',
  },
  AUDIT_SYNC: {
    group: 'Audit',
    type: ON_OFF,
    unit: 'on, off',
    default: 'off',
    description:
      'Whether the line of a change is on the disk before the change is sent, so that it survives a loss of power. Costs a write of the disk for each line.',
  },
} as const satisfies SettingTable;
