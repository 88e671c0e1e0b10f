import { lookup } from 'node:dns/promises';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { isIP, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

import { BESIDE_ANOTHER, readConfig } from '../app.ts';
import { type Command, UsageError } from '../command.ts';
import { ConfigError, type Environment } from '../config/load.ts';
import type { Transport } from '../config/transport.ts';
import { codeOf, messageOf, UpstreamError } from '../core/errors.ts';
import { isJsonObject, type JsonObject } from '../core/json.ts';
import type { Log } from '../core/log.ts';
import { steadyNow } from '../core/work.ts';
import { isLoopback } from '../http/browser-security.ts';
import { findPlatform, tokenUrlOf } from '../parts.ts';
import { createAdapt } from '../upstream/adapter/adapt.ts';
import { parseBody } from '../upstream/answer.ts';
import { type HttpResponse, headersOf, type Send } from '../upstream/call.ts';
import { type Dialect, readDialect } from '../upstream/dialect.ts';
import { createConnect, createHttpClient } from '../upstream/http.ts';
import type { Read } from '../upstream/operation.ts';
import { getForms } from '../upstream/resources/forms.ts';
import { type Credentials, decodeToken, toSignIn } from '../upstream/sign-in.ts';
import type { Token } from '../upstream/token-source.ts';
import { createConsoleLog, describePlatformProblem } from './command.ts';
import { examineReads } from './doctor-reads.ts';

/** `note`: it works, and could be better. `skip`: it was not looked at. */
type Verdict = 'ok' | 'note' | 'FAIL' | 'skip';

/** The findings of a check, and the data it collects. */
interface Examination {
  report(verdict: Verdict, subject: string, finding: string): void;
  /** The configured dialect with all that was proposed so far, and with a change that is tried. */
  dialect(tried?: JsonObject): Dialect;
  /** Adds members to what the dialect should say. */
  propose(change: JsonObject): void;
  /** Gives what sends requests to an address. */
  connect(address: string): Send;
  /** Of one request. */
  readonly timeoutMs: number;
}

/** Reads of the platform, with a token. */
export interface Reads extends Examination {
  get<A>(operation: Read<A, unknown>, args: A, options?: GetOptions): Promise<HttpResponse>;
}

export interface GetOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** A change of the dialect by which the address is written. */
  readonly tried?: JsonObject | undefined;
}

const SUBJECT_WIDTH = 11;
/** A certificate that ends sooner is worth a note. */
const CERTIFICATE_NOTE_MS = 14 * 86_400_000;

/** `caseway doctor`: whether this gateway can work before its platform, and what to change where it cannot. */
export const doctor: Command = {
  name: 'doctor',
  summary: 'checks the settings, the platform and the dialect, and says what to change',
  options: { json: { type: 'boolean' }, write: { type: 'string' } },
  usage: [
    'Usage: caseway doctor [--json] [--write FILE]',
    '',
    'Reads the settings as the gateway does, and looks at the platform that they name: DNS, TLS, token, clock, forms, one list,',
    'conditional requests, searches, order, the longest page and the rows after an id. It changes nothing there. Where the platform',
    'differs from what UPSTREAM_DIALECT says, it prints the file to use: what that file says now, with what the doctor proposes.',
    '',
    '  --json        print checks (verdict, subject, finding) and dialect (the file to use, or null) as JSON',
    '  --write FILE  write the file to use there, where the doctor proposes any. A FILE that exists is refused: it is never',
    '                overwritten',
    '',
    'It ends with 0, with 2 for invalid settings or arguments (a FILE that exists or cannot be written), and with 1 where any',
    'other check failed, also when it has written the file.',
  ].join('\n'),

  async run({ env, options: { json, write }, stdout, stderr }) {
    if (existsSync(String(write ?? '')))
      throw new UsageError(`${write} exists, and is not overwritten: name another file, or remove it.`);
    const print = json ? () => undefined : stdout;
    const checks: { readonly verdict: Verdict; readonly subject: string; readonly finding: string }[] = [];
    const proposed: JsonObject[] = [];
    const report: Examination['report'] = (verdict, subject, finding) => {
      checks.push({ verdict, subject, finding });
      print(`${verdict.padEnd(4)}  ${subject.padEnd(SUBJECT_WIDTH)}  ${finding}`);
    };
    await using resources = new AsyncDisposableStack();
    await examine(env, { report, proposed, resources, log: createConsoleLog(stderr) });

    const dialect = proposed.length > 0 ? proposed.reduce(merge, readOwnDialect(env)) : null;
    if (json) stdout(JSON.stringify({ checks, dialect }, undefined, 2));
    if (dialect) print(`\nThe UPSTREAM_DIALECT file should contain:\n${JSON.stringify(dialect, undefined, 2)}`);
    if (write !== undefined) stderr(writeDialect(String(write), dialect));
    const failed = new Set(checks.flatMap(({ verdict, subject }) => (verdict === 'FAIL' ? subject : [])));
    const toUse =
      write === undefined ? '--write FILE writes it; set UPSTREAM_DIALECT to it' : `set UPSTREAM_DIALECT=${write}`;
    conclude(failed, dialect ? toUse : '', print);
  },
};

