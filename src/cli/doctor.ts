import { lookup } from 'node:dns/promises';
import { connect as connectPlain, isIP } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';

import { type AppConfig, readConfig } from '../app.ts';
import { type Command, UsageError } from '../command.ts';
import { ConfigError, type Environment } from '../config/load.ts';
import { UpstreamError } from '../core/errors.ts';
import { isJsonObject, type JsonObject } from '../core/json.ts';
import { findPlatform } from '../platform.ts';
import { parseBody } from '../upstream/answer.ts';
import { type Dialect, readDialect } from '../upstream/dialect.ts';
import { createHttpClient, type HttpResponse, type Send } from '../upstream/http.ts';
import { type Credentials, signIn } from '../upstream/sign-in.ts';
import { steadyNow, type Token } from '../upstream/token-source.ts';
import { findPlatformProblem } from './command.ts';
import { examineReads } from './doctor-reads.ts';

/** `note`: it works, and could be better. `-`: it was not looked at. */
type Verdict = 'ok' | 'note' | 'FAIL' | '-';

/** The findings of a check, and the data it collects. */
export interface Examination {
  report(verdict: Verdict, subject: string, finding: string): void;
  /** The configured dialect with all that was proposed so far. */
  dialect(): Dialect;
  /** Adds members to what the dialect should say. */
  propose(change: JsonObject): void;
}

const SUBJECT_WIDTH = 11;
/** A certificate that ends sooner is worth a note. */
const CERTIFICATE_NOTE_MS = 14 * 86_400_000;

/** `caseway doctor`: whether this gateway can work before its platform, and what to change where it cannot. */
export const doctor: Command = {
  name: 'doctor',
  summary: 'checks the settings, the platform and the dialect, and says what to change',
  usage: [
    'Usage: caseway doctor',
    '',
    'Reads the settings as the gateway does, and looks at the platform that they name: DNS, TLS, token, clock, forms, one list,',
    'conditional requests, searches, order and the ends of pages. It changes nothing there. Where the platform differs from what UPSTREAM_DIALECT',
    'says, it prints the file to use.',
    '',
    'It ends with 0, with 2 for invalid settings, and with 1 where any other check failed.',
  ].join('\n'),

  async run({ env, stdout }) {
    const failed: string[] = [];
    const proposed: JsonObject[] = [];
    const report: Examination['report'] = (verdict, subject, finding) => {
      if (verdict === 'FAIL') failed.push(subject);
      stdout(`${verdict.padEnd(4)}  ${subject.padEnd(SUBJECT_WIDTH)}  ${finding}`);
    };
    await using resources = new AsyncDisposableStack();
    await examine(env, { report, proposed, resources });

    if (proposed.length > 0) {
      const dialect = proposed.reduce(merge, {});
      stdout(`\nThe UPSTREAM_DIALECT file should contain:\n${JSON.stringify(dialect, undefined, 2)}`);
    }
    if (failed.length > 0) {
      const message = `\nFailed checks: ${[...new Set(failed)].join(', ')}. Each FAIL line says what to change.`;
      throw failed.includes('settings') ? new UsageError(message) : new Error(message);
    }
    stdout('\nThe gateway can work with this platform.');
  },
};

interface Parts {
  readonly report: Examination['report'];
  readonly proposed: JsonObject[];
  readonly resources: AsyncDisposableStack;
}

async function examine(env: Environment, { report, proposed, resources }: Parts): Promise<void> {
  const configured = await checkSettings(env, report, resources);
  if (configured === undefined) return report('-', 'platform', 'not looked at');
  const { config, url, credentials } = configured;
  const { UPSTREAM_TOKEN_URL: tokenUrl, UPSTREAM_TIMEOUT_MS: timeoutMs } = config.settings;

  const addresses = [
    url,
    ...(tokenUrl !== undefined && new URL(tokenUrl).host !== new URL(url).host ? [tokenUrl] : []),
  ];
  for (const address of addresses) {
    if (!(await checkConnection(new URL(address), timeoutMs, report))) return report('-', 'token', 'not looked at');
  }
  if (credentials === undefined) {
    return report(
      '-',
      'token',
      'callers sign in themselves; with UPSTREAM_USERNAME and UPSTREAM_PASSWORD all is checked',
    );
  }
  const examination: Examination = {
    report,
    dialect: () => adjust(config.dialect, proposed),
    propose: (change) => void proposed.push(change),
  };
  const client = createHttpClient(url);
  resources.defer(client.close);
  const token = await checkToken(config, credentials, { examination, platform: client.send, resources });
  if (token === undefined) return report('-', 'forms', 'not looked at');

  await examineReads({ send: client.send, ...token, timeoutMs }, examination);
}

