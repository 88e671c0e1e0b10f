import { TEXT } from '../../config/setting-types.ts';
import type { SettingTable } from '../../config/settings.ts';

export const SETTINGS = {
  TYPED_FORMS: {
    group: 'Typed graph',
    type: TEXT,
    unit: 'form ids, comma-separated',
    whenUnset: 'all that the gateway can read',
    description:
      'The forms that get GraphQL types of their own; `*` stands for any characters, `!` before an id excludes it, `none` alone selects none.',
    isOfSchema: true,
  },
  TYPED_RULES: {
    group: 'Typed graph',
    type: TEXT,
    unit: 'component@version, comma-separated',
    description:
      'Rules that get mutations of their own, generated from their input parameters, for example `approval-level@1.0`.',
    isOfSchema: true,
  },
  TYPED_ALIASES: {
    group: 'Typed graph',
    type: TEXT,
    unit: 'JSON file',
    description: 'Names for types and fields, by form, instead of those derived from ids.',
    isOfSchema: true,
  },
  TYPED_SNAPSHOT: {
    group: 'Typed graph',
    type: TEXT,
    unit: 'JSON file',
    description:
      'The file in which form definitions are saved, so that the gateway can start while the platform is down.',
    isOfSchema: true,
  },
} as const satisfies SettingTable;
