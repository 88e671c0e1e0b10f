import { existsSync, readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

import { BESIDE_ANOTHER, readConfig } from '../app/index.ts';
import { findPlatform, tokenUrlOf } from '../app/open.ts';
import { ConfigError, type Environment } from '../config/load.ts';
import type { Transport } from '../config/transport.ts';
import { codeOf, messageOf, UpstreamError } from '../core/errors.ts';
import { isJsonObject, type JsonObject } from '../core/json.ts';
import type { Log } from '../core/log.ts';
import { steadyNow } from '../core/request-state.ts';
import { type Command, UsageError, writeJson } from '../features/command.ts';
import { isLoopback } from '../http/browser-security.ts';
import { createAdapt } from '../upstream/adapter/adapt.ts';
import { parseBody } from '../upstream/answer.ts';
import { type HttpResponse, headersOf, type Send } from '../upstream/call.ts';
import type { Dialect } from '../upstream/dialect.ts';
import { createConnect, createHttpClient } from '../upstream/http.ts';
import { getForms } from '../upstream/resources/forms.ts';
import { type Credentials, decodeToken, toSignIn } from '../upstream/sign-in.ts';
import type { Token } from '../upstream/token-provider.ts';
import { createConsoleLog, describePlatformProblem } from './command.ts';
import { Examination, type Finding, merge, type Report } from './doctor-check.ts';
import { pageOf, type Reads } from './doctor-platform.ts';
import { examineReads } from './doctor-reads.ts';
import { checkSharedState } from './shared-state.ts';

const SUBJECT_WIDTH = 11;
/** A note is printed for a certificate that expires within this time, in milliseconds. */
const CERTIFICATE_NOTE_MS = 14 * 86_400_000;

/**
 * `caseway doctor`: checks whether the gateway can work with its platform, and proposes changes.
 */
export const doctor: Command = {
  name: 'doctor',
  summary: 'checks settings, platform and dialect, and proposes changes',
  options: { json: { type: 'boolean' }, write: { type: 'string' } },
  usage: [
    'Usage: caseway doctor [--json] [--write FILE]',
    '',
    'Reads the settings as the gateway does, and checks Redis and the platform: TLS, token, forms,',
    'lists, values, errors, conditional requests, searches, order and pages. It changes nothing there. If the',
    'platform differs from UPSTREAM_DIALECT, it prints a new file: the old one with changes that the doctor has tried.',
    '',
    '  --json        print checks (verdict, subject, finding) and dialect (the file to use, or null) as JSON',
    '  --write FILE  write the proposed file, if there is one. An existing FILE is never overwritten',
    '',
    'Exit code: 0; 1 if a check failed, also with a written FILE; 2 for invalid settings or arguments, such as a',
    'FILE that exists or cannot be written.',
  ].join('\n'),

  async run({ env, options: { json, write }, stdout, stderr }) {
    if (existsSync(String(write ?? '')))
      throw new UsageError(
        `${write} exists, and is not overwritten: name another file, or remove it.`,
      );
    const print = json ? () => undefined : stdout;
    const checks: Finding[] = [];
    const report: Report = (verdict, subject, finding) => {
      checks.push({ verdict, subject, finding });
      print(`${verdict.padEnd(4)}  ${subject.padEnd(SUBJECT_WIDTH)}  ${finding}`);
    };
    await using resources = new AsyncDisposableStack();
    const proposed = await examine(env, { report, resources, log: createConsoleLog(stderr) });

    const dialect = proposed.length > 0 ? proposed.reduce(merge, readOwnDialect(env)) : null;
    if (json) stdout(JSON.stringify({ checks, dialect }, undefined, 2));
    if (dialect)
      print(
        `\nThe UPSTREAM_DIALECT file should contain:\n${JSON.stringify(dialect, undefined, 2)}`,
      );
    if (write !== undefined) stderr(writeDialect(String(write), dialect));
    const failed = new Set(
      checks.flatMap(({ verdict, subject }) => (verdict === 'FAIL' ? subject : [])),
    );
    const toUse =
      write === undefined
        ? '--write FILE writes it; set UPSTREAM_DIALECT to it'
        : `set UPSTREAM_DIALECT=${write}`;
    conclude(failed, dialect ? toUse : '', print);
  },
};

/**
 * Prints the next step.
 *
 * @param toUse how to use the proposed dialect; empty if there is no proposal.
 * @throws {UsageError} for invalid settings.
 * @throws {Error} if another check has failed.
 */
function conclude(failed: ReadonlySet<string>, toUse: string, print: (line: string) => void): void {
  if (failed.size === 0) {
    const better = toUse && ` With the dialect above it works better: ${toUse}.`;
    print(
      `\nThe gateway can work with this platform.${better} Start it with these settings: caseway start`,
    );
    return;
  }
  const next = toUse
    ? `The dialect above is a part of the solution: ${toUse}, and run the doctor again.`
    : 'Each FAIL line names the change to make.';
  const message = `\nFailed checks: ${[...failed].join(', ')}. ${next}`;
  throw failed.has('settings') ? new UsageError(message) : new Error(message);
}

/** Returns the content of the file of UPSTREAM_DIALECT. The file was checked with the settings. */
const readOwnDialect = ({ UPSTREAM_DIALECT: file }: Environment): JsonObject =>
  file ? JSON.parse(readFileSync(file, 'utf8')) : {};

/**
 * Writes the proposed dialect, and returns a sentence about it.
 *
 * @throws {UsageError} if the file cannot be written.
 */
function writeDialect(file: string, dialect: JsonObject | null): string {
  if (dialect === null) return `No dialect is proposed: ${file} is not written.`;
  writeJson(file, dialect, { isNew: true });
  return `The dialect is written to ${file}.`;
}

interface Parts {
  readonly report: Report;
  readonly resources: AsyncDisposableStack;
  readonly log: Log;
}

/** Runs all checks. Returns the proposed changes of the dialect. */
async function examine(env: Environment, parts: Parts): Promise<readonly JsonObject[]> {
  const { report, resources, log } = parts;
  const skip = (subject: string, why = 'not looked at'): readonly JsonObject[] => {
    report('skip', subject, why);
    return [];
  };
  const configured = await checkSettings(env, parts);
  if (configured === undefined) return skip('platform');
  const { config, url, credentials } = configured;
  const { UPSTREAM_TIMEOUT_MS: timeoutMs } = config.settings;
  await checkSharedState(config, url, (name, problem) =>
    report(problem ? 'FAIL' : 'ok', name, problem ?? 'takes writes'),
  );
  const issuer =
    tokenUrlOf(url, config.dialect) ?? new URL(`${url.replace(/\/+$/, '')}/v1.0/token`);

  for (const address of new Set([new URL(url).origin, issuer.origin])) {
    if (!(await checkConnection(new URL(address), config.transport, report))) return skip('token');
  }
  if (credentials === undefined) {
    return skip(
      'token',
      'callers sign in themselves; with UPSTREAM_USERNAME and UPSTREAM_PASSWORD all is checked',
    );
  }
  const connect = (address: string): Send => {
    const { send, close } = createHttpClient(address, config.transport);
    resources.defer(close);
    return send;
  };
  const examination = new Examination(config.dialect, report);
  const issued = await checkToken(credentials, {
    issuer,
    send: connect(issuer.origin),
    timeoutMs,
    examination,
  });
  if (issued === undefined) return skip('forms');

  const { variant } = issued;
  const { adapter } = config;
  const http = connect(url);
  const send = adapter ? createAdapt(adapter, { variant, log, isProduction: false })(http) : http;
  const checkValue =
    config.features.find((feature) => feature.checkValue)?.checkValue ?? (() => undefined);
  const readWith = ({ authorization }: Token): Reads => {
    const known = new Map<string, Promise<HttpResponse>>();
    return {
      checkValue,
      get(operation, args, dialect, headers = {}) {
        const query = operation.query?.(args, dialect) ?? '';
        const path = `/v1.0${operation.path(args)}${query}`;
        const key = JSON.stringify([path, args, headers]);
        const response =
          known.get(key) ??
          send({
            operation: operation.name,
            kind: 'read',
            args,
            method: operation.method,
            path,
            headers: { ...headersOf(variant, false), ...headers, authorization },
            endsAtMs: performance.now() + timeoutMs,
            sent: 1,
          });
        known.set(key, response);
        return response;
      },
    };
  };
  const token = await checkSecondToken(issued, readWith(issued.token), examination);
  await examineReads(readWith(token), examination);
  const { proposed, failed } = examination;
  // Only a readable list of forms proves that the token was accepted.
  if (proposed.length === 0 || failed.has('forms')) return [];

  // Changes were found one by one. They are now tried together, with new requests.
  const together = new Examination(examination.dialect, () => undefined, false);
  await examineReads(readWith(token), together);
  const spoilt = [...together.failed].filter((subject) => !failed.has(subject));
  if (spoilt.length === 0) return proposed;
  report(
    'FAIL',
    'dialect',
    `the changes found do not work together, so no dialect is proposed: ${spoilt.join(', ')} fails`,
  );
  return [];
}

async function checkSettings(env: Environment, { report, resources, log }: Parts) {
  try {
    // Checks the original settings, too: `BESIDE_ANOTHER` replaces some of them below.
    readConfig(env);
    const config = readConfig({ ...env, ...BESIDE_ANOTHER });
    const platform = await findPlatform(config, log, (close) => resources.defer(close));
    const { IDENTITY, UPSTREAM_AUTH, UPSTREAM_URL } = config.settings;
    const variant = UPSTREAM_AUTH === 'credentials' ? 'A' : 'B';
    report(
      'ok',
      'settings',
      `UPSTREAM_URL ${platform.url}, variant ${variant}, IDENTITY=${IDENTITY}`,
    );
    if (UPSTREAM_URL === undefined)
      report('note', 'settings', 'UPSTREAM_URL is not set, so this looks at the sandbox');
    return { config, ...platform };
  } catch (error) {
    const problems = error instanceof ConfigError ? error.problems : [messageOf(error)];
    for (const problem of problems) report('FAIL', 'settings', problem);
    return undefined;
  }
}

async function checkConnection(url: URL, transport: Transport, report: Report): Promise<boolean> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  try {
    const socket = await connectTo(url, host, transport);
    if (transport.proxy)
      report('ok', 'proxy', `${transport.proxy.host} opens tunnels to ${url.host}`);
    if (socket instanceof TLSSocket) checkCertificate(socket, report);
    else if (isLoopback(host)) report('ok', 'connection', `${url.host} takes connections`);
    else
      report(
        'note',
        'connection',
        'UPSTREAM_URL is http: credentials and data are not encrypted on their way',
      );
    socket.on('error', () => undefined).destroy();
    return true;
  } catch (error) {
    const subject = url.protocol === 'https:' ? 'TLS' : 'connection';
    const blamed = codeOf(error)?.startsWith('PROXY_') ? 'proxy' : subject;
    report('FAIL', blamed, `${url.origin}: ${describePlatformProblem(error)}`);
    return false;
  }
}

