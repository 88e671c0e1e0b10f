import { TEXT } from '../../config/setting-types.ts';
import type { SettingTable } from '../../config/settings.ts';

export const SETTINGS = {
  EXTENSIONS: {
    group: 'Extensions',
    type: TEXT,
    unit: 'module or folder',
    whenUnset: 'the platform’s graph alone',
    description:
      'A TypeScript or JavaScript module with fields, types and resolvers of your own, or a folder of such modules.',
    isOfSchema: true,
  },
} as const satisfies SettingTable;
