import type { GraphQLObjectType, GraphQLSchema } from 'graphql';
import type { Log } from '../../core/log.ts';
import type { OperationContext } from '../../graphql/context.ts';
import type { Context } from './extension.ts';
import type { Services } from './services.ts';
import type { Views } from './views.ts';

/** The platform's graph as extensions use it: without what they add, and with what they hide. */
export interface PlatformGraph {
  readonly schema: GraphQLSchema;
  readonly views: Views;
}

/** Gives what resolvers of an extension get: one context for each operation. */
export type ContextOf = (operation: OperationContext) => Context;

interface ExtensionContextOptions extends PlatformGraph {
  /** The extension's. */
  readonly file: string;
  readonly services: Services;
  readonly log: Log;
}

export function createContextOf(options: ExtensionContextOptions): ContextOf {
  const contexts = new WeakMap<OperationContext, Context>();
  return (operation) => {
    const known = contexts.get(operation);
    if (known) return known;
    const made = createContext(operation, options);
    contexts.set(operation, made);
    return made;
  };
}

function createContext(
  operation: OperationContext,
  { file, schema, views, services, log }: ExtensionContextOptions,
): Context {
  const { ids, work } = operation;
  const rootOf = (type: GraphQLObjectType | null | undefined) => (type ? views.of(type)(undefined, operation) : {});
  const write = (level: keyof Context['log']) => (fields: object, message: string) =>
    log[level]({ ...fields, extension: file, ...ids }, message);
  let own: Context['services'] | undefined;

  return {
    platform: {
      get query() {
        return rootOf(schema.getQueryType());
      },
      get mutation() {
        // A query may come from anywhere, be repeated, and run beside others.
        if (operation.operation?.kind !== 'mutation')
          throw new Error('Only resolvers of mutations may change the platform.');
        return rootOf(schema.getMutationType());
      },
    },
    get caller() {
      operation.stats.markPersonal();
      const { viewer } = operation.session;
      return viewer && { name: viewer.name };
    },
    signal: work.signal,
    fetch: (url, init) => services.fetch(operation, url, init),
    get services() {
      own ??= services.of(operation);
      return own;
    },
    log: { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') },
  };
}
