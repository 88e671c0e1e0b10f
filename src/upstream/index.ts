import { isDeepStrictEqual } from 'node:util';

import type { Transport } from '../config/transport.ts';
import type { Log } from '../core/log.ts';
import { createObservers, type Observers } from '../core/observers.ts';
import { type CallBudget, createCallBudget, spend } from './call-budget.ts';
import { createCircuitBreaker } from './circuit-breaker.ts';
import { type Client, createClient } from './client.ts';
import type { Dialect } from './dialect.ts';
import { createHttpClient } from './http.ts';
import { createLists, type ListReport, type Lists } from './list-paging.ts';
import { createObserve } from './observe.ts';
import { createRateLimitPause } from './pause.ts';
import { createPermits } from './permits.ts';
import { createRetry } from './retry.ts';
import { type Credentials, signIn, toSignIn } from './sign-in.ts';
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
  /** Without a limit where absent. */
  readonly callBudget?: CallBudget;
  /** How gateways with the same credentials renew their token as one. Absent: each on its own. */
  readonly tokenRenewal?: Renewal | undefined;
  /** Told of each call; none where absent. */
  readonly observers?: Observers | undefined;
  /** Called when a circuit breaker opens, and when it closes after that. */
  readonly onConnection?: ((host: 'platform' | 'token issuer', isLost: boolean) => void) | undefined;
  readonly onList?: ListReport | undefined;
}

/** Connects to a platform. Nothing is sent before the first call. */
export function createUpstreamFactory(options: UpstreamOptions) {
  const { baseUrl, variant, dialect, timeoutMs, onConnection } = options;
  const { observers = createObservers(), callBudget = createCallBudget({}) } = options;
  const { tokenRenewal = (_owner, issueOwn) => issueOwn() } = options;
  const platform = createHttpClient(baseUrl, options.transport);
  const issuerUrl = options.tokenUrl === undefined ? undefined : new URL(options.tokenUrl);
  const issuer = issuerUrl && createHttpClient(issuerUrl.origin, options.transport);
  const tokenPath = issuerUrl ? issuerUrl.pathname + issuerUrl.search : '/v1.0/token';

  const budget = spend(callBudget);
  const permit = createPermits();
  const breaker = createCircuitBreaker({ onChange: onConnection?.bind(undefined, 'platform') });
  const retry = createRetry(timeoutMs, breaker.isOpen);
  const pause = createRateLimitPause();
  const steps = { retry, breaker: breaker.intercept, observe: createObserve(observers, baseUrl), budget, permit };
  // The issuer has a breaker of its own: a platform that answers must not be given up for an issuer that does not.
  const issuerBreaker = createCircuitBreaker({ onChange: onConnection?.bind(undefined, 'token issuer') });
  const issuerRetry = createRetry(timeoutMs, issuerBreaker.isOpen);
  const observeIssuer = createObserve(observers, issuerUrl ?? baseUrl);
  const issuerChain = [issuerBreaker.intercept, observeIssuer, budget, issuer ? createPermits() : permit];
  const sendToIssuer = issuerChain.reduceRight((next, intercept) => intercept(next), (issuer ?? platform).send);

  const lists = createLists(dialect, options.onList);

  const createUpstream = (tokens: TokenSource, caller: string | undefined): Upstream => ({
    ...createClient({ http: platform.send, pause, steps, caller, variant, tokens, dialect }),
    dialect,
    lists,
    async authenticate() {
      await tokens.current();
    },
  });
  const issue = (credentials: Credentials, kind: 'renewal' | 'sign-in'): Promise<Token> =>
    issuerRetry((call) => signIn(credentials, call, sendToIssuer, dialect))(
      toSignIn(credentials, kind, tokenPath, dialect),
    );

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
    isAnswering: () => !breaker.isTripped() && !issuerBreaker.isTripped(),
    /** The remaining time of the pause of all callers in milliseconds; 0 without a pause. */
    pauseMs: pause.restMs,
    /** How many calls may be made now, by share. */
    budgetLeft: callBudget.left,
    /** Reaches platform and issuer otherwise from now on. */
    useTransport(transport: Transport): void {
      platform.use(transport);
      issuer?.use(transport);
    },
    /** Ends all calls and connections. */
    async close(): Promise<void> {
      await Promise.all([platform.close(), issuer?.close()]);
    },
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
      if (!isDeepStrictEqual(userOf(next, token), userOf(used, token))) current = upstream.forService(next);
      used = next;
      current.useCredentials(next).catch((err: unknown) => {
        log.error({ code: 'NEW_CREDENTIALS_UNUSABLE', err }, 'the platform gives no token for the changed credentials');
      });
    },
  };
}

/** Credentials without their password: whoever has the same is the same user. */
const userOf = (credentials: Credentials, { password }: Dialect['token']): object =>
  credentials.variant === 'B'
    ? { ...credentials, password: undefined }
    : { ...credentials.body, [password]: undefined };
