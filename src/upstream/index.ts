import { isDeepStrictEqual } from 'node:util';

import type { Transport } from '../config/transport.ts';
import type { Log } from '../core/log.ts';
import { type Observers, serverOf } from '../core/observers.ts';
import type { Interceptor } from './call.ts';
import { type CallBudget, createPermits, spend } from './call-budget.ts';
import { type Client, createClient } from './client.ts';
import type { Dialect } from './dialect.ts';
import { createHttpClient, type HttpClient } from './http.ts';
import { createLists, type ListReport, type Lists } from './list-paging.ts';
import type { FormRecord } from './records.ts';
import { createCircuitBreaker, createRateLimitPause, createRetry } from './resilience.ts';
import { type Credentials, decodeToken, toSignIn } from './sign-in.ts';
import { createTokenSource, type Renewal, type Token, type TokenSource } from './token-source.ts';

/** The REST interface as one caller sees it. */
export interface Upstream extends Client {
  readonly dialect: Dialect;
  /** What is known of the platform's lists; the same for all callers. */
  readonly lists: Lists;
  /**
   * Resolves when a token is available, at once with a current one.
   *
   * @throws {UpstreamError} when none can.
   */
  authenticate(): Promise<void>;
}

/** The platform, for all callers: they share connections, the call budget, the circuit breaker and the pause. */
export type UpstreamFactory = ReturnType<typeof createUpstreamFactory>;

export interface UpstreamOptions {
  /** The interface's `{base_url}`. */
  readonly baseUrl: string;
  /** Where tokens are issued, if not at `{base_url}/v1.0/token`. */
  readonly tokenUrl?: string | undefined;
  /** Without proxy, certificates and headers of its own where absent. */
  readonly transport?: Transport | undefined;
  /** Which of the interface's two descriptions the headers follow. */
  readonly variant: 'A' | 'B';
  readonly dialect: Dialect;
  /** For one call with its token and second try, in milliseconds. */
  readonly timeoutMs: number;
  readonly callBudget: CallBudget;
  /** The step between all others and the HTTP client, for all calls but `getToken`. */
  readonly adapt?: Interceptor | undefined;
  /** How gateways with the same credentials renew their token as one. Absent: each on its own. */
  readonly tokenRenewal?: Renewal | undefined;
  /** Told of each call. */
  readonly observers: Observers;
  /** Called when a circuit breaker opens, and when it closes after that. */
  onConnection(host: 'platform' | 'token issuer', isLost: boolean): void;
  readonly onList: ListReport;
}

