import { isDeepStrictEqual } from 'node:util';

import type { Transport } from '../config/transport.ts';
import { messageOf } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { type Observers, serverOf } from '../core/observers.ts';
import type { Interceptor } from './call.ts';
import { type CallBudget, createConnectionSlots, spend } from './call-budget.ts';
import { type Client, createClient } from './client.ts';
import type { Dialect } from './dialect.ts';
import { createHttpClient, type HttpClient } from './http.ts';
import { createLists, type ListReport, type Lists } from './list-paging.ts';
import type { FormRecord } from './records.ts';
import { createCircuitBreaker, createRateLimitBackoff, createRetry } from './resilience.ts';
import { type Credentials, decodeToken, toSignIn } from './sign-in.ts';
import {
  createTokenProvider,
  type Renewal,
  type Token,
  type TokenProvider,
} from './token-provider.ts';

/** The REST interface for one caller. */
export interface Upstream extends Client {
  readonly dialect: Dialect;
  /** The paging state of the platform's lists, shared by all callers. */
  readonly lists: Lists;
  /**
   * Resolves when a token is available.
   *
   * @throws {UpstreamError} if there is no token.
   */
  authenticate(): Promise<void>;
}

/**
 * The platform for all callers. They share connections, the call budget, the circuit breaker and
 * the backoff.
 */
export interface UpstreamFactory {
  /**
   * Returns the platform for a caller with these tokens. The call budget and the backoff identify
   * callers by the `caller` text.
   */
  forCaller(tokens: TokenProvider, caller: string): Upstream;
  /** Returns the platform for the gateway's own credentials. */
  forService(credentials: Credentials): ServiceUpstream;
  /**
   * Calls `getToken` with a caller's credentials.
   *
   * @throws {UpstreamError} `unauthenticated` if they are refused.
   */
  signIn(credentials: Credentials): Promise<Token>;
  /** Returns `false` from the opening of a circuit breaker until a successful probe. */
  isAnswering(): boolean;
  /** Returns the remaining time of the global backoff in milliseconds. 0 without a backoff. */
  backoffMs(): number;
  /** Returns the number of available calls by share. */
  budgetLeft: CallBudget['left'];
  /** Reserves calls per minute for the callers of roles, in place of earlier reserves. */
  reserveCalls: CallBudget['reserve'];
  /** Uses these definitions to recognise instances by their form's fields. */
  useDefinitions(forms: readonly FormRecord[]): void;
  /** Uses other connections to platform and issuer from now on. */
  useTransport(transport: Transport): void;
  /** Ends all calls and connections. */
  close(): Promise<void>;
}

/** The platform as the gateway itself sees it. */
interface ServiceUpstream extends Upstream {
  /** Returns whether the credentials in use have returned a token. */
  isProven(): boolean;
  /**
   * Uses new credentials of the same user. Resolves when they have returned a token. The current
   * token is used until then.
   */
  useCredentials(next: Credentials): Promise<void>;
}

export interface UpstreamOptions {
  /** The interface's `{base_url}`. */
  readonly baseUrl: string;
  /** The address of `getToken`, if it is not `{base_url}/v1.0/token`. */
  readonly tokenUrl?: string | undefined;
  /** Proxy, certificates and fixed headers. Absent for a direct connection. */
  readonly transport?: Transport | undefined;
  /** The variant of the interface. It decides on the headers. */
  readonly variant: 'A' | 'B';
  readonly dialect: Dialect;
  /** The timeout of one call in milliseconds, including its token and its retry. */
  readonly timeoutMs: number;
  readonly callBudget: CallBudget;
  /** The last step before the HTTP client, for all calls except `getToken`. */
  readonly adapt?: Interceptor | undefined;
  /**
   * Renews one token for all gateways with the same credentials. By default each gateway renews its
   * own.
   */
  readonly tokenRenewal?: Renewal | undefined;
  /** Observe each call. */
  readonly observers: Observers;
  /** Runs when a circuit breaker opens, and when it closes again. */
  onConnection(host: 'platform' | 'token issuer', isLost: boolean): void;
  readonly onList: ListReport;
}

