import type { FastifyPluginAsync } from 'fastify';

import type { CacheStore } from './cache/store.ts';
import type { TracesConfig } from './config/config.ts';
import type { Settings } from './config/settings.ts';
import type { Facts } from './core/facts.ts';
import type { Log } from './core/log.ts';
import type { Observers } from './core/observers.ts';
import type { Authenticate } from './http/auth/identity.ts';
import type { OperatorServer } from './http/operator-server.ts';
import type { HttpServer } from './http/server.ts';
import type { UpstreamFactory } from './upstream/index.ts';

/** A capability that a gateway may go without: one folder of `features/`, and the lines of `app.ts` that name it. */
export interface Feature {
  /** Adds the capability to a gateway that is being opened. Features are opened one after the other, as `app.ts` lists them. */
  open(gateway: GatewayParts): Promise<void> | void;
}

/** What a gateway offers its features. */
export interface GatewayParts {
  readonly version: string;
  readonly settings: Settings;
  readonly traces: TracesConfig | undefined;
  /** Whether clients may see the schema, and what their operations cost. */
  readonly isExplorable: boolean;
  readonly log: Log;
  readonly observers: Observers;
  readonly facts: Facts;
  readonly upstream: UpstreamFactory;
  readonly store: CacheStore;
  readonly http: Pick<HttpServer, 'load' | 'isStopping'> & {
    /** Routes and hooks that the HTTP server registers before it listens. */
    readonly plugins: FastifyPluginAsync[];
    /** Lets those pass who may call the graph. @throws {RequestError} for all others. */
    readonly authenticate: Authenticate;
    /** Gives the current schema. */
    sdl(): string;
  };
  /** Where operators are served; `undefined` without `METRICS_PORT`. */
  readonly operator: OperatorServer | undefined;
  /** Resolves when the gateway can do its work. @throws {UpstreamError} when the platform gives it no token. */
  checkReady(): Promise<void>;
  /** Whether the schema lacks the types of forms. */
  isSchemaMissing(): boolean;
  /** Closes something with the gateway: what was opened last is closed first. */
  defer(close: () => Promise<void> | void): void;
}
