import { ON_OFF, oneOf } from '../../config/setting-types.ts';
import type { SettingTable } from '../../config/settings.ts';

export const SETTINGS = {
  MCP: {
    group: 'MCP',
    type: oneOf('off', 'queries', 'all'),
    unit: 'off, queries, all',
    default: 'off',
    description:
      'Which trusted documents with a description are tools of the Model Context Protocol server at `/mcp`: none, queries alone, or mutations as well.',
  },
  MCP_CONFIRM: {
    group: 'MCP',
    type: ON_OFF,
    unit: 'on, off',
    default: 'on',
    description:
      'Whether a person confirms each mutation in the client before it runs. Clients that cannot ask a person are then refused.',
  },
} as const satisfies SettingTable;
