import { createObservers, type Observers, serverOf } from '../core/observers.ts';
import { createClient } from './client.ts';
import type { Dialect } from './dialect.ts';
import { createHttpClient, type HttpClient, type Send } from './http.ts';
import { createPageSizes, type PageSizes } from './page-sizes.ts';
import {
  type CallBudget,
  type CallKind,
  createRateLimitPause,
  type SharedPause,
  type ShareLeft,
  withinBudget,
} from './rate-limit.ts';
import { createCircuitBreaker, createRetry } from './resilience.ts';
import { createResources, type Resources } from './resources.ts';
import { type Credentials, signIn } from './sign-in.ts';
import { createTokenSource, type Renewal, type Token, type TokenSource } from './token-source.ts';

/** The REST interface as one caller sees it. */
export interface Upstream extends Resources {
  readonly dialect: Dialect;
  /** How long the platform's pages are, as far as it is known; the same for all callers. */
  readonly pageSizes: PageSizes;
  /**
   * Resolves when a token is available, at once with a current one.
   *
   * @throws {UpstreamError} when none can.
   */
  authenticate(): Promise<void>;
}

/** The platform, for all callers: they share connections, the call budget, the circuit breaker and the pause. */
export interface UpstreamFactory {
  /** The platform as the owner of these tokens sees it. Equal `caller` texts are one caller to the call budget and the pause. */
  forCaller(tokens: TokenSource, caller: string): Upstream;
  /** The platform as the gateway itself sees it. */
  forService(credentials: Credentials): Upstream;
  /**
   * `getToken` with a caller's credentials.
   *
   * @throws {UpstreamError} `unauthenticated` when they are refused.
   */
  signIn(credentials: Credentials): Promise<Token>;
  /** Whether platform and issuer of tokens answer: `false` from when a circuit breaker opens until a probe is answered. */
  isAnswering(): boolean;
  /** What keeps calls from being made now. */
  state(): Promise<UpstreamState>;
  /** Ends all calls and connections. */
  close(): Promise<void>;
}

export interface UpstreamState {
  /** The remaining time of the global pause in milliseconds; 0 without a pause. */
  readonly pauseMs: number;
  /** `undefined` without a call budget. */
  readonly budget: readonly ShareLeft[] | undefined;
}

export interface UpstreamOptions {
  /** The interface's `{base_url}`. */
  readonly baseUrl: string;
  /** Where tokens are issued, if not at `{base_url}/v1.0/token`. */
  readonly tokenUrl?: string | undefined;
  /** Which of the interface's two descriptions the headers follow. */
  readonly variant: 'A' | 'B';
  readonly dialect: Dialect;
  /** For one call with its token and second try, in milliseconds. */
  readonly timeoutMs: number;
  readonly callBudget?: CallBudget | undefined;
  /** How gateways in front of one platform share its pause. */
  readonly sharedPause?: SharedPause | undefined;
  /** How gateways with the same credentials renew their token as one. */
  readonly sharedRenewal?: ((credentials: Credentials) => Renewal) | undefined;
  /** Told of each call; none where absent. */
  readonly observers?: Observers | undefined;
  /** Called when a circuit breaker opens, and when it closes after that. */
  readonly onConnection?: ((host: 'platform' | 'token issuer', isLost: boolean) => void) | undefined;
}

/** Connects to a platform. Nothing is sent before the first call. */
export function createUpstreamFactory(options: UpstreamOptions): UpstreamFactory {
  const { variant, dialect, timeoutMs, callBudget, sharedRenewal, onConnection } = options;
  const { observers = createObservers() } = options;
  const platform = createHttpClient(options.baseUrl);
  const issuerUrl = options.tokenUrl === undefined ? undefined : new URL(options.tokenUrl);
  const issuer = issuerUrl && createHttpClient(issuerUrl.origin);
  const tokenPath = issuerUrl ? issuerUrl.pathname + issuerUrl.search : '/v1.0/token';

  /** Counts each request that is sent, and reports it to observers. */
  const counted = ({ send }: HttpClient, url: string | URL): Send => {
    const server = serverOf(url);
    const sendCounted = withinBudget(send, callBudget);
    return (request) => {
      const { operation: name, method, resends } = request;
      return observers.call({ name, target: 'platform', method, server, resends }, (headers) =>
        sendCounted({ ...request, headers: { ...request.headers, ...headers } }),
      );
    };
  };
  const breaker = createCircuitBreaker(counted(platform, options.baseUrl), {
    onChange: onConnection?.bind(undefined, 'platform'),
  });
  const retry = createRetry({ timeoutMs, isOpen: breaker.isOpen });
  const pause = createRateLimitPause(options.sharedPause);
  // The issuer has a breaker of its own: a platform that answers must not be given up for an issuer that does not.
  const issuerBreaker = createCircuitBreaker(counted(issuer ?? platform, issuerUrl ?? options.baseUrl), {
    onChange: onConnection?.bind(undefined, 'token issuer'),
  });
  const issuerRetry = createRetry({ timeoutMs, isOpen: issuerBreaker.isOpen });

  const pageSizes = createPageSizes(dialect.list.maxPageSize);

  const createUpstream = (tokens: TokenSource, caller: string | undefined): Upstream => {
    const client = createClient({
      send: breaker.send,
      caller,
      currentCaller: observers.caller,
      variant,
      tokens,
      dialect,
      retry,
      pause,
    });
    return {
      ...createResources(client, dialect),
      dialect,
      pageSizes,
      async authenticate() {
        await tokens.current();
      },
    };
  };
  const issue = (credentials: Credentials, kind: CallKind): Promise<Token> =>
    issuerRetry({ operation: 'getToken', isRead: true }, (endsAtMs) =>
      signIn(credentials, { send: issuerBreaker.send, kind, tokenPath, dialect, endsAtMs }),
    );

  return {
    forCaller: createUpstream,
    forService(credentials) {
      const issueOwn = () => issue(credentials, 'renewal');
      const tokens = createTokenSource({ issue: issueOwn, renewal: sharedRenewal?.(credentials) });
      return createUpstream(tokens, undefined);
    },
    signIn: (credentials) => issue(credentials, 'sign-in'),
    isAnswering: () => !breaker.isTripped() && !issuerBreaker.isTripped(),
    state: async () => ({
      pauseMs: pause.restMs(),
      budget: await callBudget?.left(),
    }),
    async close() {
      await Promise.all([platform.close(), issuer?.close()]);
    },
  };
}
