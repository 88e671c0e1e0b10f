import type { FastifyInstance, FastifyPluginAsync } from 'fastify';
import type { z } from 'zod';

import type { EndedSessions, SharedEndings } from '../cache/ended-sessions.ts';
import type { ShareRun } from '../cache/idempotency.ts';
import type { CacheStore } from '../cache/store.ts';
import type { Config, GatewayLimits } from '../config/config.ts';
import type { Environment, Report } from '../config/load.ts';
import type { Settings } from '../config/settings.ts';
import type { Facts } from '../core/facts.ts';
import type { Json } from '../core/json.ts';
import type { Log } from '../core/log.ts';
import type { Observers } from '../core/observers.ts';
import type { PersistedDocuments } from '../graphql/admission/persisted-documents.ts';
import type { DocumentRule, TrustedOptions } from '../graphql/admission/trusted-documents.ts';
import type { SchemaManager } from '../graphql/apollo-server.ts';
import type { Login } from '../graphql/context.ts';
import type { Authorization } from '../http/auth/identity.ts';
import type { AnswerOperation, CallerRoute } from '../http/graphql-route.ts';
import type { OverloadLimit } from '../http/overload.ts';
import type { Reload } from '../reload/reload.ts';
import type { Buckets } from '../upstream/call-buckets.ts';
import type { ReadKind } from '../upstream/call-budget.ts';
import type { Dialect } from '../upstream/dialect.ts';
import type { Service, UpstreamFactory } from '../upstream/index.ts';
import type { FieldRecord } from '../upstream/records.ts';
import type { Renewal } from '../upstream/token-provider.ts';
import type { Command, Signals } from './command.ts';

/**
 * An optional capability of a gateway: a folder of `features/`, and the lines of `app/index.ts`
 * that name it.
 */
export interface Feature {
  /**
   * Its settings, an object with a member for each environment variable. The title is its heading
   * in `docs/settings.md`.
   */
  readonly settings?: z.ZodObject;
  readonly commands?: readonly Command[];
  /**
   * Reads the settings and reports each problem. Returns `undefined` if the feature is disabled.
   */
  configure(source: ConfigSource): ConfiguredFeature | undefined;
}

/** The input of `configure`. `settings` also contains the feature's own settings. */
interface ConfigSource extends Pick<Config, 'settings' | 'callers' | 'sessionKeys'> {
  readonly env: Environment;
  readonly report: Report;
}

/**
 * An enabled feature. Features are opened one at a time, and no feature may depend on the order.
 */
export interface ConfiguredFeature {
  /** The kind of the feature's own reads in the call budget. */
  readonly readKind?: ReadKind;
  /**
   * Opens a platform if `UPSTREAM_URL` is not set.
   *
   * @throws {Error} if the platform cannot be opened.
   */
  openPlatform?(parts: Pick<Gateway, 'log' | 'defer'>): Promise<OpenedPlatform>;
  /** Checks trusted documents at the start and after each change. Returns the problems. */
  readonly checkDocuments?: DocumentRule;
  /**
   * Opens the state that replicas share, before the platform is connected. Each replica keeps in
   * memory the parts that the result leaves out.
   */
  share?(parts: SharedParts): Promise<SharedState>;
  /** Adds the capability to a gateway that is being opened. */
  open?(gateway: Gateway): Promise<void> | void;
  /** Why the feature requires `DOCUMENTS`, unless every caller has documents of their own. */
  readonly needsDocuments?: string;
  /** Whether every caller has documents of their own. */
  readonly hasDocuments?: boolean;
  /**
   * Checks the feature's files as a start does. Returns a line about each file, with the name of
   * its setting.
   *
   * @param readGraph reads the schema.
   */
  checkFiles?(
    readGraph: () => Promise<Omit<TrustedOptions, 'settings'>>,
    report: Report,
    log: Log,
  ): Promise<readonly (readonly [what: string, text: string])[]>;
  /**
   * Checks the value of a field as the graph does when it reads it.
   *
   * @throws {UpstreamError} `malformed` if the value does not fit.
   */
  checkValue?(field: FieldRecord, value: Json | undefined, dialect: Dialect): void;
  /**
   * Adds the parts that need the schema, after the schema is built.
   *
   * @throws {ConfigError} for files or settings that cannot be used.
   */
  start?(rules: readonly DocumentRule[], gateway: Gateway): Promise<void>;
}