async function checkSettings(env: Environment, report: Examination['report'], resources: AsyncDisposableStack) {
  try {
    const hasPlatform = Boolean(env['UPSTREAM_URL']);
    // A sandbox of its own, so that a gateway with one may run beside.
    const config = readConfig(hasPlatform ? env : { ...env, SANDBOX_PORT: '0', SANDBOX_FILE: ':memory:' });
    const platform = await findPlatform(config, resources);
    const { IDENTITY, UPSTREAM_AUTH } = config.settings;
    const variant = UPSTREAM_AUTH === 'credentials' ? 'A' : 'B';
    report('ok', 'settings', `UPSTREAM_URL ${platform.url}, variant ${variant}, IDENTITY=${IDENTITY}`);
    if (!hasPlatform) report('note', 'settings', 'UPSTREAM_URL is not set, so this looks at the sandbox');
    return { config, ...platform };
  } catch (error) {
    const problems = error instanceof ConfigError ? error.problems : [messageOf(error)];
    for (const problem of problems) report('FAIL', 'settings', problem);
    return undefined;
  }
}

async function checkConnection(url: URL, timeoutMs: number, report: Examination['report']): Promise<boolean> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const subject = url.protocol === 'https:' ? 'TLS' : 'connection';
  try {
    const found = isIP(host) === 0 ? await lookup(host, { all: true }) : [];
    const addresses = found.map(({ address }) => address).join(', ');
    report('ok', 'DNS', found.length === 0 ? `${host} is an address` : `${host} is ${addresses}`);
  } catch (error) {
    report('FAIL', 'DNS', `${host}: ${sentenceOf(error)}`);
    return false;
  }
  try {
    report(...(await describeConnection(url, host, timeoutMs)));
    return true;
  } catch (error) {
    report('FAIL', subject, `${url.origin}: ${sentenceOf(error)}`);
    return false;
  }
}

