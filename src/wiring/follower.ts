import { findBrokenDocuments, type NamedDocument } from '../graphql/documents.ts';
import type { SchemaManager } from '../graphql/schema-manager.ts';
import type { Log } from '../telemetry/log.ts';
import { type Composed, type ComposeOptions, compareDefinitions, composeSchema } from '../typed-graph/compose.ts';
import { type DefinitionSet, isSameSet } from '../upstream/definitions/set.ts';

/** What a graph is made of, and what there is to tell of its changes. */
interface Basis {
  readonly definitions: DefinitionSet;
  readonly composed: Composed;
}

export interface FollowerOptions {
  readonly graph: SchemaManager;
  /** The documents that somebody may ask for by name. */
  readonly documents: () => Iterable<NamedDocument>;
  readonly options: ComposeOptions;
  readonly log: Log;
}

/** How many changes are told one by one. */
const TOLD_MAX = 100;

/**
 * Makes what takes definitions in: it resolves to whether they are other ones, when requests that come are answered by
 * what they say. The log tells what has changed, which documents that breaks, and which forms cannot be mapped.
 */
export function createFollower(first: Basis, { graph, documents, options, log }: FollowerOptions) {
  let basis = first;

  return async (definitions: DefinitionSet): Promise<boolean> => {
    if (isSameSet(basis.definitions, definitions)) return false;
    const before = basis;
    const composed = composeSchema(definitions.forms, { ...options, rules: definitions.rules });
    await graph.replace(composed.schema);
    basis = { definitions, composed };

    tellProblems(composed.problems, log, before.composed.problems);
    const changes = await compareDefinitions(before.definitions, definitions, options);
    for (const { severity, place, message } of changes.slice(0, TOLD_MAX)) {
      log[severity === 'breaking' ? 'warn' : 'info']({ severity, place, change: message }, 'the graph has changed');
    }
    log.info({ changes: changes.length }, 'the graph follows the definitions');
    const schemas = { before: before.composed.schema, after: composed.schema };
    for (const { name, problems } of await findBrokenDocuments(documents(), schemas)) {
      log.warn({ document: name, reason: problems.join('; ') }, 'a document cannot run any more');
    }
    return true;
  };
}

/** Says which forms and rules cannot be mapped, and why; what was told before is not told again. */
export function tellProblems(problems: Composed['problems'], log: Log, told: Composed['problems'] = []): void {
  const isTold = (problem: object) => told.some((other) => JSON.stringify(other) === JSON.stringify(problem));
  for (const problem of problems.filter((one) => !isTold(one))) {
    const { field, reason } = problem;
    if ('rule' in problem) log.warn({ rule: problem.rule, field, reason }, 'a rule stays generic');
    else log.warn({ form: problem.formId, field, reason }, 'a form stays generic');
  }
}
