import type { GraphQLSchema } from 'graphql';

import type { OperationContext } from '../graphql/context.ts';
import type { Log } from '../telemetry/log.ts';
import { createContextOf } from './context.ts';
import { addExtensions, type LeftOut } from './extend-schema.ts';
import { type LoadedExtension, loadExtensions } from './load.ts';
import { attachResolver, attachTypeResolvers } from './resolvers.ts';
import { createServices, type ServicesOptions } from './services.ts';
import { createViews } from './views.ts';

/** The team's own part of the graph. */
export interface Extensions {
  /** Gives a schema of the platform with all that fits it, and logs what did not fit and did not before either. */
  extend(schema: GraphQLSchema): GraphQLSchema;
  /** What the schema that was extended last lacks. */
  leftOut(): readonly LeftOut[];
  close(): Promise<void>;
}

interface ExtensionsOptions extends ServicesOptions {
  readonly log: Log;
  /** Whether the log may have the messages of errors, which may quote what somebody sent. */
  readonly isProduction: boolean;
}

/** @param path a module, or a folder of them. @throws {ConfigError} naming each that cannot be used. */
export async function openExtensions(path: string, options: ExtensionsOptions): Promise<Extensions> {
  const { log } = options;
  const loaded = await loadExtensions(path);
  const opened = loaded.map((extension) => ({ extension, services: createServices(extension, options) }));
  let leftOut: readonly LeftOut[] = [];

  return {
    extend(base) {
      const extended = addExtensions(base, loaded);
      logNews(extended.leftOut, leftOut, log);
      leftOut = extended.leftOut;

      const graph = { schema: base, views: createViews(base) };
      for (const { extension, services } of opened) {
        const contextOf = createContextOf({ ...graph, file: extension.file, services, log });
        const own = { ...graph, contextOf, onError: reportTo(extension, options) };
        const fields = extended.fields.filter((field) => field.extension === extension);
        for (const field of fields) attachResolver(field, own);
      }
      attachTypeResolvers(extended.schema, base);
      return extended.schema;
    },
    leftOut: () => leftOut,
    async close() {
      await Promise.all(opened.map(({ services }) => services.close()));
    },
  };
}

/** The log has every error, but without its message; who writes an extension needs that. */
const reportTo =
  ({ file }: LoadedExtension, { log, isProduction }: ExtensionsOptions) =>
  (error: unknown, { ids }: OperationContext): void => {
    if (isProduction) return;
    const reason = error instanceof Error ? error.message : String(error);
    log.warn({ extension: file, ...ids, reason }, 'a resolver of an extension failed');
  };

function logNews(leftOut: readonly LeftOut[], before: readonly LeftOut[], log: Log): void {
  const known = new Set(before.map(keyOf));
  for (const part of leftOut.filter((one) => !known.has(keyOf(one)))) {
    log.warn(part, 'a part of an extension does not fit the graph and is omitted');
  }
}

const keyOf = ({ file, place, reason }: LeftOut): string => JSON.stringify([file, place, reason]);