/**
 * Says what to do next.
 *
 * @param toUse how to use the dialect; empty where none is proposed.
 * @throws {UsageError} where settings are wrong. @throws {Error} where another check has failed.
 */
function conclude(failed: ReadonlySet<string>, toUse: string, print: (line: string) => void): void {
  if (failed.size === 0) {
    const better = toUse && ` With the dialect above it works better: ${toUse}.`;
    print(`\nThe gateway can work with this platform.${better} Start it with these settings: caseway start`);
    return;
  }
  const next = toUse
    ? `The dialect changes what it can: ${toUse}, and run the doctor again.`
    : 'Each FAIL line says what to change.';
  const message = `\nFailed checks: ${[...failed].join(', ')}. ${next}`;
  throw failed.has('settings') ? new UsageError(message) : new Error(message);
}

/** The content of the file of UPSTREAM_DIALECT, which the settings have been read from. */
const readOwnDialect = ({ UPSTREAM_DIALECT: file }: Environment): JsonObject =>
  file ? JSON.parse(readFileSync(file, 'utf8')) : {};

/** Gives a sentence about what became of the file. @throws {UsageError} where it cannot be written. */
function writeDialect(file: string, dialect: JsonObject | null): string {
  if (dialect === null) return `No dialect is proposed: ${file} is not written.`;
  try {
    writeFileSync(file, `${JSON.stringify(dialect, undefined, 2)}\n`, { flag: 'wx' });
    return `The dialect is written to ${file}.`;
  } catch (error) {
    throw new UsageError(`cannot write ${file}: ${codeOf(error) ?? 'unknown error'}`);
  }
}

interface Parts extends Pick<Examination, 'report'> {
  readonly proposed: JsonObject[];
  readonly resources: AsyncDisposableStack;
  readonly log: Log;
}

async function examine(env: Environment, { report, proposed, resources, log }: Parts): Promise<void> {
  const configured = await checkSettings(env, { report, resources, log });
  if (configured === undefined) return report('skip', 'platform', 'not looked at');
  const { config, url, credentials } = configured;
  const { UPSTREAM_TIMEOUT_MS: timeoutMs } = config.settings;
  const issuer = tokenUrlOf(url, config.dialect) ?? new URL(`${url.replace(/\/+$/, '')}/v1.0/token`);

  for (const address of new Set([new URL(url).origin, issuer.origin])) {
    if (!(await checkConnection(new URL(address), config.transport, report)))
      return report('skip', 'token', 'not looked at');
  }
  if (credentials === undefined) {
    const advice = 'with UPSTREAM_USERNAME and UPSTREAM_PASSWORD all is checked';
    return report('skip', 'token', `callers sign in themselves; ${advice}`);
  }
  const examination: Examination = {
    report,
    dialect: (tried = {}) => adjust(config.dialect, [...proposed, tried]),
    propose: (change) => void proposed.push(change),
    connect(address) {
      const { send, close } = createHttpClient(address, config.transport);
      resources.defer(close);
      return send;
    },
    timeoutMs,
  };
  const issued = await checkToken(credentials, issuer, examination);
  if (issued === undefined) return report('skip', 'forms', 'not looked at');

  const { variant } = issued;
  const { adapter } = config;
  const http = examination.connect(url);
  const send = adapter ? createAdapt(adapter, { variant, log, isProduction: false })(http) : http;
  const readWith = ({ authorization }: Token): Reads => ({
    ...examination,
    get(operation, args, { headers, tried } = {}) {
      const dialect = examination.dialect(tried);
      const query = operation.query?.(args, dialect) ?? '';
      return send({
        operation: operation.name,
        kind: 'read',
        args,
        method: operation.method,
        path: `/v1.0${operation.path(args)}${query}`,
        headers: { ...headersOf(variant, false), ...headers, authorization },
        endsAtMs: performance.now() + timeoutMs,
        sent: 1,
      });
    },
  });
  const token = await checkSecondToken(issued, readWith(issued.token));
  await examineReads(readWith(token));
}