/** The platform that a feature has opened. */
interface OpenedPlatform {
  /** The interface's `{base_url}`. */
  readonly url: string;
  /** The user that the gateway signs in with. */
  readonly user: Login;
  /** The users to offer to a developer. */
  readonly users: readonly SampleUser[];
  /** Lines that describe the platform, printed at the start. */
  readonly about: readonly string[];
}

/** A user of sample data, whose password is no secret. */
export interface SampleUser extends Login {
  /** Continues a sentence after the name: "may read, five requests per minute". */
  readonly about: string;
}

type SharedParts = Pick<Gateway, 'log' | 'facts' | 'defer'> & {
  /** The interface's `{base_url}`. */
  readonly platformUrl: string;
};

/**
 * The state that all replicas in front of one platform may share. Absent members are not shared.
 */
export interface SharedState {
  /** Counts the calls of the budget and the requests of callers. */
  readonly callBuckets?: Buckets;
  /**
   * Renews a token once for all replicas with the same credentials, within `deadlineMs`
   * milliseconds.
   */
  readonly tokenRenewal?: (deadlineMs: number) => Renewal;
  /**
   * Runs a change only once for each idempotency key. Outcomes are kept for `keptMs`, and a write
   * takes at most `deadlineMs`, both in milliseconds.
   */
  readonly shareRuns?: (deadlineMs: number, keptMs: number) => ShareRun;
  /** Sends and receives the ends of sessions. */
  readonly sharedEndings?: SharedEndings;
  /**
   * Sends this replica's invalidations to the others, and applies theirs to this replica's store.
   */
  readonly shareInvalidations?: (store: CacheStore) => void;
  /**
   * Connects, after all listeners are registered. Resolves after the first attempt, whether it
   * succeeded or not.
   */
  readonly open?: () => Promise<void>;
}

/** The parts of a gateway that its features may use. */
export interface Gateway {
  readonly version: string;
  readonly settings: Settings;
  readonly limits: GatewayLimits;
  readonly dialect: Dialect;
  /** Whether clients may read the schema and the cost of their operations. */
  readonly isExplorable: boolean;
  readonly log: Log;
  readonly observers: Observers;
  readonly facts: Facts;
  readonly signals: Signals;
  /** Limits calls across all replicas. Each feature chooses the names of its buckets. */
  readonly callBuckets: Buckets;
  readonly upstream: UpstreamFactory;
  /** The platform with the gateway's own credentials. `undefined` if it has no credentials. */
  readonly service: Service | undefined;
  /** The users of the embedded platform. Empty in production, and with another platform. */
  readonly sampleUsers: readonly SampleUser[];
  /** The trusted documents. */
  readonly documents: Pick<PersistedDocuments, 'trusted'>;
  /** The watched files. A feature may add its own. */
  readonly files: Pick<Reload, 'add' | 'onReplaced'>;
  readonly store: CacheStore;
  readonly endedSessions: Pick<EndedSessions, 'onEnded'>;
  readonly graph: SchemaManager;
  /** The permissions of callers. A feature may restrict them. */
  readonly authorization: Authorization;
  readonly http: {
    /** Returns the number of requests in flight, and the limit. */
    readonly load: OverloadLimit['usage'];
    /** Whether the gateway has begun to stop. */
    readonly isStopping: () => boolean;
    /** Plugins with routes and hooks. The HTTP server registers them before it listens. */
    readonly plugins: FastifyPluginAsync[];
    /**
     * Routes for callers of the graph. A request passes the same checks as `/graphql`, up to the
     * operation.
     */
    readonly routes: CallerRoute[];
    /** Handlers by kind of operation. Other kinds run once and are answered in JSON. */
    readonly answers: Map<string, AnswerOperation>;
  };
  /** The server for operators, on a port of its own. `undefined` without `METRICS_PORT`. */
  readonly operator: FastifyInstance | undefined;
  /** Runs `close` when the gateway closes. The last one added runs first. */
  defer(close: () => Promise<void> | void): void;
}
