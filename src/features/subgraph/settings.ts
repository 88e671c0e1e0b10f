import { ON_OFF } from '../../config/setting-types.ts';
import type { SettingTable } from '../../config/settings.ts';

export const SETTINGS = {
  FEDERATION: {
    group: 'Federation',
    type: ON_OFF,
    unit: 'on, off',
    default: 'off',
    description: 'Whether the graph is an Apollo Federation 2 subgraph, with `_service` and `_entities` for a router.',
    isOfSchema: true,
  },
} as const satisfies SettingTable;