async function checkSettings(env: Environment, { report, resources, log }: Omit<Parts, 'proposed'>) {
  try {
    // Those that a gateway beside others has of its own may be wrong as well.
    readConfig(env);
    const config = readConfig({ ...env, ...BESIDE_ANOTHER });
    const platform = await findPlatform(config, { log, resources });
    const { IDENTITY, UPSTREAM_AUTH, UPSTREAM_URL } = config.settings;
    const variant = UPSTREAM_AUTH === 'credentials' ? 'A' : 'B';
    report('ok', 'settings', `UPSTREAM_URL ${platform.url}, variant ${variant}, IDENTITY=${IDENTITY}`);
    if (UPSTREAM_URL === undefined) report('note', 'settings', 'UPSTREAM_URL is not set, so this looks at the sandbox');
    return { config, ...platform };
  } catch (error) {
    const problems = error instanceof ConfigError ? error.problems : [messageOf(error)];
    for (const problem of problems) report('FAIL', 'settings', problem);
    return undefined;
  }
}

async function checkConnection(url: URL, transport: Transport, report: Examination['report']): Promise<boolean> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  // Behind a proxy the name is the proxy's to look up.
  let subject = 'DNS';
  try {
    if (!transport.proxy) report('ok', 'DNS', await lookUp(host));
    subject = url.protocol === 'https:' ? 'TLS' : 'connection';
    const socket = await connectTo(url, host, transport);
    if (transport.proxy) report('ok', 'proxy', `${transport.proxy.host} opens tunnels to ${url.host}`);
    if (socket instanceof TLSSocket) checkCertificate(socket, report);
    else if (isLoopback(host)) report('ok', 'connection', `${url.host} takes connections`);
    else report('note', 'connection', 'UPSTREAM_URL is http: credentials and data are not encrypted on their way');
    socket.on('error', () => undefined).destroy();
    return true;
  } catch (error) {
    const blamed = codeOf(error)?.startsWith('PROXY_') ? 'proxy' : subject;
    report('FAIL', blamed, `${subject === 'DNS' ? host : url.origin}: ${describePlatformProblem(error)}`);
    return false;
  }
}

/** Gives a sentence about the addresses of a host. */
async function lookUp(host: string): Promise<string> {
  if (isIP(host) !== 0) return `${host} is an address`;
  const found = await lookup(host, { all: true });
  return `${host} is ${found.map(({ address }) => address).join(', ')}`;
}

function connectTo({ origin, protocol, host, port }: URL, hostname: string, transport: Transport): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  createConnect(origin, transport)({ protocol, hostname, host, port }, (error, socket) =>
    error === null ? resolve(socket) : reject(error),
  );
  return promise;
}

function checkCertificate(socket: TLSSocket, report: Examination['report']): void {
  const end = socket.getPeerCertificate().valid_to;
  const isNearEnd = Date.parse(end) - Date.now() < CERTIFICATE_NOTE_MS;
  report(isNearEnd ? 'note' : 'ok', 'TLS', `${socket.getProtocol()}, the certificate is valid until ${end}`);
}

interface Issued {
  readonly token: Token;
  /** The interface's description by which it came. */
  readonly variant: Credentials['variant'];
  /** Gets another one in the same way. */
  issue(): Promise<Token>;
}

/** Gives a token, and how it came. @param issuer the address of `getToken`. */
async function checkToken(
  credentials: Credentials,
  issuer: URL,
  examination: Examination,
): Promise<Issued | undefined> {
  const { connect, dialect, timeoutMs } = examination;
  const send = connect(issuer.origin);
  let answer: HttpResponse | undefined;
  const issue = async (given = credentials) => {
    const call = toSignIn(given, 'sign-in', issuer.pathname + issuer.search, dialect());
    call.endsAtMs = performance.now() + timeoutMs;
    answer = await send(call);
    return decodeToken(given, answer, dialect());
  };
  try {
    const token = await issue().catch((error: unknown) => {
      if (!proposeToken(error, answer, examination)) throw error;
      return issue();
    });
    describeToken(token, examination);
    return { token, variant: credentials.variant, issue };
  } catch (error) {
    const refusal = describeRefusal(error, answer, dialect());
    const other = isRefusal(answer) ? otherVariant(credentials, dialect()) : undefined;
    const found = other && (await issue(other).catch(() => undefined));
    const advice = found ? `set UPSTREAM_AUTH=${other?.variant === 'A' ? 'credentials' : 'basic'}: as it is, ` : '';
    examination.report('FAIL', 'token', advice + refusal);
    return found && other && { token: found, variant: other.variant, issue: () => issue(other) };
  }
}

