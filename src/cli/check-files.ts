import type { GraphQLSchema } from 'graphql';

import { type AppConfig, documentRules, readConfig, readDocuments } from '../app.ts';
import type { Command } from '../command.ts';
import { createReport } from '../config/config.ts';
import { ConfigError, type Environment, readText } from '../config/load.ts';
import { TRANSPORT } from '../core-files.ts';
import { createConsoleLog, readGenericSchema } from './command.ts';

/** `caseway check-files`: whether a start would take the files that the settings name. */
export const checkFiles: Command = {
  name: 'check-files',
  summary: 'tells whether a start would take the keys, documents, roles, secrets and certificates of the settings',
  options: { generic: { type: 'boolean' } },
  readsSchema: true,
  usage: [
    'Usage: caseway check-files [--generic]',
    '',
    'Tells what a start would say about the files that the settings name: run it with the settings of the gateway, and with new',
    'files, before you roll them out. Documents are checked against the forms of the platform, read from it, or of the sandbox',
    'where no platform is set. It prints nothing that a secret file holds.',
    '',
    '  --generic  check documents against the graph without the forms’ types, without calls',
    '',
    'It ends with 0, with 1 where the forms cannot be read, and with 2 where a start would fail, with the path of each fault.',
  ].join('\n'),

  async run(context) {
    const config = withPaths(context.env, () => readConfig(context.env));
    const print = (what: string, text: string) => context.stdout(`ok  ${what}  ${text}`);
    for (const [what, text] of secretsOf(config)) print(what, text);
    const { features, settings } = config;
    const log = createConsoleLog(context.stderr);
    let schema: GraphQLSchema | undefined;
    const readGraph = async () => {
      schema ??= await (context.options['generic'] ? readGenericSchema(context) : context.readSchema());
      const graph = { current: () => ({ schema: schema as GraphQLSchema }) };
      return { graph, log, rules: documentRules(config), read: readText };
    };
    const problems: string[] = [];
    const found = [];
    for (const { checkFiles: check } of features) found.push(await check?.(readGraph, createReport(problems), log));
    if (problems.length > 0) throw new ConfigError(problems);
    for (const [what, text] of found.flatMap((lines = []) => lines)) print(what, text);
    if (settings.DOCUMENTS === undefined && settings.DOCUMENTS_MODE === 'off') return;
    const { length } = await readDocuments(config, await readGraph());
    print('DOCUMENTS', `${settings.DOCUMENTS}: ${length} documents`);
  },
};

/** Runs what reads settings, and adds the path of its file to each problem that lacks it. */
function withPaths<T>(env: Environment, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const problems = error.problems.map((problem) => {
      const name = /^\w+/.exec(problem)?.[0].replace(/_FILE$/, '');
      const path = env[`${name}_FILE`];
      return path && !problem.includes(path) ? `${problem} (${path})` : problem;
    });
    throw new ConfigError(problems);
  }
}

function secretsOf({ settings, secretFiles, callers }: AppConfig): readonly (readonly [what: string, text: string])[] {
  const keys = callers.auth === 'key' ? callers.keys.length : undefined;
  const ofSecrets = [...secretFiles].map(([name, path]) => {
    const count = name === 'CALLER_KEYS' && keys !== undefined ? `: ${keys || 'none: nobody is let in'}` : '';
    return [`${name}_FILE`, path + count] as const;
  });
  return [...ofSecrets, ...TRANSPORT.flatMap((name) => (settings[name] ? [[name, settings[name]] as const] : []))];
}
