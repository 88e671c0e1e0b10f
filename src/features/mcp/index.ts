import { z } from 'zod';

import { oneOf } from '../../config/setting-types.ts';
import { valuesOf } from '../../config/settings.ts';
import { credentialsOf } from '../../http/auth/modes.ts';
import type { Feature } from '../feature.ts';

const SETTINGS = z
  .object({
    MCP: oneOf('off', 'queries', 'all').default('off').meta({
      description:
        'The trusted documents that are tools of the Model Context Protocol server at `/mcp`: `queries` alone, or `all` with mutations.',
    }),
  })
  .meta({ title: 'MCP' });

/** Serves `/mcp`: trusted documents as tools for agents. */
export const mcp: Feature = {
  settings: SETTINGS,
  configure(source) {
    const { MCP: mode } = valuesOf(source.settings, SETTINGS);
    if (mode === 'off') return undefined;
    checkSettings(source);
    const kinds = mode === 'all' ? ['query', 'mutation'] : ['query'];
    return {
      needsDocuments: 'is needed with MCP, whose tools are trusted documents',
      async checkDocuments(documents, log) {
        const { checkTools } = await import('./tools.ts');
        return checkTools(documents, kinds, log);
      },
      async open(gateway) {
        // The import is slow, so it runs only in gateways that use the feature.
        const { openMcp } = await import('./route.ts');
        openMcp(gateway, kinds);
      },
    };
  },
};

function checkSettings({ settings, report }: Parameters<Feature['configure']>[0]): void {
  const credentials = credentialsOf(settings);
  if (credentials === 'platform-token') {
    report(
      'MCP',
      'must be off with IDENTITY=forward: it does not pass on tokens that its clients hold for the platform',
    );
  }
  if (credentials === 'none' && settings.NODE_ENV === 'production') {
    report('MCP', 'needs CALLER_AUTH=jwt or key in production');
  }
  if (credentials !== 'token') return;
  for (const name of ['CALLER_JWT_AUDIENCE', 'CALLER_JWT_ISSUER'] as const) {
    if (settings[name] === undefined)
      report.missing(name, 'is needed with MCP and CALLER_AUTH=jwt');
  }
}
