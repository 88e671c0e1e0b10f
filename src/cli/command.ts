import { accessSync } from 'node:fs';

import { ALL_SETTINGS, BESIDE_ANOTHER, readConfig } from '../app/index.ts';
import { readGraph } from '../app/open.ts';
import type { Environment } from '../config/load.ts';
import { factsOf } from '../config/setting-types.ts';
import { codeOf } from '../core/errors.ts';
import { createLog, describeError, type Log } from '../core/log.ts';
import { type CommandContext, UsageError } from '../features/command.ts';
import type { SchemaVersion } from '../graphql/apollo-server.ts';

/**
 * Implements `readGraph` of `CommandContext`. Only settings that affect the schema are read, so
 * the settings of callers and limits are not required.
 */
export async function readPublicGraph(
  context: Omit<CommandContext, 'readGraph' | 'startGateway'>,
): Promise<SchemaVersion> {
  const { env, options, stderr } = context;
  const given = ofSchema(env);
  const log = createConsoleLog(stderr);
  const { snapshot, generic } = options;
  if (snapshot === undefined && !generic) {
    const config = readConfig({ ...given, ...BESIDE_ANOTHER });
    const version = await readGraph(config, log, 'platform');
    if (!version.schema.extensions.isPartial) return version;
    throw new Error(
      'The platform’s form definitions are unavailable, and TYPED_SNAPSHOT has none.',
    );
  }
  const instead = snapshot ? ofSnapshot(String(snapshot)) : { TYPED_FORMS: 'none' };
  const config = readConfig({ ...withoutPlatform(given), ...instead });
  const version = await readGraph(config, log, 'settings');
  if (!version.schema.extensions.isPartial) return version;
  throw new Error(`${snapshot} is not a snapshot of form definitions.`);
}

/** Returns the settings of `--snapshot FILE`. @throws {UsageError} if the file cannot be read. */
function ofSnapshot(file: string): Environment {
  try {
    accessSync(file);
  } catch (error) {
    throw new UsageError(`--snapshot: cannot read ${file}: ${codeOf(error)}`);
  }
  return { TYPED_SNAPSHOT: file };
}

const pick = (env: Environment, isPicked: (name: string) => boolean): Environment =>
  Object.fromEntries(Object.entries(env).filter(([name]) => isPicked(name)));

/**
 * Returns the settings that affect the schema. The platform's settings do, since the definitions
 * are read from it.
 */
function ofSchema(env: Environment): Environment {
  const names = ALL_SETTINGS.flatMap(factsOf).flatMap(({ name, isOfSchema }) =>
    isOfSchema ? name : [],
  );
  return pick(env, (name) => name.startsWith('UPSTREAM_') || names.includes(name));
}

const withoutPlatform = (env: Environment): Environment =>
  pick(env, (name) => name === 'UPSTREAM_DIALECT' || !name.startsWith('UPSTREAM_'));

/** A line of the log. `file` and `place` refer to an extension. */
interface LogLine
  extends Partial<
    Readonly<Record<'msg' | 'form' | 'field' | 'reason' | 'file' | 'place', string>>
  > {
  readonly types?: readonly string[];
  readonly err?: PlatformProblem;
}

/** Creates a log for the first lines of a production start, which `LOG_LEVEL` does not hide. */
export const createLineLog = (print: (line: string) => void): Log =>
  createLog('info', { write: (line) => print(line.trimEnd()) });

/** Creates a log for commands. It writes warnings as sentences to standard error. */
export function createConsoleLog(stderr: CommandContext['stderr']): Log {
  return createLog('warn', { write: (line) => stderr(sentence(JSON.parse(line))) });
}

function sentence({
  msg = 'an unknown problem',
  form,
  field,
  file,
  place,
  types,
  err,
  reason = err && describeProblem(err),
}: LogLine): string {
  const about = [form, field && `its field ${field}`, file, place, types?.join(', ')]
    .filter(Boolean)
    .join(', ');
  return `Warning: ${msg}${about && ` (${about})`}${reason === undefined ? '' : `: ${reason.replace(/\.$/, '')}`}.`;
}

/** The logged failure of the platform. */
interface PlatformProblem {
  readonly failure?: string;
  readonly status?: number;
  readonly code?: string;
  /** The code of the cause. */
  readonly cause?: string;
}

/**
 * Describes a failure of the platform in one line: the problem, the code of a failed connection or
 * the status, and the next step. The line contains no URL and no secret.
 */