/** Checks whether the platform still takes a token once it has issued another one, and gives one that it takes. */
async function checkSecondToken({ token: first, issue }: Issued, { get, report }: Reads): Promise<Token> {
  const second = await issue().catch(() => undefined);
  if (second === undefined) {
    report('note', 'token', 'a second one is not issued: a gateway that restarts has to wait for the first to expire');
    return first;
  }
  if (second.authorization === first.authorization) {
    report('ok', 'token', 'a second sign-in gives the same one');
    return first;
  }
  const query = { where: [], orderBy: [], pageNumber: 1, perPage: 1 };
  // What else is wrong with the list of forms shows when that is looked at.
  const answer = await get(getForms, query).catch(() => undefined);
  if (answer?.status === 401) report('note', 'token', SECOND_ENDS_FIRST);
  else if (answer) report('ok', 'token', 'a second one leaves the first valid');
  return second;
}

const SECOND_ENDS_FIRST =
  'a second one ends the first: several replicas need REDIS_URL to share one, and no other program may sign in as this user';

const isRefusal = ({ status = 0 }: Partial<HttpResponse> = {}): boolean => status >= 400 && status < 500;

/** Gives the same user name and password as the other of the interface's descriptions wants them. */
function otherVariant(credentials: Credentials, { token }: Dialect): Credentials | undefined {
  if (credentials.variant === 'B') {
    const { username, password } = credentials;
    return { variant: 'A', body: { [token.username]: username, [token.password]: password } };
  }
  const { [token.username]: username, [token.password]: password } = credentials.body;
  if (typeof username !== 'string' || typeof password !== 'string') return undefined;
  return { variant: 'B', username, password };
}

/** Where a token answer has no known member, the longest text in it is taken for the token. */
function proposeToken(error: unknown, answer: HttpResponse | undefined, { report, propose }: Examination): boolean {
  const body = parseBody(answer?.text ?? '');
  if (!(error instanceof UpstreamError && error.failure === 'malformed' && isJsonObject(body))) return false;
  const texts = Object.entries(body).flatMap(([name, value]) => (typeof value === 'string' ? [{ name, value }] : []));
  const [longest] = texts.sort((left, right) => right.value.length - left.value.length);
  if (longest === undefined || longest.value.length < 8) return false;
  report('FAIL', 'token', `no token where the dialect looks for one; "${longest.name}" seems to be it`);
  propose({ token: { value: [longest.name] } });
  return true;
}

function describeToken(token: Token, { report }: Examination) {
  const seconds = Math.round((token.expiresAtMs - steadyNow()) / 1_000);
  if (token.statedExpiryMs !== undefined) return report('ok', 'token', `issued, valid for ${seconds} s`);
  report('note', 'token', `issued, without an expiry: assuming ${seconds} s, by token.assumedLifetimeMs`);
}

function describeRefusal(error: unknown, answer: HttpResponse | undefined, dialect: Dialect): string {
  // nginx answers so, and a handshake of TLS 1.3 is complete before it looks.
  if (/SSL certificate/i.test(answer?.text ?? ''))
    return 'it wants another client certificate; check UPSTREAM_CERT_FILE';
  const body = parseBody(answer?.text ?? '');
  const said = isJsonObject(body) ? dialect.error.message.map((name) => body[name]).find(Boolean) : undefined;
  const status = answer && answer.status >= 300 ? ` (HTTP ${answer.status}${said ? `: ${said}` : ''})` : '';
  return `${describePlatformProblem(error)}${status}`;
}

function adjust(dialect: Dialect, proposed: readonly JsonObject[]): Dialect {
  const reading = readDialect(proposed.reduce(merge, JSON.parse(JSON.stringify(dialect))));
  return 'value' in reading ? reading.value : dialect;
}

/** Puts the members of the second object over those of the first, at all depths. */
function merge(base: JsonObject, change: JsonObject): JsonObject {
  const merged = Object.entries(change).map(([name, value]) => {
    const before = base[name];
    return [name, isJsonObject(value) && isJsonObject(before) ? merge(before, value) : value] as const;
  });
  return { ...base, ...Object.fromEntries(merged) };
}
