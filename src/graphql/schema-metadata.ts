import type { DocumentNode, SelectionSetNode } from 'graphql';
import type { Permission } from '../upstream/operation.ts';
import type { Ids } from '../upstream/records.ts';
import type { CostRule } from './admission/cost.ts';
import type { Plan, PlannedOperation } from './admission/plan.ts';
import type { ChangeInput } from './context.ts';
import type { Constraint } from './violations.ts';

/**
 * Removes the prototype of an extensions object. GraphQL copies objects with a prototype, and a
 * literal without one takes 150 bytes.
 */
export const toExtensions = <T extends object>(extensions: T): T =>
  Object.setPrototypeOf(extensions, null);

/**
 * Returns the extensions of a field that is created in code: its cost rule, and for a root field
 * its other meaning.
 */
export const withCost = (cost: CostRule, meaning: Partial<RootMeaning> = {}) => ({
  extensions: toExtensions({ ...meaning, cost }),
});

/** Returns the extensions of an input field with a constraint. */
export const withConstraint = (constraint: Constraint) => ({
  extensions: toExtensions({ constraint }),
});

/** The form of a type. */
export interface FormMeaning {
  readonly formId: string;
  /** The display name. */
  readonly title: string;
  /** The field of `Query` that lists its instances. */
  readonly many: string;
  /** Whether an operator chose the names. They then never change because of another form. */
  readonly isPinned: boolean;
}

/** The unchecked ids in a root field's arguments. Each is read on access. */
export interface GivenIds extends Ids {
  /** A global id. */
  readonly id: string;
}

/** The meaning of a root field. */
export interface RootMeaning {
  readonly cost: CostRule;
  /** Returns the permission that the caller needs to select the field. */
  readonly demand: (given: GivenIds) => Permission | { readonly of: 'schema' } | undefined;
  /**
   * For fields of `Query`: whether the result can change when no definition changes. Subscriptions
   * then have the field.
   */
  readonly isFollowed?: boolean;
  /** For fields of `Mutation`: whether the input has an idempotency key. */
  readonly isKeyed?: true;
  readonly change?: ChangeMeaning;
  /** Whether it is `null` only together with an error. */
  readonly isNeverNull?: true;
}

/**
 * The instance that a mutation changes. Its form is `formId`, or `formId` of the input if
 * undefined.
 */
export interface ChangeMeaning {
  readonly formId: string | undefined;
  /** The first word of the mutation's name. */
  readonly verb: 'create' | 'replace' | 'update' | 'delete';
  /**
   * Converts the input to the input of the generic mutation.
   *
   * @throws {GraphQLError} with violations for invalid values.
   */
  toGeneric(
    input: ChangeInput & Readonly<Record<string, unknown>>,
  ): Readonly<Record<string, unknown>>;
  /**
   * The graph's names of the form's fields, by the platform's names. Absent in the generic graph.
   */
  readonly fieldNames?: ReadonlyMap<string, string>;
}

/**
 * Reads a field's needs, and returns the result of `use`. `use` gets the data or the failure. It
 * must not throw or change its argument.
 */
export type ReadNeeds = <T>(use: (needed: unknown) => T) => T | Promise<T>;

/** Reads what the client selects of a payload. Failed values are `null`. */
export type ReadPayload = (payload: object) => unknown;

// The meanings of types and fields are in GraphQL's own extensions, so readers do not depend on
// their authors.
declare module 'graphql' {
  interface GraphQLSchemaExtensions {
    /**
     * Finds a fault that must be reported before validation, because validation would fail on it.
     */
    readonly findFault?: (document: DocumentNode) => GraphQLError | undefined;
  }
  interface GraphQLObjectTypeExtensions {
    readonly form?: FormMeaning;
    /**
     * For a root type: completes the plan of an operation with the calls after the first response.
     */
    readonly completePlan?: (plan: Plan, planned: PlannedOperation) => Plan;
  }
  // A root field without a demand is only for roles that name it.
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> extends Partial<RootMeaning> {
    /** Whether only a team's own code knows the field's reads and changes. */
    readonly isOwn?: true;
    /**
     * The selections that its resolver needs from its object. The resolver gets a `ReadNeeds`
     * instead of GraphQL's `info`.
     */
    readonly needs?: SelectionSetNode | undefined;
  }
  interface GraphQLInputFieldExtensions {
    readonly constraint?: Constraint;
  }
}
