import { hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';

import type { Cache } from '../../cache/cache.ts';
import { OpenItems } from '../../core/open-items.ts';
import { type PreparedOperation, reportOperation } from '../../graphql/operations.ts';
import type { Identity } from '../../http/auth/identity.ts';
import type { Subscribe, SubscriptionRequest } from '../../http/graphql-route.ts';
import { type Framing, framingFor } from './framing.ts';
import {
  findExcess,
  LiveOperation,
  type LiveOperationOptions,
  type OperationRequest,
  type Run,
} from './live-operation.ts';
import type { Poller } from './poller.ts';
import type { LiveParts } from './settings.ts';
import { Share } from './share.ts';
import { createStreams, overloaded, type Streams } from './streams.ts';
import { ReadLog } from './subscription-type.ts';

/** The characters that all live operations may keep, which take up to twice as many bytes, and one caller's part of them. */
const MAX_KEPT = 33_554_432;
const CALLER_KEPT_SHARE = 0.25;

/** The subscriptions of one gateway. */
export class LiveQueries {
  readonly counts = { runs: 0, results: 0 };
  readonly streams: Streams;
  readonly #options: Omit<LiveOperationOptions, 'onEnded'>;
  readonly #operations = new OpenItems<LiveOperation>();
  readonly #byKey = new WeakMap<Cache, Map<string, LiveOperation>>();

  constructor(parts: LiveParts, poller: Poller) {
    const kept = new Share(MAX_KEPT, MAX_KEPT * CALLER_KEPT_SHARE);
    this.#options = { ...parts, poller, kept, counts: this.counts, onPersonal: (operation) => this.#split(operation) };
    this.streams = createStreams(parts);
  }

  get operations(): number {
    return this.#operations.size;
  }

  readonly subscribe: Subscribe = async (subscription) => {
    const { context, reply, identity } = subscription;
    const framing = framingFor(subscription.request);
    this.#admit(identity.caller, 0);
    // Its client may have left while it was authenticated, or while it runs.
    const hasLeft = () => reply.raw.closed;
    const current = this.#findCurrent(subscription);
    if (current && !hasLeft()) {
      context.onValid?.();
      // A stream that joins an operation is an operation as well.
      context.onAnswered(reportOperation(context, current.prepared, { errors: [], codes: [], hasData: true }));
      return this.#open(subscription, framing, current);
    }

    const reads = new ReadLog();
    context.stats.reads = reads;
    const { body, report } = await subscription.run();
    const prepared = this.#findPrepared(subscription);
    // What was refused is answered as any operation.
    if (reply.statusCode !== 200 || report === undefined || prepared === undefined || hasLeft()) return body;
    const excess = findExcess(body, reads);
    if (excess) throw excess;
    // Others may have come meanwhile.
    this.#admit(identity.caller, body.length);
    const viewer = context.stats.isPersonal ? viewerOf(identity) : undefined;
    const operation = this.#get(toRequest(subscription, prepared, viewer), prepared, identity);
    return this.#open(subscription, framing, operation, { body, reads, errors: report.errors });
  };

  /** Prepares all operations for a schema that has taken the place of another. Requests are served between two of them. */
  async schemaReplaced(): Promise<void> {
    for (const operation of this.#operations.toArray()) {
      await nextTurn();
      operation.prepareAgain();
    }
  }

  /** @throws {RequestError} for a subscription that cannot be served now. */
  #admit(caller: string | undefined, length: number): void {
    this.streams.admit(caller);
    if (this.#options.kept.excess(caller, length)) throw overloaded();
  }

  #findPrepared({ text, operation: { operationName } }: SubscriptionRequest): PreparedOperation | undefined {
    return this.#options.gateway.graph.current().prepared.get(text, operationName);
  }

  /** Finds an equal operation whose result is up to date. */
  #findCurrent(subscription: SubscriptionRequest): LiveOperation | undefined {
    const { identity } = subscription;
    const prepared = this.#findPrepared(subscription);
    if (prepared === undefined) return undefined;
    const found = [undefined, viewerOf(identity)].map((viewer) =>
      this.#byKey.get(identity.scope.cache)?.get(keyOf(toRequest(subscription, prepared, viewer))),
    );
    return found.find((operation) => operation?.isCurrent);
  }

  /** Gives the operation of a request; creates it where there is none. */
  #get(request: OperationRequest, prepared: PreparedOperation, { scope, caller }: Identity): LiveOperation {
    const ofScope = this.#byKey.get(scope.cache) ?? new Map<string, LiveOperation>();
    this.#byKey.set(scope.cache, ofScope);
    const key = keyOf(request);
    const known = ofScope.get(key);
    if (known) return known;
    const operation = new LiveOperation(request, prepared, caller, {
      ...this.#options,
      onEnded() {
        remove();
        ofScope.delete(key);
      },
    });
    const remove = this.#operations.add(operation);
    ofScope.set(key, operation);
    return operation;
  }

  /** Gives each viewer an operation of their own. */
  #split(shared: LiveOperation): void {
    for (const stream of [...shared.streams]) {
      const { identity } = stream;
      const own = this.#get({ ...shared.request, viewer: viewerOf(identity) }, shared.prepared, identity);
      shared.remove(stream);
      own.add(stream);
      own.changed(this.#options.gateway.store.now());
    }
  }

  #open(subscription: SubscriptionRequest, framing: Framing, operation: LiveOperation, first?: Run): Readable {
    const stream = this.streams.open(subscription, framing);
    operation.add(stream, first);
    return stream;
  }
}

function toRequest(
  { text, operation: { operationName, variables = {} } }: SubscriptionRequest,
  { definition: { variableDefinitions = [] } }: PreparedOperation,
  viewer: string | undefined,
): OperationRequest {
  const declared = variableDefinitions.map(({ variable }) => variable.name.value);
  const given = declared.filter((name) => Object.hasOwn(variables, name)).map((name) => [name, variables[name]]);
  return { text, operationName, variables: Object.fromEntries(given), viewer };
}

const keyOf = ({ text, operationName, variables, viewer }: OperationRequest): string =>
  hash('sha256', JSON.stringify([text, operationName, variables, viewer]), 'base64url');

const viewerOf = ({ session: { viewer } }: Identity): string => viewer?.name ?? '';
