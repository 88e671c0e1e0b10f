import type { Log } from '../../core/log.ts';
import type { OperationContext } from '../../graphql/context.ts';
import type { Context } from './extension.ts';
import type { Outgoing } from './fetch.ts';
import type { Asker, RunDocument } from './query.ts';

/** The parts that all contexts of one extension share. */
export interface ContextParts {
  /** The extension's file. */
  readonly file: string;
  readonly runDocument: RunDocument;
  readonly outgoing: Outgoing;
  readonly log: Log;
}

interface ContextOptions extends ContextParts, Omit<Asker, 'operation' | 'taken'> {}

/**
 * Returns the context for a resolver. It is new for each call if the resolver may make calls, since
 * each context counts them.
 */
export type ContextOf = (operation: OperationContext) => Context;

export function createContextOf(options: ContextOptions): ContextOf {
  const create: ContextOf = (operation) => new ExtensionContext(operation, options);
  return options.calls > 0 ? create : perOperation(create);
}

/**
 * Creates a value once for each operation and stores it in the operation's context. In a `WeakMap`,
 * V8 would keep the values and the operations until a full garbage collection.
 */
export function perOperation<T>(
  make: (operation: OperationContext) => T,
): (operation: OperationContext) => T {
  const key = Symbol('made by an extension');
  return (operation) => {
    const holder: OperationContext & { [key]?: T } = operation;
    // The context of a nested document inherits from the context of its operation.
    if (Object.hasOwn(holder, key)) return holder[key] as T;
    const made = make(operation);
    holder[key] = made;
    return made;
  };
}

/**
 * Checks that the operation has not ended.
 *
 * @throws {Error} after its end.
 */
function checkRunning({ isEnded }: OperationContext): void {
  if (isEnded) throw new Error('This belongs to a request that has ended.');
}

/**
 * The context of a resolver. All members are own properties, so that `{ ...context }` copies them.
 * The getters are shared and the closures are created outside of the constructor. Otherwise V8
 * would keep each context until a full garbage collection.
 */
class ExtensionContext implements Context {
  readonly query: Context['query'];
  declare readonly caller: Context['caller'];
  declare readonly signal: Context['signal'];
  readonly fetch: Context['fetch'];
  readonly log: Context['log'];
  readonly #operation: OperationContext;

  static readonly #WHEN_READ: PropertyDescriptorMap & ThisType<ExtensionContext> = {
    caller: {
      enumerable: true,
      get() {
        checkRunning(this.#operation);
        const { requestState, session, scope } = this.#operation;
        requestState.markPersonal();
        return session.viewer && { name: session.viewer.name, role: scope.permissions?.role };
      },
    },
    signal: {
      enumerable: true,
      get() {
        checkRunning(this.#operation);
        return this.#operation.requestState.signal;
      },
    },
  };

  constructor(operation: OperationContext, options: ContextOptions) {
    const { file, runDocument, outgoing, log, field, mayChange, calls } = options;
    const asker = { operation, field, mayChange, calls, taken: 0 };
    this.#operation = operation;
    this.query = queryFor(asker, runDocument);
    Object.defineProperties(this, ExtensionContext.#WHEN_READ);
    this.fetch = fetchFor(asker, outgoing);
    this.log = logWith(log, { extension: file, ...operation.ids });
  }
}

const queryFor =
  (asker: Asker, runDocument: RunDocument): Context['query'] =>
  async <T>(document: string, variables: object = {}) => {
    checkRunning(asker.operation);
    return (await runDocument(document, variables, asker)) as T;
  };

const fetchFor =
  (asker: Asker, outgoing: Outgoing): Context['fetch'] =>
  async (url, init) => {
    checkRunning(asker.operation);
    return outgoing.call(asker, url, init);
  };

function logWith(log: Log, fixed: object): Context['log'] {
  const write = (level: keyof Context['log']) => (fields: object, message: string) =>
    log[level]({ ...fields, ...fixed }, message);
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}
