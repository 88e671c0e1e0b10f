import { existsSync, globSync, readFileSync } from 'node:fs';
import { GraphQLError } from 'graphql';

import { readConfig } from '../app/index.ts';
import { orUndefined } from '../core/errors.ts';
import { isJsonObject, type JsonObject } from '../core/json.ts';
import { type Command, type CommandContext, UsageError } from '../features/command.ts';
import { formatProblem, readDocuments } from '../graphql/admission/documents.ts';
import { LIMITS } from '../graphql/admission/limits.ts';
import { type AssumedPlan, planOperation } from '../graphql/admission/plan.ts';
import { isRefused, type SchemaVersion } from '../graphql/apollo-server.ts';

/** `caseway explain FILE…`: prints the maximum cost of the operations in documents. */
export const explain: Command = {
  name: 'explain',
  maxArgs: Number.POSITIVE_INFINITY,
  summary: 'FILE… lists the platform calls of the operations in documents',
  options: {
    generic: { type: 'boolean' },
    variables: { type: 'string' },
    'max-calls': { type: 'string' },
    json: { type: 'boolean' },
  },
  readsSchema: true,
  usage: [
    'Usage: caseway explain FILE… [--generic] [--variables FILE] [--max-calls N] [--json]',
    '',
    'Lists for every operation in documents the calls to the platform that it makes at most, without making them.',
    'It reads the forms from the configured platform, or from the sandbox if no platform is set.',
    '',
    '  FILE               a .graphql file, a manifest (.json), a folder of both, or a pattern such as "src/**/*.graphql"',
    '  --generic          leave out the types of forms; reads nothing from the platform',
    '  --variables FILE   a JSON object; each operation uses the variables that it defines. For other variables',
    '                     it assumes the largest page, different ids, and cursors of pages of this size.',
    '  --max-calls N      fail if an operation may make more calls; default: COST_MAX_CALLS',
    '  --json             print JSON',
    '',
    'Exit code: 0; 1 if an operation may cost too much or the forms cannot be read; 2 if a document is invalid.',
  ].join('\n'),

  async run(context) {
    const { options, stdout } = context;
    const plans = await planAll(context, await context.readGraph());
    if (options['json']) stdout(JSON.stringify({ operations: plans }, undefined, 2));
    else for (const plan of plans) stdout(formatPlan(plan));

    const dear = plans.filter(({ isWithin }) => !isWithin);
    if (dear.length === 0) return;
    const names = dear.map(
      ({ file, operation, calls }) =>
        `${file}: ${operation ?? '(without a name)'}, ${calls.most} calls`,
    );
    throw new Error(
      `${dear.length} of ${plans.length} operations may cost too much:\n  ${names.join('\n  ')}`,
    );
  },
};

/** A plan, and the file of its operation. */
interface FoundPlan extends AssumedPlan {
  readonly file: string;
  /** Whether the maximum cost is within the limits. */
  readonly isWithin: boolean;
}

async function planAll(
  { env, args, options }: CommandContext,
  version: SchemaVersion,
): Promise<readonly FoundPlan[]> {
  const maxCalls = String(options['max-calls'] ?? env['COST_MAX_CALLS'] ?? '');
  // Plans depend only on these settings, besides the settings of the schema.
  const { settings, dialect } = readConfig({
    UPSTREAM_DIALECT: env['UPSTREAM_DIALECT'],
    COST_MAX_CALLS: maxCalls,
  });
  const problems: string[] = [];
  const planOptions = {
    limits: { calls: settings.COST_MAX_CALLS, fields: LIMITS.fields },
    dialect,
    variables: readVariables(options['variables'], problems),
  };
  const documents = findFiles(args, problems).flatMap((path) => readDocuments(path, problems));
  const plans: FoundPlan[] = [];
  for (const { text, place: file } of documents) {
    const admitted = await version.admitAll(text);
    const planned = isRefused(admitted)
      ? admitted.errors
      : admitted.map((operation) => planOperation(operation, planOptions));
    for (const plan of planned) {
      if (plan instanceof GraphQLError) problems.push(`${file}:${formatProblem(plan)}`);
      else plans.push({ file, isWithin: isWithin(plan), ...plan });
    }
  }
  if (problems.length > 0) throw new UsageError(problems.join('\n'));
  return plans;
}

const isWithin = ({ calls, fields }: Pick<FoundPlan, 'calls' | 'fields'>): boolean =>
  calls.most <= calls.allowed && fields.most <= fields.allowed;

function findFiles(args: readonly string[], problems: string[]): string[] {
  if (args.length === 0) problems.push('Name the documents to explain; see --help.');
  return args.flatMap((given) => {
    const found = existsSync(given) ? [given] : globSync(given).sort();
    if (found.length === 0) problems.push(`${given}: there is no such file`);
    return found;
  });
}

function readVariables(path: CommandContext['options'][string], problems: string[]): JsonObject {
  if (path === undefined) return {};
  const variables: unknown = orUndefined(() => JSON.parse(readFileSync(String(path), 'utf8')));
  if (isJsonObject(variables)) return variables;
  problems.push(`--variables: ${path} must be a file with a JSON object`);
  return {};
}

const WIDTH = Math.max('getFormIntances'.length, 'updateValuesOfFormIntance'.length);

function formatPlan({
  file,
  operation,
  kind,
  calls,
  summary,
  fields,
  steps,
  assumed,
  isWithin,
}: FoundPlan): string {
  const found = Object.entries(assumed).map(
    ([name, value]) => `$${name} = ${JSON.stringify(value)}`,
  );
  return [
    `${file}: ${kind} ${operation ?? '(without a name)'}`,
    `  at most ${calls.most} calls, ${calls.allowed} are allowed; at most ${fields.most} fields of ${fields.allowed}`,
    ...(summary === undefined ? [] : [`  ${summary}`]),
    ...(isWithin ? [] : ['  TOO MUCH']),
    ...steps.map(
      (step) =>
        `  ${String(step.calls).padStart(5)} × ${step.operation.padEnd(WIDTH)}  ${placeOf(step)}`,
    ),
    ...(found.length > 0 ? [`  assumed: ${found.join(', ')}`] : []),
  ].join('\n');
}

const placeOf = ({ field, objects }: FoundPlan['steps'][number]): string =>
  objects === 1 ? field : `${field}, in ${objects} objects`;
