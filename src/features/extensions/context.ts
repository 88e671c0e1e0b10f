import type { GraphQLObjectType, GraphQLSchema } from 'graphql';
import { toAbortSignal } from '../../core/abort.ts';
import type { Log } from '../../core/log.ts';
import type { ChangeOrigin } from '../../core/observers.ts';
import type { OperationContext } from '../../graphql/context.ts';
import type { Context } from './extension.ts';
import type { Services } from './services.ts';
import type { ViewsOf } from './views.ts';

/** The platform's graph as extensions use it: without what they add. */
export interface PlatformGraph {
  readonly schema: GraphQLSchema;
  readonly viewsOf: ViewsOf;
}

interface ExtensionContextOptions extends PlatformGraph {
  /** The extension's. */
  readonly file: string;
  readonly services: Services;
  readonly log: Log;
}

/** Creates the contexts of an extension's resolvers: one for each operation. */
export type ContextOf = (operation: OperationContext) => Context;

export const createContextOf = (options: ExtensionContextOptions): ContextOf =>
  perOperation((operation) => new ExtensionContext(operation, options));

/**
 * Makes a value once for each operation, which holds it. A `WeakMap` would keep the values, and the operations with them, until
 * a full collection.
 */
export function perOperation<T>(make: (operation: OperationContext) => T): (operation: OperationContext) => T {
  const key = Symbol('made by an extension');
  return (operation) => {
    const holder: OperationContext & { [key]?: T } = operation;
    holder[key] ??= make(operation);
    return holder[key];
  };
}

/**
 * Its members are its own, so that `{ ...context }` has them. Getters are the same for all contexts, and closures are made
 * outside of the constructor: else V8 keeps each context until a full collection.
 */
class ExtensionContext implements Context {
  readonly platform: PlatformRoots;
  declare readonly caller: Context['caller'];
  declare readonly signal: Context['signal'];
  readonly fetch: Context['fetch'];
  readonly services: Context['services'];
  readonly log: Context['log'];
  readonly #operation: OperationContext;

  static readonly #WHEN_READ: PropertyDescriptorMap & ThisType<ExtensionContext> = {
    caller: {
      enumerable: true,
      get() {
        const { work, session, scope } = this.#operation;
        work.markPersonal();
        return session.viewer && { name: session.viewer.name, role: scope.rights?.role };
      },
    },
    signal: {
      enumerable: true,
      get() {
        return toAbortSignal(this.#operation.work.signal);
      },
    },
  };

  constructor(operation: OperationContext, { file, services, log, ...graph }: ExtensionContextOptions) {
    this.#operation = operation;
    this.platform = new PlatformRoots(operation, graph, file);
    Object.defineProperties(this, ExtensionContext.#WHEN_READ);
    this.fetch = services.fetchFor(operation);
    this.services = services.of(operation);
    this.log = logWith(log, { extension: file, ...operation.ids });
  }
}

class PlatformRoots {
  readonly #operation: OperationContext;
  readonly #graph: PlatformGraph;
  readonly #file: string;

  constructor(operation: OperationContext, graph: PlatformGraph, file: string) {
    this.#operation = operation;
    this.#graph = graph;
    this.#file = file;
  }

  get query() {
    return this.#rootOf(this.#graph.schema.getQueryType());
  }

  get mutation() {
    // A query may come from anywhere, be repeated, and run beside others.
    if (this.#operation.operation?.kind !== 'mutation')
      throw new Error('Only resolvers of mutations may change the platform.');
    const writer = withOrigin(this.#operation, { extension: this.#file });
    return this.#rootOf(this.#graph.schema.getMutationType(), writer);
  }

  #rootOf(type: GraphQLObjectType | null | undefined, record?: OperationContext): object {
    return type ? this.#graph.viewsOf(type)(record, this.#operation) : {};
  }
}

/** The context of an operation, for changes that come from an extension. */
function withOrigin(operation: OperationContext, origin: ChangeOrigin): OperationContext {
  const write: OperationContext['write'] = (name, input, change) => operation.write(name, input, change, origin);
  return Object.assign(Object.create(operation), { write });
}

function logWith(log: Log, fixed: object): Context['log'] {
  const write = (level: keyof Context['log']) => (fields: object, message: string) =>
    log[level]({ ...fields, ...fixed }, message);
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}
