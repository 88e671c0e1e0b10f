import type { GraphQLSchema } from 'graphql';

import type { OperationContext } from '../graphql/context.ts';
import type { Log } from '../telemetry/log.ts';
import { createContextOf } from './context.ts';
import { addExtensions, type ExtendedSchema, type LeftOut } from './extend-schema.ts';
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
  /** That schema, before and after. `undefined` where none was. */
  extended(): (ExtendedSchema & { readonly platform: GraphQLSchema }) | undefined;
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
  let latest: ReturnType<Extensions['extended']>;
  // A module that does not await all of its promises would end the process, at the first failure of a service.
  const logUnhandled = (err: unknown) => log.error({ err }, 'a promise failed that nothing awaits');
  process.on('unhandledRejection', logUnhandled);

  return {
    extend(platform) {
      const extended = addExtensions(platform, loaded);
      logNews(extended.leftOut, latest?.leftOut ?? [], log);
      latest = { ...extended, platform };

      const graph = { schema: platform, views: createViews(platform) };
      for (const { extension, services } of opened) {
        const contextOf = createContextOf({ ...graph, file: extension.file, services, log });
        const own = { ...graph, contextOf, onError: reportTo(extension, options) };
        const fields = extended.fields.filter((field) => field.extension === extension);
        for (const field of fields) attachResolver(field, own);
      }
      attachTypeResolvers(extended.schema, platform);
      return extended.schema;
    },
    leftOut: () => latest?.leftOut ?? [],
    extended: () => latest,
    async close() {
      process.off('unhandledRejection', logUnhandled);
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
