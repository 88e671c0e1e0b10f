import { type Composed, composeSchema } from '../graph/typed/compose.ts';
import type { Log } from '../telemetry/log.ts';
import type { Upstream } from '../upstream/index.ts';
import type { Configuration } from './configuration.ts';
import { openDefinitions } from './definitions.ts';

interface TypedParts {
  /** The platform as the gateway itself sees it; `undefined` where it has no credentials. */
  readonly upstream: Upstream | undefined;
  readonly log: Log;
}

/** The public schema, and whether it has the types of all forms that it should have. */
interface FirstGraph extends Composed {
  readonly isWhole: boolean;
}

/** Composes the public schema, with types for the forms that the settings say. */
export async function composeGraph(configuration: Configuration, { upstream, log }: TypedParts): Promise<FirstGraph> {
  const { dialect, typed } = configuration;
  if (typed === undefined) return { ...composeSchema([], { dialect }), isWhole: true };
  const source = openDefinitions(configuration, { typed, upstream, log });
  const forms = await source.first();
  const composed = composeSchema(forms ?? [], { dialect, aliases: typed.aliases });
  for (const { formId: form, field, reason } of composed.problems) {
    log.warn({ form, field, reason }, 'a form stays generic');
  }
  return { ...composed, isWhole: forms !== undefined };
}
