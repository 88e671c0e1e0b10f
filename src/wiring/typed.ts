import type { Log } from '../telemetry/log.ts';
import { type Composed, composeSchema } from '../typed-graph/compose.ts';
import { watchDefinitions } from '../upstream/definitions/watch.ts';
import type { Upstream } from '../upstream/index.ts';
import type { Configuration } from './configuration.ts';
import { openDefinitions } from './definitions.ts';
import { createFollower, type FollowerOptions, tellProblems } from './follower.ts';

/** The public schema, and what keeps a graph of it true to the forms' definitions. */
export interface TypedGraph {
  readonly schema: Composed['schema'];
  /** Whether the schema has the types of all forms that it should have. */
  readonly isWhole: boolean;
  /** Lets a graph follow the definitions, until it is told to stop. */
  follow(followed: Followed): { stop(): void };
}

/** The graph that follows, and what is told of when it does. */
type Followed = Pick<FollowerOptions, 'graph' | 'documents'>;

interface TypedParts {
  /** The platform as the gateway itself sees it; `undefined` where it has no credentials. */
  readonly upstream: Upstream | undefined;
  readonly log: Log;
}

/** Composes the public schema, with types for the forms that the settings say. */
export async function openTypedGraph(configuration: Configuration, { upstream, log }: TypedParts): Promise<TypedGraph> {
  const { dialect, typed } = configuration;
  if (typed === undefined) {
    return { schema: composeSchema([], { dialect }).schema, isWhole: true, follow: () => ({ stop: () => undefined }) };
  }
  const { definitions, first, keep } = openDefinitions(configuration, { typed, upstream, log });
  const { told, isCurrent } = await first();
  const options = { dialect, aliases: typed.aliases, ruleKeys: typed.rules };
  const known = told ?? { forms: [], rules: [] };
  const composed = composeSchema(known.forms, { ...options, rules: known.rules });
  tellProblems(composed.problems, log);

  return {
    schema: composed.schema,
    isWhole: told !== undefined,
    follow(followed) {
      if (definitions === undefined) return { stop: () => undefined };
      const take = createFollower({ definitions: known, composed }, { options, log, ...followed });
      return watchDefinitions({
        definitions,
        everyMs: typed.watchMs,
        isKnown: isCurrent,
        onRead: async (next) => {
          if (await take(next)) await keep(next);
        },
        onFailed: (err) => log.warn({ err }, 'the definitions of forms cannot be read from the platform'),
      });
    },
  };
}
