import {
  DirectiveLocation,
  type DocumentNode,
  GraphQLDirective,
  type GraphQLError,
  type GraphQLFieldConfig,
  type GraphQLFieldConfigMap,
  GraphQLInt,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLSchema,
  getDirectiveValues,
  Kind,
  OperationTypeNode,
} from 'graphql';
import { orUndefined } from '../../core/errors.ts';
import type { Variables } from '../../graphql/admission/arguments.ts';
import type { CostStep } from '../../graphql/admission/cost.ts';
import type { Plan, PlannedOperation } from '../../graphql/admission/plan.ts';
import type { SelectedOperation } from '../../graphql/admission/selections.ts';
import type { OperationContext } from '../../graphql/context.ts';
import { requestError } from '../../graphql/errors.ts';
import { MINUTE_MS } from '../../upstream/call-buckets.ts';
import { isDefinition } from '../../upstream/operation.ts';
import { findOperation } from '../../upstream/operations.ts';
import { RunState } from './run-state.ts';
import type { LiveParts } from './settings.ts';

type PollLimits = Pick<LiveParts, 'leastMs' | 'callsPerMinute'>;

/**
 * Adds the type `Subscription` with the fields of `Query` that read instances, and the directive
 * `@every`.
 */
export function addSubscription(schema: GraphQLSchema, limits: PollLimits): GraphQLSchema {
  const { leastMs } = limits;
  const config = schema.toConfig();
  const queries: GraphQLFieldConfigMap<unknown, OperationContext> =
    config.query?.toConfig().fields ?? {};
  const reads = Object.entries(queries).filter(([, { extensions }]) => extensions?.isFollowed);
  if (reads.length === 0 || config.subscription) return schema;
  const fields = Object.fromEntries(
    reads.map(([name, field]) => [name, toSubscriptionField(field)]),
  );
  const subscription = new GraphQLObjectType({
    name: 'Subscription',
    description:
      'Live queries. Each sends its response at once, and the whole response again when it has changed. The fields work like the fields of `Query` with the same names.',
    fields,
    extensions: {
      completePlan: (plan, planned) => completePlan(plan, planned, extended, limits),
    },
  });
  const extended = new GraphQLSchema({
    ...config,
    subscription,
    extensions: { ...config.extensions, findFault: findConditionalRoot },
    directives: [...config.directives, createEvery(leastMs)],
    assumeValid: true,
  });
  return extended;
}

/**
 * Returns an error for a conditional field at the root of a subscription. GraphQL's validation
 * throws if the condition is a variable, and accepts a literal.
 */
function findConditionalRoot({ definitions }: DocumentNode): GraphQLError | undefined {
  const fragments = definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION);
  const operations = definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  const subscriptions = operations.filter(
    ({ operation }) => operation === OperationTypeNode.SUBSCRIPTION,
  );
  const nodes = new Set(subscriptions.flatMap(({ selectionSet }) => selectionSet.selections));
  for (const node of nodes) {
    if (node.directives?.some(({ name }) => name.value === 'skip' || name.value === 'include'))
      return requestError(
        400,
        'A subscription always has its field: @skip and @include are not allowed there.',
      );
    if (node.kind === Kind.FIELD) continue;
    const fragment =
      node.kind === Kind.INLINE_FRAGMENT
        ? node
        : fragments.find(({ name }) => name.value === node.name.value);
    // The loop also visits nodes that are added now, each once. An unvalidated fragment may contain
    // itself.
    for (const selection of fragment?.selectionSet.selections ?? []) nodes.add(selection);
  }
  return undefined;
}

/**
 * Adds the maximum number of polls per minute to a plan. Runs after changes through a gateway are
 * not included.
 */
function completePlan(
  plan: Plan,
  { cost, definition, variables }: PlannedOperation,
  schema: GraphQLSchema,
  limits: PollLimits,
): Plan {
  const intervalMs = orUndefined(() =>
    intervalOf({ schema, definition }, variables, limits.leastMs),
  );
  if (intervalMs === undefined) return plan;
  const calls = { ...plan.calls, perMinute: pollsPerMinute(cost.steps, intervalMs, limits) };
  const first = `${calls.most} ${calls.most === 1 ? 'call' : 'calls'}`;
  const summary = `${first}, then at most ${calls.perMinute} a minute besides changes through the gateway`;
  return { ...plan, calls, summary };
}

/** Returns the maximum number of polls per minute after a first result with these steps. */
function pollsPerMinute(
  steps: readonly CostStep[],
  intervalMs: number,
  { callsPerMinute }: PollLimits,
): number {
  const polls = steps
    // Definitions are not polled.
    .filter(({ operation }) => !isDefinition(findOperation(operation)))
    .map(
      ({ calls, field }) =>
        (calls * MINUTE_MS) /
        (field.includes('.') ? intervalMs * NESTED_INTERVAL_FACTOR : intervalMs),
    );
  return Math.min(callsPerMinute, Math.ceil(polls.reduce((sum, count) => sum + count, 0)));
}

type RootField = GraphQLFieldConfig<unknown, OperationContext>;

function toSubscriptionField(field: RootField): RootField {
  const { resolve, description, ...rest } = field;
  return {
    ...rest,
    description: `${description ?? ''}\n\nSent again when it has changed. The gateway polls the platform with conditional requests.`,
    async resolve(source, args, context) {
      try {
        return await resolve?.(source, args, context, undefined as never);
      } finally {
        const { requestState } = context;
        const belowSinceMs =
          requestState instanceof RunState ? requestState.belowSinceMs : undefined;
        requestState.startedAtMs = belowSinceMs ?? requestState.startedAtMs;
      }
    },
  };
}

/** Resources below the root field are polled less often by this factor. */
export const NESTED_INTERVAL_FACTOR = 4;

const EVERY = 'every';
/** The maximum of `@every`, in seconds. A stream does not live much longer. */
const MAX_SECONDS = 3_600;

const createEvery = (leastMs: number) =>
  new GraphQLDirective({
    name: EVERY,
    description: `The interval at which the gateway checks whether the response has changed. Default and minimum: ${leastMs / 1_000} s.`,
    locations: [DirectiveLocation.SUBSCRIPTION],
    args: {
      seconds: {
        type: new GraphQLNonNull(GraphQLInt),
        description: `Seconds, at most ${MAX_SECONDS}.`,
      },
    },
  });

/**
 * Returns the interval of an operation in milliseconds: the value of `@every`, but not less than
 * `leastMs`.
 *
 * @throws {GraphQLError} if the variable of `@every` is `null`. Validation allows this for a
 *   variable with a default.
 */
export function intervalOf(
  { schema, definition }: Pick<SelectedOperation, 'schema' | 'definition'>,
  variables: Variables,
  leastMs: number,
): number {
  const directive = schema.getDirective(EVERY);
  if (!directive) return leastMs;
  try {
    const seconds = Number(getDirectiveValues(directive, definition, variables)?.['seconds'] ?? 0);
    return Math.max(leastMs, Math.min(seconds, MAX_SECONDS) * 1_000);
  } catch {
    throw requestError(400, '`@every` needs a number of seconds, and its variable is null.');
  }
}
