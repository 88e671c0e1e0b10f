import { inspect } from 'node:util';
import type { GraphQLSchema } from 'graphql';

import type { Facts, StatusSection } from '../../core/facts.ts';
import type { Log } from '../../core/log.ts';
import type { OperationContext } from '../../graphql/context.ts';
import { createContextOf } from './context.ts';
import { addExtensions, type ExtendedSchema, type LeftOut } from './extend-schema.ts';
import { ExtensionError } from './extension.ts';
import { type LoadedExtension, loadExtensions } from './load.ts';
import { attachResolver, attachTypeResolvers } from './resolvers.ts';
import { ResultError } from './results.ts';
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
  readonly facts?: Facts | undefined;
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
  options.facts?.figures.push({
    name: 'caseway_extension_parts_left_out',
    help: 'Parts of extensions that do not fit the graph and are left out; the log and /status name them.',
    type: 'gauge',
    read: () => latest?.leftOut.length ?? 0,
  });
  options.facts?.sections.push(() => describeExtensions(latest?.leftOut ?? []));

  return {
    extend(platform) {
      const extended = addExtensions(platform, loaded);
      logNews(extended.leftOut, latest?.leftOut ?? [], log);
      latest = { ...extended, platform };

      const graph = { schema: platform, views: createViews(platform) };
      for (const { extension, services } of opened) {
        const contextOf = createContextOf({ ...graph, file: extension.file, services, log });
        const reportOf = (coordinate: string) => createReport(extension, coordinate, options);
        const own = { ...graph, extended: extended.schema, contextOf, reportOf };
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

/** What clients read in production, where messages are for the authors of extensions alone. */
const FAILED = 'An extension failed to give this value.';
/** A message that quotes a value may be as long as the value. */
const MAX_MESSAGE_LENGTH = 1_000;

/** Makes what logs the first failure of a field in each operation, and words all of them for clients. */
function createReport({ file }: LoadedExtension, field: string, { log, isProduction }: ExtensionsOptions) {
  const reported = new WeakSet<OperationContext>();
  return (thrown: unknown, operation: OperationContext): Error => {
    const message = (thrown instanceof Error ? thrown.message : inspect(thrown)).slice(0, MAX_MESSAGE_LENGTH);
    if (!reported.has(operation)) {
      reported.add(operation);
      const cause = isProduction ? describeWithoutValues(thrown) : { reason: message, err: thrown };
      log.warn({ extension: file, field, ...operation.ids, ...cause }, 'a field of an extension failed');
    }
    return new ExtensionError('EXTENSION_FAILED', isProduction ? FAILED : message, { cause: thrown });
  };
}

/** Any message may have values, which a production log must not: GraphQL's have them at their end. */
const describeWithoutValues = (thrown: unknown) =>
  thrown instanceof ResultError ? { reason: thrown.message.split(/: |\n/, 1)[0] } : { err: thrown };

function logNews(leftOut: readonly LeftOut[], before: readonly LeftOut[], log: Log): void {
  const known = new Set(before.map(keyOf));
  for (const part of leftOut.filter((one) => !known.has(keyOf(one)))) {
    log.warn(part, 'a part of an extension does not fit the graph and is omitted');
  }
}

const keyOf = ({ file, place, reason }: LeftOut): string => JSON.stringify([file, place, reason]);

const describeExtensions = (leftOut: readonly LeftOut[]): StatusSection => ({
  title: 'Extensions',
  facts: [],
  tables: [
    {
      caption: 'Parts that are left out',
      columns: ['File', 'Place', 'Reason'],
      rows: leftOut.map(({ file, place, reason }) => [file, place, reason]),
      whenEmpty: 'None.',
    },
  ],
});
