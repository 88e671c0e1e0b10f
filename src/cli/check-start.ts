import type { GraphQLSchema } from 'graphql';

import { readConfig } from '../app.ts';
import type { AppConfig } from '../app-config.ts';
import type { CommandContext } from '../command.ts';
import { ConfigError, createReport } from '../config/load.ts';
import { readDocuments, TRANSPORT } from '../core-files.ts';
import { createConsoleLog } from './command.ts';

/**
 * Prints what a start would take of the files that the settings name, and nothing that a secret file holds. Documents and
 * roles are checked against the forms of the platform, read from it, or of the sandbox where no platform is set.
 *
 * @throws {ConfigError} with the path of each fault, where a start would fail.
 */
export async function checkStart({ env, stdout, stderr, readSchema }: CommandContext): Promise<void> {
  const config = readConfig(env);
  const print = (what: string, text: string) => stdout(`ok  ${what}  ${text}`);
  for (const [what, text] of secretsOf(config)) print(what, text);
  const { features, settings } = config;
  const log = createConsoleLog(stderr);
  let schema: GraphQLSchema | undefined;
  const readGraph = async () => {
    const read = schema ?? (await readSchema());
    schema = read;
    return { graph: { current: () => ({ schema: read }) }, log, rules: config.rules };
  };
  const problems: string[] = [];
  const found = [];
  for (const { checkFiles } of features) found.push(await checkFiles?.(readGraph, createReport(problems), log));
  if (problems.length > 0) throw new ConfigError(problems);
  for (const [what, text] of found.flatMap((lines = []) => lines)) print(what, text);
  if (settings.DOCUMENTS !== undefined || settings.DOCUMENTS_MODE !== 'off') {
    const { length } = await readDocuments({ settings, ...(await readGraph()) });
    print('DOCUMENTS', `${settings.DOCUMENTS}: ${length} documents`);
  }
  if (!schema) stdout('The forms of the platform were not read: nothing that is set is checked against them.');
  stdout('A start would take these settings. Whether the platform is as they say: caseway doctor.');
}

function secretsOf({ settings, secretFiles, callers }: AppConfig): readonly (readonly [what: string, text: string])[] {
  const keys = callers.auth === 'key' ? callers.keys.length : undefined;
  const ofSecrets = [...secretFiles].map(([name, path]) => {
    const count = name === 'CALLER_KEYS' && keys !== undefined ? `: ${keys || 'none: nobody is let in'}` : '';
    return [`${name}_FILE`, path + count] as const;
  });
  return [...ofSecrets, ...TRANSPORT.flatMap((name) => (settings[name] ? [[name, settings[name]] as const] : []))];
}