function connectTo(
  { origin, protocol, host, port }: URL,
  hostname: string,
  transport: Transport,
): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  createConnect(origin, transport)({ protocol, hostname, host, port }, (error, socket) =>
    error === null ? resolve(socket) : reject(error),
  );
  return promise;
}

function checkCertificate(socket: TLSSocket, report: Report): void {
  const end = socket.getPeerCertificate().valid_to;
  const isNearEnd = Date.parse(end) - Date.now() < CERTIFICATE_NOTE_MS;
  report(
    isNearEnd ? 'note' : 'ok',
    'TLS',
    `${socket.getProtocol()}, the certificate is valid until ${end}`,
  );
}

interface Issued {
  readonly token: Token;
  /** The sign-in variant of the interface that issued the token. */
  readonly variant: Credentials['variant'];
  /** Issues another token in the same way. */
  issue(): Promise<Token>;
}

interface TokenParts {
  /** The address of `getToken`. */
  readonly issuer: URL;
  readonly send: Send;
  /** The timeout of one request, in milliseconds. */
  readonly timeoutMs: number;
  readonly examination: Examination;
}

/**
 * Issues a token and reports the result. If only the other sign-in variant succeeds, it reports a
 * failure and returns that token.
 */
async function checkToken(
  credentials: Credentials,
  parts: TokenParts,
): Promise<Issued | undefined> {
  const { issuer, send, timeoutMs, examination } = parts;
  let answer: HttpResponse | undefined;
  const issue = async (given = credentials) => {
    const { dialect } = examination;
    const call = toSignIn(given, 'sign-in', issuer.pathname + issuer.search, dialect);
    call.endsAtMs = performance.now() + timeoutMs;
    answer = await send(call);
    return decodeToken(given, answer, dialect);
  };
  try {
    const token = await issue().catch((error: unknown) => {
      if (!proposeToken(error, answer, examination)) throw error;
      return issue();
    });
    describeToken(token, examination);
    return { token, variant: credentials.variant, issue };
  } catch (error) {
    const { dialect } = examination;
    const refusal = describeRefusal(error, answer, dialect);
    const other = isRefusal(answer) ? otherVariant(credentials, dialect) : undefined;
    const found = other && (await issue(other).catch(() => undefined));
    const advice = found
      ? `set UPSTREAM_AUTH=${other?.variant === 'A' ? 'credentials' : 'basic'}: as it is, `
      : '';
    examination.report('FAIL', 'token', advice + refusal);
    return found && other && { token: found, variant: other.variant, issue: () => issue(other) };
  }
}

