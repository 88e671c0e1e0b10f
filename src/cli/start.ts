import type { AppConfig } from '../app/config.ts';
import { readDocuments, TRANSPORT } from '../app/files.ts';
import { type RunningGateway, readConfig, startGateway } from '../app/index.ts';
import { ConfigError, createReport } from '../config/load.ts';
import { createLog } from '../core/log.ts';
import type { Command, CommandContext } from '../features/command.ts';
import type { SchemaVersion } from '../graphql/apollo-server.ts';
import { createConsoleLog, createLineLog, describePlatformProblem } from './command.ts';
import { standardOutput } from './log-output.ts';
import { checkSharedState } from './shared-state.ts';

/**
 * `caseway start`: runs the gateway, with a sandbox if no platform is configured. `--check` only
 * checks whether it would start.
 */
export const start: Command = {
  name: 'start',
  summary:
    'serves the gateway, with the sandbox behind it unless UPSTREAM_URL is set (the default)',
  options: { check: { type: 'boolean' } },
  usage: [
    'Usage: caseway [start] [--check]',
    '',
    'Serves GraphQL until it is stopped, by Ctrl+C or SIGTERM. Without UPSTREAM_URL a sandbox with sample data stands behind it.',
    '',
    '  --check  check whether a start would take settings, keys, documents, roles, extensions, secrets, certificates and',
    '           definitions of the sandbox, and whether Redis takes writes, and end',
    '',
    'Settings are environment variables, or lines of a file .env in this folder; caseway --help lists them.',
    'It ends with 0 when it was stopped or a start would take all, with 1 where it cannot serve, and with 2 for invalid settings or',
    'files: problems of settings are listed at once.',
  ].join('\n'),
  async run(context) {
    if (context.options['check']) return checkStart(context);
    const { env, isTerminal, stdout, stopped, signals } = context;
    const config = readConfig(env);
    const isReadable = isTerminal && config.settings.NODE_ENV !== 'production';
    const output = await standardOutput({ isReadable });
    const log = createLog(config.settings.LOG_LEVEL, output, isReadable);
    try {
      const gateway = await startGateway(config, log, signals, output.lost);
      if (config.settings.NODE_ENV === 'production') introduceAsJson(gateway, stdout);
      else introduce(gateway, stdout);
      gateway
        .checkToken()
        .catch((error: unknown) =>
          log.warn(`the platform issues no token: ${describePlatformProblem(error)}`),
        );
      await stopped;
      await gateway.close();
    } finally {
      await output.drain?.();
    }
  },
};

/** Prints the addresses as a JSON line of the log. */
function introduceAsJson(
  { url, metricsUrl, sandboxUrl }: RunningGateway,
  stdout: CommandContext['stdout'],
): void {
  const addresses = { url, metrics: metricsUrl, sandbox: sandboxUrl };
  createLineLog(stdout).info(addresses, `Caseway serves GraphQL at ${url}/graphql`);
}

function introduce(
  { url, metricsUrl, about, sampleUsers, isExplorable }: RunningGateway,
  stdout: CommandContext['stdout'],
): void {
  stdout(`Caseway serves GraphQL at ${url}/graphql`);
  if (isExplorable) {
    stdout(`  playground  ${url}/playground`);
    stdout(`  schema      ${url}/schema.graphql`);
  }
  stdout(`  health      ${url}/livez  ${url}/readyz`);
  if (metricsUrl) stdout(`  metrics     ${metricsUrl}  ${new URL('/status', metricsUrl)}`);
  for (const line of about) stdout(`  ${line}`);
  if (sampleUsers.length > 0) {
    const names = sampleUsers.map(({ username }) => username);
    stdout(`  its users   ${names.join(', ')}`);
  }
  stdout('Press Ctrl+C to stop.');
}

/**
 * Checks all files that the settings name, and prints a line for each. It does not print secrets.
 * Documents and roles are checked against the forms of the platform, or of the sandbox if no
 * platform is set.
 *
 * @throws {Error} if the forms cannot be read, or the state that replicas share is unavailable.
 * @throws {ConfigError} with the path of each problem that would prevent a start.
 */
async function checkStart({ env, stdout, stderr, readGraph }: CommandContext): Promise<void> {
  const config = readConfig(env);
  const print = (what: string, text: string) => stdout(`ok  ${what}  ${text}`);
  printSecrets(config, print);
  const { adapter, features, settings } = config;
  const platform = settings.UPSTREAM_URL;
  if (adapter) print('UPSTREAM_DIALECT', `${settings.UPSTREAM_DIALECT}: adapter ${adapter.name}`);
  const isShared = await checkSharedState(config, platform ?? '', (name, problem) => {
    if (problem === undefined) print(name, 'takes writes');
    else stderr(`${name}: ${problem}`);
  });
  const log = createConsoleLog(stderr);
  let version: SchemaVersion | undefined;
  const readOnce = async () => {
    const read = version ?? (await readGraph());
    version = read;
    return { graph: { current: () => read }, log, rules: config.rules };
  };
  const problems: string[] = [];
  const found = [];
  for (const { checkFiles } of features)
    found.push(await checkFiles?.(readOnce, createReport(problems), log));
  if (problems.length > 0) throw new ConfigError(problems);
  for (const [what, text] of found.flatMap((lines = []) => lines)) print(what, text);
  if (settings.DOCUMENTS !== undefined || settings.DOCUMENTS_MODE !== 'off') {
    const { length } = await readDocuments({ settings, ...(await readOnce()) });
    print('DOCUMENTS', `${settings.DOCUMENTS}: ${length} documents`);
  }
  if (!version)
    stdout('The forms of the platform were not read, so no setting was checked against them.');
  if (!isShared) throw new Error('A start would take these settings, but it would run standalone.');
  const about =
    platform === undefined ? 'the sandbox: UPSTREAM_URL is not set' : addressOf(platform);
  stdout(`A start would accept these settings. They are for ${about}`);
  stdout('To check the platform, run: caseway doctor');
}

/** Returns a URL without a password. */
function addressOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

function printSecrets(
  { settings, secretFiles, callers }: AppConfig,
  print: (what: string, text: string) => void,
): void {
  for (const [name, path] of secretFiles) {
    const isOfKeys = name === 'CALLER_KEYS' && callers.auth === 'key';
    print(
      `${name}_FILE`,
      isOfKeys ? `${path}: ${callers.keys.length || 'none: all callers are refused'}` : path,
    );
  }
  for (const name of TRANSPORT) if (settings[name]) print(name, settings[name]);
}