/** Creates the connection to a platform. It sends nothing before the first call. */
export function createUpstreamFactory(options: UpstreamOptions): UpstreamFactory {
  const { baseUrl, variant, dialect, timeoutMs, observers, callBudget, onConnection, onList } =
    options;
  const { adapt, tokenRenewal = (_owner, issueOwn) => issueOwn() } = options;
  const openHost = (
    name: 'platform' | 'token issuer',
    url: string,
    http: HttpClient,
    slot: Interceptor,
  ) => {
    const { intercept: breaker, ...state } = createCircuitBreaker((isOpen) =>
      onConnection(name, isOpen),
    );
    return {
      http,
      isTripped: state.isTripped,
      retry: createRetry(timeoutMs, state.isOpen),
      breaker,
      observe: createObserve(observers, url),
      budget: spend(callBudget),
      slot,
    };
  };
  const platform = openHost(
    'platform',
    baseUrl,
    createHttpClient(baseUrl, options.transport),
    createConnectionSlots(),
  );
  const issuerUrl = options.tokenUrl === undefined ? undefined : new URL(options.tokenUrl);
  // The issuer has its own breaker. If it fails, calls to a healthy platform must continue.
  const issuer = issuerUrl
    ? openHost(
        'token issuer',
        issuerUrl.href,
        createHttpClient(issuerUrl.origin, options.transport),
        createConnectionSlots(),
      )
    : openHost('token issuer', baseUrl, platform.http, platform.slot);
  const tokenPath = issuerUrl ? issuerUrl.pathname + issuerUrl.search : '/v1.0/token';
  const issuerChain = [issuer.breaker, issuer.observe, issuer.budget, issuer.slot];
  const sendToIssuer = issuerChain.reduceRight(
    (next, intercept) => intercept(next),
    issuer.http.send,
  );
  const sendToPlatform = adapt ? adapt(platform.http.send) : platform.http.send;
  const clients = new Set([platform.http, issuer.http]);
  const backoff = createRateLimitBackoff();
  const lists = createLists(dialect, onList);

  let fieldNames: ReadonlyMap<string, ReadonlySet<string>> = new Map();
  const fieldsOf = (formId: string) => fieldNames.get(formId);

  const createUpstream = (tokens: TokenProvider, caller: string | undefined): Upstream => ({
    ...createClient({
      http: sendToPlatform,
      backoff,
      steps: platform,
      caller,
      variant,
      tokens,
      dialect,
      fieldsOf,
    }),
    dialect,
    lists,
    async authenticate() {
      await tokens.current();
    },
  });
  const issue = (credentials: Credentials, kind: 'renewal' | 'sign-in'): Promise<Token> => {
    const signIn = issuer.retry(async (call) =>
      decodeToken(credentials, await sendToIssuer(call), dialect),
    );
    return signIn(toSignIn(credentials, kind, tokenPath, dialect));
  };

  return {
    forCaller: createUpstream,
    forService(credentials) {
      let current = credentials;
      let proven: Credentials | undefined;
      const tokens = createTokenProvider({
        async issue(latest) {
          const used = current;
          const owner = JSON.stringify(used);
          const token = await tokenRenewal(owner, () => issue(used, 'renewal'), latest);
          proven = used;
          return token;
        },
      });
      return {
        ...createUpstream(tokens, undefined),
        isProven: () => proven === current,
        useCredentials(next) {
          current = next;
          return tokens.renew();
        },
      };
    },
    signIn: (credentials) => issue(credentials, 'sign-in'),
    isAnswering: () => !platform.isTripped() && !issuer.isTripped(),
    backoffMs: backoff.restMs,
    budgetLeft: callBudget.left,
    reserveCalls: callBudget.reserve,
    useDefinitions(forms) {
      const namesByForm = new Map<string, ReadonlySet<string>>();
      for (const { formId, fields = [] } of forms) {
        if (fields.length > 0) namesByForm.set(formId, new Set(fields.map(({ name }) => name)));
      }
      fieldNames = namesByForm;
    },
    useTransport(transport) {
      for (const { use } of clients) use(transport);
    },
    async close() {
      await Promise.all([...clients].map(({ close }) => close()));
    },
  };
}

/** Creates the step that reports each attempt to observers, and adds their headers. */
function createObserve(observers: Observers, url: string): Interceptor {
  const server = serverOf(url);
  return (next) => (call) => {
    const { operation, kind, method, requestState, sent } = call;
    const spent = {
      caller: kind === 'sign-in' ? 'user' : (requestState?.callerName ?? 'gateway'),
      kind: operation === 'getToken' ? 'token' : kind,
    };
    const outgoing = {
      name: operation,
      target: 'platform',
      method,
      server,
      resends: sent - 1,
      ...spent,
    } as const;
    return observers.call(outgoing, (headers) => {
      Object.assign(call.headers, headers);
      return next(call);
    });
  };
}

/** The platform for the gateway's own calls. */
export interface Service {
  /** Returns why changed credentials do not work. `undefined` once they return a token. */
  problem(): string | undefined;
  /** Returns the platform for the current user. A new user gets another object. */
  current(): Upstream;
  /**
   * Uses new credentials. If they return no token, it logs the error. The next renewal tries again.
   */
  change(next: Credentials): void;
}

/** Creates the platform for the gateway's own calls. It sends nothing before the first call. */
export function openService(
  upstream: UpstreamFactory,
  credentials: Credentials,
  { dialect: { token }, log }: { readonly dialect: Dialect; readonly log: Log },
): Service {
  let used = credentials;
  let current = upstream.forService(credentials);
  let failure: string | undefined;
  return {
    problem: () => (current.isProven() ? undefined : failure),
    current: () => current,
    change(next) {
      const isSameUser = isDeepStrictEqual(userOf(next, token), userOf(used, token));
      if (!isSameUser) current = upstream.forService(next);
      used = next;
      failure = undefined;
      current.useCredentials(next).catch((err: unknown) => {
        failure = `the platform gives no token: ${messageOf(err)}`;
        log.error(
          { code: 'NEW_CREDENTIALS_UNUSABLE', err },
          'the platform gives no token for the changed credentials',
        );
      });
    },
  };
}

/** Returns credentials without the password. Equal results mean the same user. */
const userOf = (credentials: Credentials, { password }: Dialect['token']): object =>
  credentials.variant === 'B'
    ? { ...credentials, password: undefined }
    : { ...credentials.body, [password]: undefined };
