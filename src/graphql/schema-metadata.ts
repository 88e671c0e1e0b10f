import type { DocumentNode, SelectionSetNode } from 'graphql';
import type { Need } from '../upstream/operation.ts';
import type { Ids } from '../upstream/records.ts';
import type { CostRule } from './admission/cost.ts';
import type { Plan, PlannedOperation } from './admission/plan.ts';
import type { ChangeInput } from './context.ts';
import type { Constraint } from './violations.ts';

/** Prepares extensions: GraphQL copies what has a prototype, and what a literal makes without one is a dictionary of 150 bytes. */
export const toExtensions = <T extends object>(extensions: T): T =>
  Object.setPrototypeOf(extensions, null);

/** Puts a cost rule on a field that is made in code, and what else one at the root means. */
export const withCost = (cost: CostRule, meaning: Partial<RootMeaning> = {}) => ({
  extensions: toExtensions({ ...meaning, cost }),
});

/** Puts a constraint on a field of an input type. */
export const withConstraint = (constraint: Constraint) => ({
  extensions: toExtensions({ constraint }),
});

/** The form whose instances a type stands for. */
interface FormMeaning {
  readonly formId: string;
  /** The display name. */
  readonly title: string;
  /** `Query`'s field for a list of instances. */
  readonly many: string;
  /** Whether the names were chosen, so that no other form's claim changes them. */
  readonly isPinned: boolean;
}

/** The ids among the arguments of a field at the root, none of which is checked yet; each is read when it is asked for. */
export interface GivenIds extends Ids {
  /** A global one. */
  readonly id: string;
}

/** What a field at the root means. */
export interface RootMeaning {
  readonly cost: CostRule;
  /** What a caller must be allowed to select it. */
  readonly demand: (given: GivenIds) => Need | { readonly of: 'schema' } | undefined;
  /** Of a field of `Query`: its answer changes with more than definitions, so subscriptions have it. */
  readonly isFollowed?: boolean;
  /** Of a field of `Mutation`: its input has an idempotency key. */
  readonly isKeyed?: true;
  readonly change?: ChangeMeaning;
  /** Whether it is `null` only together with an error. */
  readonly isNeverNull?: true;
}

/** The instance that a field of `Mutation` changes: one of one form, or of the form that its input’s `formId` names. */
export interface ChangeMeaning {
  readonly formId: string | undefined;
  /** The mutations for it begin so. */
  readonly word: 'create' | 'replace' | 'update' | 'delete';
  /** Converts the input to that of the generic mutation. @throws {GraphQLError} for values that do not fit, with violations. */
  toGeneric(
    input: ChangeInput & Readonly<Record<string, unknown>>,
  ): Readonly<Record<string, unknown>>;
  /** The graph's names of the form's fields, by the platform's; absent in the generic graph. */
  readonly fieldNames?: ReadonlyMap<string, string>;
}

/** Reads what a field needs, and gives what `use` makes of it, or of what failed; `use` must not throw, nor change what it gets. */
export type ReadNeeds = <T>(use: (needed: unknown) => T) => T | Promise<T>;

// What types and fields mean stands in GraphQL's own extensions, so that nobody asks who has made them.
declare module 'graphql' {
  interface GraphQLSchemaExtensions {
    /** Finds a fault in a document that its validation by this schema would not survive. */
    readonly findFault?: (document: DocumentNode) => GraphQLError | undefined;
  }
  interface GraphQLObjectTypeExtensions {
    readonly form?: FormMeaning;
    /** Of a root type: adds to the plans of its operations what follows their first answer. */
    readonly completePlan?: (plan: Plan, planned: PlannedOperation) => Plan;
  }
  // A field at the root without a demand is for those alone whose rights name it.
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> extends Partial<RootMeaning> {
    /** Whether only a team's own code knows what it reads and changes. */
    readonly isOwn?: true;
    /** What its resolver reads of its object: it gets a `ReadNeeds` in the place of GraphQL's `info`. */
    readonly needs?: SelectionSetNode | undefined;
  }
  interface GraphQLInputFieldExtensions {
    readonly constraint?: Constraint;
  }
}