/**
 * Checks whether the first token remains valid after a second one was issued. Returns a valid
 * token.
 */
async function checkSecondToken(
  { token: first, issue }: Issued,
  { get }: Reads,
  examination: Examination,
): Promise<Token> {
  const { report } = examination;
  const second = await issue().catch(() => undefined);
  if (second === undefined) {
    report(
      'note',
      'token',
      'a second one is not issued: a gateway that restarts has to wait for the first to expire',
    );
    return first;
  }
  if (second.authorization === first.authorization) {
    report('ok', 'token', 'a second sign-in gives the same one');
    return first;
  }
  // Other faults of the list of forms are reported by its own check.
  const answer = await get(getForms, pageOf({ perPage: 1 }), examination.dialect).catch(
    () => undefined,
  );
  if (answer?.status === 401) report('note', 'token', SECOND_ENDS_FIRST);
  else if (answer) report('ok', 'token', 'a second one leaves the first valid');
  return second;
}

const SECOND_ENDS_FIRST =
  'a second one ends the first: several replicas need REDIS_URL to share one, and no other program may sign in as this user';

const isRefusal = ({ status = 0 }: Partial<HttpResponse> = {}): boolean =>
  status >= 400 && status < 500;

/**
 * Returns the same user name and password for the other sign-in variant; `undefined` if the request
 * body does not contain them.
 */