async function describeConnection(url: URL, host: string, timeoutMs: number): Promise<[Verdict, string, string]> {
  const isTls = url.protocol === 'https:';
  const port = Number(url.port || (isTls ? 443 : 80));
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const tlsOptions = { host, port, servername: isIP(host) === 0 ? host : '', minVersion: 'TLSv1.2' as const };
  const socket = isTls ? connectTls(tlsOptions, resolve) : connectPlain({ host, port }, resolve);
  socket.setTimeout(timeoutMs, () => reject(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' })));
  socket.on('error', reject);
  try {
    await promise;
    if (isTls) return describeCertificate(socket as TLSSocket);
    const isLocal = host === 'localhost' || host.startsWith('127.') || host === '::1';
    if (isLocal) return ['ok', 'connection', `${url.host} takes connections`];
    return ['note', 'connection', 'UPSTREAM_URL is http: credentials and data are not encrypted on their way'];
  } finally {
    socket.destroy();
  }
}

function describeCertificate(socket: TLSSocket): [Verdict, string, string] {
  const end = socket.getPeerCertificate().valid_to;
  const isNearEnd = Date.parse(end) - Date.now() < CERTIFICATE_NOTE_MS;
  return [isNearEnd ? 'note' : 'ok', 'TLS', `${socket.getProtocol()}, the certificate is valid until ${end}`];
}

interface TokenParts {
  readonly examination: Examination;
  readonly platform: Send;
  readonly resources: AsyncDisposableStack;
}

/** A token, and the interface's description by which it came. */
interface FoundToken {
  readonly token: Token;
  readonly variant: Credentials['variant'];
}

async function checkToken(
  { settings }: AppConfig,
  credentials: Credentials,
  { examination, platform, resources }: TokenParts,
): Promise<FoundToken | undefined> {
  const { UPSTREAM_TOKEN_URL: tokenUrl, UPSTREAM_TIMEOUT_MS: timeoutMs } = settings;
  const issuer = tokenUrl === undefined ? undefined : new URL(tokenUrl);
  const client = issuer && createHttpClient(issuer.origin);
  if (client) resources.defer(client.close);
  let answer: HttpResponse | undefined;
  const send: Send = async (request) => {
    answer = await (client?.send ?? platform)(request);
    return answer;
  };
  const tokenPath = issuer ? issuer.pathname + issuer.search : '/v1.0/token';
  const issue = (given = credentials) => {
    const options = { send, kind: 'sign-in', tokenPath, dialect: examination.dialect() } as const;
    return signIn(given, { ...options, endsAtMs: performance.now() + timeoutMs });
  };
  try {
    const token = await issue().catch((error: unknown) => {
      if (!proposeToken(error, answer, examination)) throw error;
      return issue();
    });
    describeToken(token, answer, examination);
    return { token, variant: credentials.variant };
  } catch (error) {
    const refusal = describeRefusal(error, answer, examination.dialect());
    const other = isRefusal(answer) ? otherVariant(credentials, settings, examination.dialect()) : undefined;
    const found = other && (await tryVariant(other, issue));
    const setting = `UPSTREAM_AUTH=${other?.variant === 'A' ? 'credentials' : 'basic'}`;
    examination.report('FAIL', 'token', found ? `set ${setting}: as it is, ${refusal}` : refusal);
    return found;
  }
}

const isRefusal = ({ status = 0 }: Partial<HttpResponse> = {}): boolean => status >= 400 && status < 500;

async function tryVariant(
  credentials: Credentials,
  issue: (credentials: Credentials) => Promise<Token>,
): Promise<FoundToken | undefined> {
  const token = await issue(credentials).catch(() => undefined);
  return token && { token, variant: credentials.variant };
}

/** Gives the same user name and password as the other of the interface's descriptions wants them. */
function otherVariant(
  credentials: Credentials,
  { UPSTREAM_GRANT_TYPE: grantType }: AppConfig['settings'],
  { token }: Dialect,
): Credentials | undefined {
  if (credentials.variant === 'B') {
    const { username, password } = credentials;
    return { variant: 'A', body: { [token.username]: username, [token.password]: password } };
  }
  const { [token.username]: username, [token.password]: password } = credentials.body;
  if (typeof username !== 'string' || typeof password !== 'string') return undefined;
  return { variant: 'B', username, password, grantType };
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

function describeToken(
  { expiresAtMs, statedExpiryMs }: Token,
  answer: HttpResponse | undefined,
  examination: Examination,
) {
  const seconds = Math.round((expiresAtMs - steadyNow()) / 1_000);
  if (statedExpiryMs !== undefined) return examination.report('ok', 'token', `issued, valid for ${seconds} s`);
  const body = parseBody(answer?.text ?? '');
  const names = isJsonObject(body) ? Object.keys(body).filter((name) => /expir|lifetime|ttl|valid/i.test(name)) : [];
  const hint =
    names.length === 0 ? '' : `; perhaps "${names.join('", "')}" does, as token.lifetimeSeconds or token.expiry`;
  examination.report('note', 'token', `issued, without an expiry: assuming ${seconds} s${hint}`);
}

function describeRefusal(error: unknown, answer: HttpResponse | undefined, dialect: Dialect): string {
  const body = parseBody(answer?.text ?? '');
  const said = isJsonObject(body) ? dialect.error.message.map((name) => body[name]).find(Boolean) : undefined;
  const status = answer && answer.status >= 300 ? ` (HTTP ${answer.status}${said ? `: ${said}` : ''})` : '';
  return `${sentenceOf(error)}${status}`;
}

/** What is wrong and what to check, in one line without secrets. */
function sentenceOf(error: unknown): string {
  const [what, check] = findPlatformProblem(error);
  return `${what}; ${check}`;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : 'unknown error');

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
