import { UpstreamError, type UpstreamFailure } from '../upstream/errors.ts';

/** One line that says why the platform gives no token, and what to check. It holds no address and no secret. */
export function describePlatformProblem(error: unknown): string {
  const [what, check] = findPlatformProblem(error);
  return `the platform gives no token: ${what}; ${check}`;
}

/** What is wrong, with the code of the failed connection where there is one, and what to check. */
export function findPlatformProblem(error: unknown): Problem {
  const code = causeCode(error);
  const [what, check] = BY_CODE[code ?? ''] ?? byFailure(error, code);
  return [`${what}${code === undefined ? '' : ` (${code})`}`, check];
}

type Problem = readonly [what: string, check: string];

const UNKNOWN_HOST: Problem = ['its host name is unknown', 'check the name in UPSTREAM_URL and this machine’s DNS'];
const CERTIFICATE: Problem = [
  'its certificate is not trusted',
  'check the host name in UPSTREAM_URL; a private authority is named in NODE_EXTRA_CA_CERTS',
];
const SLOW: Problem = [
  'it does not answer in time',
  'check UPSTREAM_URL, the network between, and UPSTREAM_TIMEOUT_MS',
];

/** By the code that Node or undici gives a failed connection. */
const BY_CODE: Readonly<Record<string, Problem>> = {
  ENOTFOUND: UNKNOWN_HOST,
  EAI_AGAIN: UNKNOWN_HOST,
  ECONNREFUSED: [
    'its host refuses the connection',
    'check host and port in UPSTREAM_URL, and that the platform is running',
  ],
  ECONNRESET: ['it closed the connection', 'check that UPSTREAM_URL has the right scheme, http or https'],
  ERR_SSL_WRONG_VERSION_NUMBER: ['it does not speak TLS', 'check the scheme of UPSTREAM_URL, http or https'],
  ETIMEDOUT: SLOW,
  UND_ERR_CONNECT_TIMEOUT: SLOW,
  UND_ERR_HEADERS_TIMEOUT: SLOW,
  CERT_HAS_EXPIRED: ['its certificate has expired', 'it must be renewed at the platform'],
  ERR_TLS_CERT_ALTNAME_INVALID: ['its certificate is for another host', 'check the host name in UPSTREAM_URL'],
  DEPTH_ZERO_SELF_SIGNED_CERT: CERTIFICATE,
  SELF_SIGNED_CERT_IN_CHAIN: CERTIFICATE,
  UNABLE_TO_GET_ISSUER_CERT: CERTIFICATE,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: CERTIFICATE,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: CERTIFICATE,
};

const BY_FAILURE: Readonly<Partial<Record<UpstreamFailure, Problem>>> = {
  unauthenticated: [
    'it refuses the credentials',
    'check UPSTREAM_USERNAME, UPSTREAM_PASSWORD or UPSTREAM_CREDENTIALS, and UPSTREAM_AUTH',
  ],
  forbidden: ['it refuses the user, who may be locked', 'check the user of UPSTREAM_USERNAME at the platform'],
  'not-found': ['there is no token operation', 'check the path of UPSTREAM_URL, or set UPSTREAM_TOKEN_URL'],
  malformed: ['its answer cannot be read', 'check UPSTREAM_URL, UPSTREAM_AUTH and UPSTREAM_DIALECT'],
  'rate-limited': ['its request limit is exceeded', 'the gateway tries again by itself'],
  timeout: SLOW,
};

function byFailure(error: unknown, code: string | undefined): Problem {
  const isAbsent = error instanceof UpstreamError && error.status === 404;
  const failure = error instanceof UpstreamError ? (isAbsent ? 'not-found' : error.failure) : undefined;
  const known = failure && BY_FAILURE[failure];
  if (known) return known;
  const status = error instanceof UpstreamError && error.status !== undefined ? `HTTP ${error.status}` : undefined;
  const what = status ?? (code === undefined ? (failure ?? 'unknown error') : 'no connection');
  return [what, 'check UPSTREAM_URL and that the platform is running; the gateway tries again by itself'];
}

/** The code of the innermost cause that has one. */
function causeCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const own = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return causeCode(error.cause) ?? own;
}
