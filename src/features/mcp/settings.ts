import { oneOf } from '../../config/setting-types.ts';
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
} as const satisfies SettingTable;