function otherVariant(credentials: Credentials, { token }: Dialect): Credentials | undefined {
  if (credentials.variant === 'B') {
    const { username, password } = credentials;
    return { variant: 'A', body: { [token.username]: username, [token.password]: password } };
  }
  const { [token.username]: username, [token.password]: password } = credentials.body;
  if (typeof username !== 'string' || typeof password !== 'string') return undefined;
  return { variant: 'B', username, password };
}

/**
 * Proposes a change if a token response has no known member: the longest text in it is probably the
 * token. Returns whether it proposes one.
 */
function proposeToken(
  error: unknown,
  answer: HttpResponse | undefined,
  examination: Examination,
): boolean {
  const body = parseBody(answer?.text ?? '');
  if (!(error instanceof UpstreamError && error.failure === 'malformed' && isJsonObject(body)))
    return false;
  const texts = Object.entries(body).flatMap(([name, value]) =>
    typeof value === 'string' ? [{ name, value }] : [],
  );
  const [longest] = texts.sort((left, right) => right.value.length - left.value.length);
  if (longest === undefined) return false;
  examination.report(
    'FAIL',
    'token',
    `no token where the dialect looks for one; "${longest.name}" seems to be it`,
  );
  examination.propose({ token: { value: [longest.name] } });
  return true;
}

function describeToken(token: Token, { report }: Examination) {
  const seconds = Math.round((token.expiresAtMs - steadyNow()) / 1_000);
  if (token.statedExpiryMs !== undefined)
    return report('ok', 'token', `issued, valid for ${seconds} s`);
  report(
    'note',
    'token',
    `issued, without an expiry: assuming ${seconds} s, by token.assumedLifetimeMs`,
  );
}

function describeRefusal(
  error: unknown,
  answer: HttpResponse | undefined,
  dialect: Dialect,
): string {
  // nginx answers this way. With TLS 1.3, the handshake is complete before the server checks the
  // certificate.
  if (/SSL certificate/i.test(answer?.text ?? ''))
    return 'it wants another client certificate; check UPSTREAM_CERT_FILE';
  const body = parseBody(answer?.text ?? '');
  const said = isJsonObject(body)
    ? dialect.error.message.map((name) => body[name]).find(Boolean)
    : undefined;
  const problem = describePlatformProblem(error);
  return said && isRefusal(answer) ? `${problem} (${said})` : problem;
}