export const describePlatformProblem = (error: unknown): string =>
  describeProblem(describeError(error));

function describeProblem({
  failure = 'unknown error',
  status,
  cause,
  code = cause,
}: PlatformProblem) {
  const unknown = `${code ? 'no connection' : failure}; ${OTHERWISE}`;
  const sentence =
    findSentence(PROBLEMS, code) ??
    findSentence(PROBLEMS, status === 404 ? 'not-found' : failure) ??
    unknown;
  return withCode(sentence, code ?? (status && `HTTP ${status}`));
}

/** The problem and the next step, by parts of error codes, separated by spaces. */
export type Sentences = readonly (readonly [words: string, sentence: string])[];

/** Returns the first sentence for a code. `undefined` if no sentence has a part of it. */
export const findSentence = (sentences: Sentences, code = ''): string | undefined =>
  sentences.find(([words]) => words.split(' ').some((word) => code.includes(word)))?.[1];

/** Adds a code to the problem in a sentence. */
export const withCode = (sentence: string, code: string | number | undefined): string =>
  code ? sentence.replace(';', ` (${code});`) : sentence;

const OTHERWISE =
  'check UPSTREAM_URL and that the platform is running; the gateway retries automatically';

/** The problem and the next step, by the error code of Node or undici, or by the failure. */
const PROBLEMS: Sentences = [
  // Codes of the proxy may contain another code.
  [
    'PROXY_STATUS_401 PROXY_STATUS_407',
    'the proxy refuses its credentials; check user name and password in UPSTREAM_PROXY',
  ],
  [
    'PROXY_STATUS_',
    'the proxy refuses the tunnel; it must allow CONNECT to host and port of UPSTREAM_URL, and reach them',
  ],
  [
    'PROXY_',
    'the proxy cannot be reached, or is none; check host and port in UPSTREAM_PROXY, and that the proxy is running',
  ],
  [
    'ENOTFOUND EAI_AGAIN',
    'its host name is unknown; check the name in UPSTREAM_URL and this machine’s DNS',
  ],
  [
    'ECONNREFUSED',
    'its host refuses the connection; check host and port in UPSTREAM_URL, and that the platform is running',
  ],
  [
    'ECONNRESET UND_ERR_SOCKET',
    'it closed the connection; check the scheme of UPSTREAM_URL, http or https, and UPSTREAM_CERT_FILE where it wants a client certificate',
  ],
  [
    'ETIMEDOUT UND_ERR_CONNECT_TIMEOUT UND_ERR_HEADERS_TIMEOUT timeout',
    'it does not respond in time; check UPSTREAM_URL, the network, and UPSTREAM_TIMEOUT_MS',
  ],
  [
    'ERR_SSL_WRONG_VERSION_NUMBER',
    'it does not speak TLS; check the scheme of UPSTREAM_URL, http or https',
  ],
  ['CERT_HAS_EXPIRED', 'its certificate has expired; it must be renewed on the platform'],
  [
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'its certificate is for another host; check the host name in UPSTREAM_URL',
  ],
  [
    'SELF_SIGNED_CERT UNABLE_TO_GET_ISSUER_CERT UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'its certificate is not trusted; check the host name in UPSTREAM_URL; add a private CA with UPSTREAM_CA_FILE',
  ],
  [
    'ALERT_CERTIFICATE ALERT_BAD_CERTIFICATE ALERT_UNSUPPORTED_CERTIFICATE ALERT_UNKNOWN_CA ALERT_HANDSHAKE',
    'it refuses the client certificate, or misses one; check UPSTREAM_CERT_FILE',
  ],
  [
    'unauthenticated',
    'it refuses the credentials; check UPSTREAM_USERNAME, UPSTREAM_PASSWORD or UPSTREAM_CREDENTIALS, UPSTREAM_AUTH, token.url in the file of UPSTREAM_DIALECT where tokens are issued elsewhere, and UPSTREAM_HEADERS_FILE where an API manager wants headers',
  ],
  [
    'forbidden',
    'it refuses the user, who may be locked; check the user of UPSTREAM_USERNAME at the platform',
  ],
  [
    'not-found',
    'there is no token operation; check the path of UPSTREAM_URL, or set token.url in the file of UPSTREAM_DIALECT',
  ],
  [
    'malformed',
    'its response is unreadable; check UPSTREAM_URL, UPSTREAM_AUTH and UPSTREAM_DIALECT',
  ],
  ['rate-limited', 'its request limit is exceeded; the gateway retries automatically'],
];