/** Connects to a platform. Nothing is sent before the first call. */
export function createUpstreamFactory(options: UpstreamOptions) {
  const { baseUrl, variant, dialect, timeoutMs, observers, callBudget, onConnection, onList } =
    options;
  const { adapt, tokenRenewal = (_owner, issueOwn) => issueOwn() } = options;
  const openHost = (
    name: 'platform' | 'token issuer',
    url: string,
    http: HttpClient,
    permit: Interceptor,
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
      permit,
    };
  };
  const platform = openHost(
    'platform',
    baseUrl,
    createHttpClient(baseUrl, options.transport),
    createPermits(),
  );
  const issuerUrl = options.tokenUrl === undefined ? undefined : new URL(options.tokenUrl);
  // The issuer has a breaker of its own: a platform that answers must not be given up for an issuer that does not.
  const issuer = issuerUrl
    ? openHost(
        'token issuer',
        issuerUrl.href,
        createHttpClient(issuerUrl.origin, options.transport),
        createPermits(),
      )
    : openHost('token issuer', baseUrl, platform.http, platform.permit);
  const tokenPath = issuerUrl ? issuerUrl.pathname + issuerUrl.search : '/v1.0/token';
  const issuerChain = [issuer.breaker, issuer.observe, issuer.budget, issuer.permit];
  const sendToIssuer = issuerChain.reduceRight(
    (next, intercept) => intercept(next),
    issuer.http.send,
  );
  const sendToPlatform = adapt ? adapt(platform.http.send) : platform.http.send;
  const clients = new Set([platform.http, issuer.http]);
  const pause = createRateLimitPause();
  const lists = createLists(dialect, onList);

  let fieldNames: ReadonlyMap<string, ReadonlySet<string>> = new Map();
  const fieldsOf = (formId: string) => fieldNames.get(formId);

  const createUpstream = (tokens: TokenSource, caller: string | undefined): Upstream => ({
    ...createClient({
      http: sendToPlatform,
      pause,
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
    /** The platform as the owner of these tokens sees it. Equal `caller` texts are one caller to the call budget and the pause. */
    forCaller: (tokens: TokenSource, caller: string): Upstream => createUpstream(tokens, caller),
    /** The platform as a user of the gateway itself sees it. */
    forService(credentials: Credentials) {
      let own = credentials;
      const tokens = createTokenSource({
        issue(latest) {
          const used = own;
          return tokenRenewal(JSON.stringify(used), () => issue(used, 'renewal'), latest);
        },
      });
      return {
        ...createUpstream(tokens, undefined),
        /** Goes on with other credentials of the same user. Resolves when they gave a token; until then the token of before serves. */
        useCredentials(next: Credentials): Promise<void> {
          own = next;
          return tokens.renew();
        },
      };
    },
    /** `getToken` with a caller's credentials. @throws {UpstreamError} `unauthenticated` when they are refused. */
    signIn: (credentials: Credentials) => issue(credentials, 'sign-in'),
    /** Whether platform and issuer of tokens answer: `false` from when a circuit breaker opens until a probe is answered. */
    isAnswering: () => !platform.isTripped() && !issuer.isTripped(),
    /** The remaining time of the pause of all callers in milliseconds; 0 without a pause. */
    pauseMs: pause.restMs,
    /** How many calls may be made now, by share. */
    budgetLeft: callBudget.left,
    /** Uses these definitions from now on to recognise instances by the fields of their form. */
    useDefinitions(forms: readonly FormRecord[]): void {
      const named = forms.map(
        ({ formId, fields = [] }) => [formId, new Set(fields.map(({ name }) => name))] as const,
      );
      fieldNames = new Map(named.filter(([, names]) => names.size > 0));
    },
    /** Reaches platform and issuer otherwise from now on. */
    useTransport(transport: Transport): void {
      for (const { use } of clients) use(transport);
    },
    /** Ends all calls and connections. */
    async close(): Promise<void> {
      await Promise.all([...clients].map(({ close }) => close()));
    },
  };
}

/** Tells observers of each call to a host, also of a second one, and sends the headers that they have for it. */
function createObserve(observers: Observers, url: string): Interceptor {
  const server = serverOf(url);
  return (next) => (call) => {
    const { operation, kind, method, work, sent } = call;
    const spent = {
      caller: kind === 'sign-in' ? 'user' : (work?.callerName ?? 'gateway'),
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

/** The platform as the gateway itself sees it. */
export type Service = ReturnType<typeof openService>;

/** Opens the platform as the gateway itself sees it. Nothing is sent before the first call. */
export function openService(
  upstream: UpstreamFactory,
  credentials: Credentials,
  { dialect: { token }, log }: { readonly dialect: Dialect; readonly log: Log },
) {
  let used = credentials;
  let current = upstream.forService(credentials);
  return {
    /** As its present user sees it; another object for another user. */
    current: (): Upstream => current,
    /** Goes on with other credentials. That they give no token is logged, and tried again with the next renewal. */
    change(next: Credentials): void {
      if (!isDeepStrictEqual(userOf(next, token), userOf(used, token)))
        current = upstream.forService(next);
      used = next;
      current.useCredentials(next).catch((err: unknown) => {
        log.error(
          { code: 'NEW_CREDENTIALS_UNUSABLE', err },
          'the platform gives no token for the changed credentials',
        );
      });
    },
  };
}

/** Credentials without their password: whoever has the same is the same user. */
const userOf = (credentials: Credentials, { password }: Dialect['token']): object =>
  credentials.variant === 'B'
    ? { ...credentials, password: undefined }
    : { ...credentials.body, [password]: undefined };
