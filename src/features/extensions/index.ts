import { z } from 'zod';

import { TEXT } from '../../config/setting-types.ts';
import { valuesOf } from '../../config/settings.ts';
import { messageOf } from '../../core/errors.ts';
import { gauge } from '../../core/facts.ts';
import type { OperationContext } from '../../graphql/context.ts';
import type { Feature, Gateway } from '../feature.ts';
import { addExtensions, type LeftOut } from './extend-schema.ts';
import { ExtensionError } from './extension.ts';
import { createOutgoing } from './fetch.ts';
import { type LoadedExtension, loadExtensions } from './load.ts';
import { createRunDocument } from './query.ts';
import { attachResolver } from './resolvers.ts';
import { ResultError } from './results.ts';

const SETTINGS = z
  .object({
    EXTENSIONS: TEXT.optional().meta({
      unit: 'module or folder',
      whenUnset: 'the platform’s graph alone',
      description:
        'A TypeScript or JavaScript module with fields, types and resolvers of your own, or a folder of such modules.',
      isOfSchema: true,
    }),
  })
  .meta({ title: 'Extensions' });

/** Adds a team's own types, fields and resolvers to the graph. */
export const extensions: Feature = {
  settings: SETTINGS,
  configure({ settings }) {
    const { EXTENSIONS: path } = valuesOf(settings, SETTINGS);
    if (path === undefined) return undefined;
    return {
      open: (gateway) => openExtensions(path, gateway),
      async checkFiles(_readGraph, _report, log) {
        const loaded = await loadExtensions(path, log);
        return loaded.map(({ file }) => ['EXTENSIONS', file]);
      },
    };
  },
};

/**
 * Loads the extensions and adds them to each new schema.
 *
 * @param path a module, or a folder of modules.
 * @throws {ConfigError} naming each module that cannot be used.
 */
async function openExtensions(path: string, gateway: Gateway): Promise<void> {
  const { log, facts, graph, defer } = gateway;
  const loaded = await loadExtensions(path, log);
  const opened = loaded.map((extension) => ({
    extension,
    outgoing: createOutgoing(extension.file, gateway),
  }));
  let leftOut: readonly LeftOut[] = [];
  // Node ends the process if a rejected promise is not awaited. A module may forget to await one.
  const logUnhandled = (err: unknown) => log.error({ err }, 'a promise failed that nothing awaits');
  process.on('unhandledRejection', logUnhandled);
  defer(async () => {
    process.off('unhandledRejection', logUnhandled);
    await Promise.all(opened.map(({ outgoing }) => outgoing.close()));
  });
  const help =
    'Extensions that do not fit the graph and are left out; the log and /status name them.';
  facts.gauges.push(gauge('caseway_extension_parts_left_out', help, () => leftOut.length));
  facts.status.push(() =>
    leftOut.map(({ file, reason }) => ({ title: file, text: `left out: ${reason}` })),
  );
  facts.readiness.push({
    name: 'extensions',
    isRequired: false,
    read: () => (leftOut.length === 0 ? 'ok' : `${leftOut.length} left out`),
  });

  graph.addStep('team', (platform) => {
    const extended = addExtensions(platform, loaded);
    leftOut = extended.leftOut;
    for (const one of leftOut) log.warn(one, 'an extension does not fit the graph and is left out');
    const isIn = ({ file }: LoadedExtension) => !leftOut.some((one) => one.file === file);
    log.info({ extensions: loaded.filter(isIn).map(({ file }) => file) }, 'extensions are loaded');
    for (const { extension, outgoing } of opened) {
      const { file } = extension;
      const reportOf = (coordinate: string) => createReport(extension, coordinate, gateway);
      const runDocument = createRunDocument(graph, file);
      const own = {
        extended: extended.schema,
        platform,
        file,
        runDocument,
        outgoing,
        log,
        reportOf,
      };
      const fields = extended.fields.filter((field) => field.extension === extension);
      for (const field of fields) attachResolver(field, own);
    }
    return extended.schema;
  });
}

/** The message for clients in production. There, only the log has the details. */
const FAILED = 'An extension failed to give this value.';

/**
 * Returns a function that logs the first failure of a field in each operation, and returns the
 * error for clients.
 */
function createReport({ file }: LoadedExtension, field: string, { log, settings }: Gateway) {
  // The production log contains no error messages, since they may quote a client's values.
  const isProduction = settings.NODE_ENV === 'production';
  const reported = new WeakSet<OperationContext>();
  return (thrown: unknown, operation: OperationContext): Error => {
    const message = messageOf(thrown);
    if (!reported.has(operation)) {
      reported.add(operation);
      const cause = isProduction ? describeWithoutValues(thrown) : { reason: message, err: thrown };
      log.warn(
        { extension: file, field, ...operation.ids, ...cause },
        'a field of an extension failed',
      );
    }
    return new ExtensionError('EXTENSION_FAILED', isProduction ? FAILED : message, {
      cause: thrown,
    });
  };
}

/**
 * Describes a failure for the production log, which must not contain values. Only messages of
 * GraphQL are known to have their values at the end, where they can be cut off.
 */
const describeWithoutValues = (thrown: unknown) =>
  thrown instanceof ResultError ? { reason: thrown.message.split(/: |\n/, 1)[0] } : { err: thrown };
