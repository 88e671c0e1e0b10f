import { type CallerKey, type PlatformLogin, readCallerKeys, readLogin } from '../config/config.ts';
import { ConfigError, readSecret } from '../config/load.ts';
import type { Settings } from '../config/settings.ts';
import { readTransport, type Transport } from '../config/transport.ts';
import { documentPlaces, type NamedDocument } from '../graphql/admission/documents.ts';
import type { PersistedDocuments } from '../graphql/admission/persisted-documents.ts';
import { readTrusted, type TrustedOptions } from '../graphql/admission/trusted-documents.ts';
import type { ApiKeys } from '../http/auth/callers.ts';
import type { Reload } from '../reload/reload.ts';
import type { UpstreamFactory } from '../upstream/index.ts';

interface CoreParts extends TrustedOptions {
  readonly settings: Settings;
  readonly secretFiles: ReadonlyMap<string, string>;
  readonly apiKeys: ApiKeys | undefined;
  /** Uses another login for the gateway's own calls. `undefined` if the gateway has no login. */
  readonly useLogin: ((login: PlatformLogin) => void) | undefined;
  /** Returns why a changed login does not work. */
  readonly loginProblem: (() => string | undefined) | undefined;
  readonly upstream: Pick<UpstreamFactory, 'useTransport'>;
  readonly documents: Pick<PersistedDocuments, 'replace'>;
}

const LOGIN = ['UPSTREAM_PASSWORD', 'UPSTREAM_CREDENTIALS'] as const;
/** The settings of files for the connection to the platform. */
export const TRANSPORT = [
  'UPSTREAM_CERT_FILE',
  'UPSTREAM_HEADERS_FILE',
  'UPSTREAM_CA_FILE',
] as const;

/** Adds the core's files that are reloaded when they change. */
export function addCoreFiles(files: Pick<Reload, 'add'>, parts: CoreParts): void {
  const { settings, secretFiles, apiKeys, useLogin, loginProblem, upstream, documents } = parts;
  const pathOf = (name: string): string => secretFiles.get(name) ?? '';
  const logins = LOGIN.filter((name) => secretFiles.has(name));
  const transports = TRANSPORT.filter((name) => settings[name] !== undefined);
  const { DOCUMENTS: folder } = settings;

  if (apiKeys && secretFiles.has('CALLER_KEYS')) {
    files.add<readonly CallerKey[]>({
      name: 'CALLER_KEYS_FILE',
      paths: () => [pathOf('CALLER_KEYS')],
      check: (report) =>
        readCallerKeys(readSecret('CALLER_KEYS', pathOf('CALLER_KEYS'), report), report),
      // A faulty line must not keep a removed key alive. A file without keys is a mistake.
      isUsableInPart: (keys) => keys.length > 0,
      swap: apiKeys.replace,
    });
  }
  if (useLogin && logins.length > 0) {
    const name = logins.map((login) => `${login}_FILE`).join(', ');
    files.add<PlatformLogin | undefined>({
      name,
      paths: () => logins.map(pathOf),
      check(report) {
        const secrets = logins.map((name) => [name, readSecret(name, pathOf(name), report)]);
        return readLogin({ ...settings, ...Object.fromEntries(secrets) }, report);
      },
      swap: (login) => login && useLogin(login),
      problem() {
        const problem = loginProblem?.();
        return problem && `${name}: ${problem}`;
      },
    });
  }
  if (transports.length > 0) {
    files.add<Transport>({
      name: transports.join(', '),
      paths: () => transports.map((name) => settings[name] ?? ''),
      check: (report) => readTransport(settings, report),
      swap: upstream.useTransport,
    });
  }
  if (folder === undefined) return;
  files.add<readonly NamedDocument[]>({
    name: 'DOCUMENTS',
    paths: () => documentPlaces(folder),
    check: (report) => readTrusted(parts, (problem) => report('DOCUMENTS', problem)),
    swap: documents.replace,
  });
}

/** Reads the trusted documents at the start. @throws {ConfigError} with all their problems. */
export async function readDocuments(options: TrustedOptions): Promise<readonly NamedDocument[]> {
  const problems: string[] = [];
  const documents = await readTrusted(options, (problem) => problems.push(`DOCUMENTS: ${problem}`));
  if (problems.length > 0) throw new ConfigError(problems);
  return documents;
}
