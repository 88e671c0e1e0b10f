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
import type {
  DocumentRule,
  PersistedDocuments,
  TrustedOptions,
} from '../graphql/admission/persisted-documents.ts';
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
import type { Renewal } from '../upstream/token-source.ts';
import type { Command, Signals } from './command.ts';

/** A capability that a gateway may go without: one folder of `features/`, and the lines of `app.ts` that name it. */
export interface Feature {
  /** Its settings, by their names in the environment, under the title of its object. */
  readonly settings?: z.ZodObject;
  readonly commands?: readonly Command[];
  /** Reads what the settings mean, and reports each problem. Gives `undefined` where they do not ask for the feature. */
  configure(source: ConfigSource): ConfiguredFeature | undefined;
}

/** The source of a feature's configuration: the core's configuration, and the values of its own settings among the settings. */
interface ConfigSource extends Pick<Config, 'settings' | 'callers' | 'sessionKeys'> {
  readonly env: Environment;
  readonly report: Report;
}

/** A feature that the settings ask for. Features are opened one after the other, in any order. */
export interface ConfiguredFeature {
  /** What its own reads of the platform count as in the call budget. */
  readonly readKind?: ReadKind;
  /** Opens a platform where `UPSTREAM_URL` names none. @throws {Error} where it may not, or cannot. */
  openPlatform?(parts: Pick<Gateway, 'log' | 'defer'>): Promise<OpenedPlatform>;
  /** Says what is wrong with trusted documents, at the start and at each change. */
  readonly checkDocuments?: DocumentRule;
  /** Opens the state that replicas share, before the platform is connected. Members that it leaves out stay in the memory of each. */
  share?(parts: SharedParts): Promise<SharedState>;
  /** Adds the capability to a gateway that is being opened. */
  open?(gateway: Gateway): Promise<void> | void;
  /** Why it needs `DOCUMENTS`, unless callers have documents of their own. */
  readonly needsDocuments?: string;
  /** Whether every caller has documents of their own. */
  readonly hasDocuments?: boolean;
  /** Reads its files as a start does, and gives what they are, by their settings. @param readGraph reads the schema. */
  checkFiles?(
    readGraph: () => Promise<Omit<TrustedOptions, 'settings'>>,
    report: Report,
    log: Log,
  ): Promise<readonly (readonly [what: string, text: string])[]>;
  /** Reads the value of a field as the graph does. @throws {UpstreamError} `malformed` if it does not fit. */
  checkValue?(field: FieldRecord, value: Json | undefined, dialect: Dialect): void;
  /** Adds what depends on the schema, once that is there. @throws {ConfigError} where it cannot be used. */
  start?(rules: readonly DocumentRule[], gateway: Gateway): Promise<void>;
}

/** A platform that a feature has opened. */
interface OpenedPlatform {
  /** The interface's `{base_url}`. */
  readonly url: string;
  /** As whom the gateway signs in there. */
  readonly user: Login;
  /** Lines for those who start the gateway. */
  readonly about: readonly string[];
}

type SharedParts = Pick<Gateway, 'log' | 'facts' | 'defer'> & {
  /** The interface's `{base_url}`. */
  readonly platformUrl: string;
};

/** State that all replicas in front of one platform may share. */
export interface SharedState {
  /** Holds the calls of the budget, and the requests of callers. */
  readonly callBuckets?: Buckets;
  /** Renews a token once for all who have the same credentials; that takes `deadlineMs` at most. */
  readonly tokenRenewal?: (deadlineMs: number) => Renewal;
  /** Makes changes with idempotency keys happen once for `keptMs`; a write takes `deadlineMs` at most. */
  readonly shareRuns?: (deadlineMs: number, keptMs: number) => ShareRun;
  /** Messages between replicas on sessions that have ended. */
  readonly sharedEndings?: SharedEndings;
  /** Sends this replica's invalidations to the others, and applies theirs to this one's store. */
  readonly shareInvalidations?: (store: CacheStore) => void;
  /** Connects, once everything that listens is there. Resolves when the first try has ended, however. */
  readonly open?: () => Promise<void>;
}

/** The parts of a gateway that its features may use. */
export interface Gateway {
  readonly version: string;
  readonly settings: Settings;
  readonly limits: GatewayLimits;
  readonly dialect: Dialect;
  /** Whether clients may see the schema, and what their operations cost. */
  readonly isExplorable: boolean;
  readonly log: Log;
  readonly observers: Observers;
  readonly facts: Facts;
  readonly signals: Signals;
  /** Hold calls to the platform over all replicas. Names are the features' own. */
  readonly callBuckets: Buckets;
  readonly upstream: UpstreamFactory;
  /** The platform as the gateway itself sees it; `undefined` where it has no credentials. */
  readonly service: Service | undefined;
  /** Those that clients may ask for by name. */
  readonly documents: Pick<PersistedDocuments, 'trusted'>;
  /** Files that change without a restart, to which a feature may add its own. */
  readonly files: Pick<Reload, 'add' | 'onReplaced'>;
  readonly store: CacheStore;
  readonly endedSessions: Pick<EndedSessions, 'onEnded'>;
  readonly graph: SchemaManager;
  /** What callers may do, which a feature may restrict. */
  readonly authorization: Authorization;
  readonly http: {
    /** Returns how many requests are in flight, and the limit. */
    readonly load: OverloadLimit['usage'];
    /** Whether the gateway has begun to stop. */
    readonly isStopping: () => boolean;
    /** Routes and hooks that the HTTP server registers before it listens. */
    readonly plugins: FastifyPluginAsync[];
    /** Routes for those who may call the graph, which go through all that `/graphql` does before it runs an operation. */
    readonly routes: CallerRoute[];
    /** What answers operations of a kind otherwise than once and in JSON. */
    readonly answers: Map<string, AnswerOperation>;
  };
  /** Serves operators, on a port of their own that only they need to reach; `undefined` without `METRICS_PORT`. */
  readonly operator: FastifyInstance | undefined;
  /** Closes something with the gateway: what was opened last is closed first. */
  defer(close: () => Promise<void> | void): void;
}
