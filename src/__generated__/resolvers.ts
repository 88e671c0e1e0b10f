import type { Json } from '../upstream/json.ts';
import type { JsonObject } from '../upstream/json.ts';
import type { Resolver as ResolverFn } from '../graphql/context.ts';
import type { GraphQLResolveInfo, GraphQLScalarType, GraphQLScalarTypeConfig } from 'graphql';
import type { FormRecord, FieldRecord, InstanceRecord, RuleRecord, CaseRecord, LinkRecord } from '../upstream/records.ts';
import type { InstancePayload } from '../graphql/resolvers/instance-mutations.ts';
import type { NodeRecord } from '../graphql/node-ids.ts';
import type { OperationContext } from '../graphql/context.ts';
export type Maybe<T> = T | null | undefined;
export type InputMaybe<T> = T | null | undefined;
export type { ResolverFn };
export type Omit<T, K extends keyof T> = Pick<T, Exclude<keyof T, K>>;
export type RequireFields<T, K extends keyof T> = Omit<T, K> & { [P in K]-?: NonNullable<T[P]> };
/** All built-in and custom scalars, mapped to their actual values */
export type Scalars = {
  ID: { input: string; output: string; }
  String: { input: string; output: string; }
  Boolean: { input: boolean; output: boolean; }
  Int: { input: number; output: number; }
  Float: { input: number; output: number; }
  /** A point in time, in UTC, as ISO 8601 writes it: `2026-01-31T09:30:00.000Z`. */
  DateTime: { input: Date; output: Date; }
  /** Any JSON value. Integers beyond ±(2^53 − 1) are answered as strings of digits, and refused as input: send a string. */
  JSON: { input: Json; output: Json; }
  /** A JSON object. Integers beyond ±(2^53 − 1) are answered as strings of digits, and refused as input: send a string. */
  JSONObject: { input: JsonObject; output: JsonObject; }
};

/** One step of a case. */
export type Activity = {
  /** The platform's `cdActivity`, an int64, digit by digit. */
  readonly activityId: Scalars['ID']['output'];
  /** The activity's name, or `null` when the platform gives none. */
  readonly name?: Maybe<Scalars['String']['output']>;
};

/** A case: one run of a process, from activity to activity. */
export type Case = {
  /** The activity that the platform's answer names, or `null` when it names none, as when the case is completed. */
  readonly activity?: Maybe<Activity>;
  /** The platform's `idCase`, an int64, digit by digit. */
  readonly caseId: Scalars['ID']['output'];
  /** The whole answer as the platform gave it. Its members are the platform's, not ours. */
  readonly record: Scalars['JSONObject']['output'];
};

/** What `createInstance` takes. */
export type CreateInstanceInput = {
  /** The platform's `idForm`, or the form's global `id`. */
  readonly formId: Scalars['ID']['input'];
  /**
   * A name of the client's own for this change, such as a UUID. Asked again with the same key and input within ten minutes, it
   * gives the first outcome, an error too, without a second effect; with another input it is BAD_USER_INPUT.
   */
  readonly idempotencyKey?: InputMaybe<Scalars['ID']['input']>;
  /** The values by field name. */
  readonly values: Scalars['JSONObject']['input'];
};

/** What `createInstance` gives. */
export type CreateInstancePayload = {
  /** The new instance. */
  readonly instance: Instance;
};

/**
 * One condition of a search. A value that holds `,`, `:` or `=` is refused with `BAD_USER_INPUT`, since the platform's
 * search notation has no way to say it.
 */
export type CriterionInput = {
  /** The field's name, as the platform's form definition spells it. */
  readonly field: Scalars['String']['input'];
  /** How the field is compared with `value`. */
  readonly operator: SearchOperator;
  /** What the field is compared with: a string, number or boolean; for `IN` a list of them. */
  readonly value: Scalars['JSON']['input'];
};

/** What `deleteInstance` takes. */
export type DeleteInstanceInput = {
  /** The platform's `idForm`, or the form's global `id`. */
  readonly formId: Scalars['ID']['input'];
  /**
   * A name of the client's own for this change, such as a UUID. Asked again with the same key and input within ten minutes, it
   * gives the first outcome, an error too, without a second effect; with another input it is BAD_USER_INPUT.
   */
  readonly idempotencyKey?: InputMaybe<Scalars['ID']['input']>;
  /** The platform's `idInstance`, a decimal integer, or the global `id`. */
  readonly instanceId: Scalars['ID']['input'];
};

/** What `deleteInstance` gives. */
export type DeleteInstancePayload = {
  /** The global id of the instance that is no more, for removing it from a client's cache. */
  readonly deletedId: Scalars['ID']['output'];
};

/** What `executeActivity` takes. */
export type ExecuteActivityInput = {
  /** The platform's `cdActivity`, an int64: a string of digits, or an integer literal. */
  readonly activityId: Scalars['ID']['input'];
  /** Further members of the platform's request body, for what this gateway has no name for. They do not override `values`. */
  readonly attributes?: InputMaybe<Scalars['JSONObject']['input']>;
  /** The platform's `idCase`, an int64: a string of digits, or an integer literal. */
  readonly caseId: Scalars['ID']['input'];
  /**
   * A name of the client's own for this change, such as a UUID. Asked again with the same key and input within ten minutes, it
   * gives the first outcome, an error too, without a second effect; with another input it is BAD_USER_INPUT.
   */
  readonly idempotencyKey?: InputMaybe<Scalars['ID']['input']>;
  /** Values to give to the activity, by name. */
  readonly values?: InputMaybe<Scalars['JSONObject']['input']>;
};

/** What `executeActivity` gives. */
export type ExecuteActivityPayload = {
  /** The case after the activity. */
  readonly case: Case;
};

/** What `executeRule` takes. */
export type ExecuteRuleInput = {
  /** The platform's `cdComponent`. */
  readonly component: Scalars['ID']['input'];
  /**
   * A name of the client's own for this change, such as a UUID. Asked again with the same key and input within ten minutes, it
   * gives the first outcome, an error too, without a second effect; with another input it is BAD_USER_INPUT.
   */
  readonly idempotencyKey?: InputMaybe<Scalars['ID']['input']>;
  /** The input parameters. */
  readonly parameters: ReadonlyArray<RuleParameterInput>;
  /** The platform's `cdVersion`. */
  readonly version: Scalars['ID']['input'];
};

/** What `executeRule` gives. */
export type ExecuteRulePayload = {
  /** The output parameters, in the platform's order. */
  readonly outputs: ReadonlyArray<RuleParameter>;
};

/** A form published by the platform: the shape that its instances fill in. */
export type Form = Node & {
  /** The whole definition as the platform returned it. Its members are the platform's, not ours. */
  readonly definition: Scalars['JSONObject']['output'];
  /** What the form is for, or `null` when the platform gives nothing. */
  readonly description?: Maybe<Scalars['String']['output']>;
  /**
   * The fields that instances fill in, in the platform's order; `null` when the definition does not list them.
   *
   * No further upstream call, unless the form came from a list that leaves the fields out: then `getForm`, once a form.
   */
  readonly fields?: Maybe<ReadonlyArray<FormField>>;
  /** The platform's `idForm`. */
  readonly formId: Scalars['ID']['output'];
  /** The global id. */
  readonly id: Scalars['ID']['output'];
  /**
   * One instance of this form, or `null` when the form has no such instance.
   *
   * Source: `getFormIntance` (sic). Several instances of one form cost one list call together where the platform can
   * search by a list of ids.
   */
  readonly instance?: Maybe<Instance>;
  /**
   * The form's instances; `null` only with an error beside it.
   *
   * Source: `getFormIntances` (sic). One upstream call for each form.
   */
  readonly instances?: Maybe<InstanceConnection>;
  /** Navigation links that came with the definition; empty when there are none. */
  readonly links: ReadonlyArray<Link>;
  /** The form's name, or `null` when the platform gives none. */
  readonly name?: Maybe<Scalars['String']['output']>;
  /** The definition's version as the platform words it, or `null` when it gives none. */
  readonly version?: Maybe<Scalars['String']['output']>;
};


/** A form published by the platform: the shape that its instances fill in. */
export type FormInstanceArgs = {
  instanceId: Scalars['ID']['input'];
};


/** A form published by the platform: the shape that its instances fill in. */
export type FormInstancesArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  orderBy?: InputMaybe<ReadonlyArray<OrderInput>>;
  page?: InputMaybe<Scalars['Int']['input']>;
  where?: InputMaybe<ReadonlyArray<CriterionInput>>;
};

/** One page of forms (Relay). */
export type FormConnection = {
  /** The page's forms, each with its cursor. */
  readonly edges: ReadonlyArray<FormEdge>;
  /** The page's forms. */
  readonly nodes: ReadonlyArray<Form>;
  /** Where this page stands within the whole. */
  readonly pageInfo: PageInfo;
  /** How many forms there are on all pages, or `null` when the platform does not tell. */
  readonly totalCount?: Maybe<Scalars['Int']['output']>;
};

/** A form and its place in a list (Relay). */
export type FormEdge = {
  /** This place in the list, to give as `after`. It counts positions: rows added before it move what follows. */
  readonly cursor: Scalars['String']['output'];
  /** The form. */
  readonly node: Form;
};

/** One field of a form's definition. */
export type FormField = {
  /** The name that people see, or `null` when the platform gives none. */
  readonly label?: Maybe<Scalars['String']['output']>;
  /** The name under which `Instance.values` holds the field's value. */
  readonly name: Scalars['String']['output'];
  /** The values to choose from, or `null` when the field is not a choice. */
  readonly options?: Maybe<ReadonlyArray<Scalars['JSON']['output']>>;
  /** The `idForm` of the form whose instances this field refers to, or `null` when it is not a reference. */
  readonly reference?: Maybe<Scalars['ID']['output']>;
  /** Whether an instance must have a value here, or `null` when the platform does not say. */
  readonly required?: Maybe<Scalars['Boolean']['output']>;
  /** The field's type in the platform's own word, or `null` when it gives none. */
  readonly type?: Maybe<Scalars['String']['output']>;
};

/** An instance of a form that has no type of its own in this graph. */
export type GenericInstance = Instance & Node & {
  /** What the caller may do with the instance, by the methods of its links; `null` when the platform names no methods. */
  readonly can?: Maybe<InstanceCapabilities>;
  /** The form's definition. One `getForm` for each different form of the operation. */
  readonly form?: Maybe<Form>;
  /** The platform's `idForm`. */
  readonly formId: Scalars['ID']['output'];
  /** The global id. */
  readonly id: Scalars['ID']['output'];
  /** The platform's `idInstance`: a decimal integer, unique within its form. */
  readonly instanceId: Scalars['ID']['output'];
  /** Navigation links that came with the instance; empty when there are none. */
  readonly links?: Maybe<ReadonlyArray<Link>>;
  /**
   * The instance that a reference field points to, or `null` when the field is empty or what it points to is gone.
   *
   * Source: `getForm`, to learn which form the field refers to, then one list call for all references of the operation into
   * one form (or one `getFormIntance` each, where the platform cannot search by a list of ids).
   */
  readonly reference?: Maybe<Instance>;
  /** One field's value, or `null` when it is empty or there is no such field. */
  readonly value?: Maybe<Scalars['JSON']['output']>;
  /** The values by field name, as the platform returned them; `null` only with an error beside it. */
  readonly values?: Maybe<Scalars['JSONObject']['output']>;
};


/** An instance of a form that has no type of its own in this graph. */
export type GenericInstanceReferenceArgs = {
  field: Scalars['String']['input'];
};


/** An instance of a form that has no type of its own in this graph. */
export type GenericInstanceValueArgs = {
  field: Scalars['String']['input'];
};

/**
 * One filled-in form. An interface, so that forms can get types of their own; `GenericInstance` stands for every form
 * that has none.
 */
export type Instance = {
  /** What the caller may do with the instance, by the methods of its links; `null` when the platform names no methods. */
  readonly can?: Maybe<InstanceCapabilities>;
  /** The form's definition. One `getForm` for each different form of the operation. */
  readonly form?: Maybe<Form>;
  /** The platform's `idForm`. */
  readonly formId: Scalars['ID']['output'];
  /** The global id. */
  readonly id: Scalars['ID']['output'];
  /** The platform's `idInstance`: a decimal integer, unique within its form. */
  readonly instanceId: Scalars['ID']['output'];
  /** Navigation links that came with the instance; empty when there are none. */
  readonly links?: Maybe<ReadonlyArray<Link>>;
  /**
   * The instance that a reference field points to, or `null` when the field is empty or what it points to is gone.
   *
   * Source: `getForm`, to learn which form the field refers to, then one list call for all references of the operation into
   * one form (or one `getFormIntance` each, where the platform cannot search by a list of ids).
   */
  readonly reference?: Maybe<Instance>;
  /** One field's value, or `null` when it is empty or there is no such field. */
  readonly value?: Maybe<Scalars['JSON']['output']>;
  /** The values by field name, as the platform returned them; `null` only with an error beside it. */
  readonly values?: Maybe<Scalars['JSONObject']['output']>;
};


/**
 * One filled-in form. An interface, so that forms can get types of their own; `GenericInstance` stands for every form
 * that has none.
 */
export type InstanceReferenceArgs = {
  field: Scalars['String']['input'];
};


/**
 * One filled-in form. An interface, so that forms can get types of their own; `GenericInstance` stands for every form
 * that has none.
 */
export type InstanceValueArgs = {
  field: Scalars['String']['input'];
};

/** What the caller may do with an instance, so that a user interface can hide a button. */
export type InstanceCapabilities = {
  /** Whether `deleteInstance` is offered (DELETE). */
  readonly delete: Scalars['Boolean']['output'];
  /** Whether `replaceInstance` is offered (PUT). */
  readonly replace: Scalars['Boolean']['output'];
  /** Whether `updateInstance` is offered (PATCH). */
  readonly update: Scalars['Boolean']['output'];
};

/** One page of instances (Relay). */
export type InstanceConnection = {
  /** The page's instances, each with its cursor. */
  readonly edges: ReadonlyArray<InstanceEdge>;
  /** The page's instances. */
  readonly nodes: ReadonlyArray<Instance>;
  /** Where this page stands within the whole. */
  readonly pageInfo: PageInfo;
  /** How many instances there are on all pages, or `null` when the platform does not tell. */
  readonly totalCount?: Maybe<Scalars['Int']['output']>;
};

/** An instance and its place in a list (Relay). */
export type InstanceEdge = {
  /** This place in the list, to give as `after`. It counts positions: rows added before it move what follows. */
  readonly cursor: Scalars['String']['output'];
  /** The instance. */
  readonly node: Instance;
};

/** A navigation link that the platform gave with a resource. */
export type Link = {
  /** Where it leads, exactly as the platform gave it: an address of the platform, not of this gateway. */
  readonly href: Scalars['String']['output'];
  /** The HTTP method to use there, or `null` when the platform named none. A link with several methods is listed once for each. */
  readonly method?: Maybe<Scalars['String']['output']>;
  /** How the target relates to the resource, such as `self` or `next`. */
  readonly rel: Scalars['String']['output'];
};

/** Everything that can be changed. The fields of one mutation operation run one after the other, in order. */
export type Mutation = {
  /**
   * Makes a new instance of a form. Never repeated by the gateway: a lost answer is `OUTCOME_UNKNOWN`.
   *
   * Source: `createFormIntance` (sic). One upstream call, and one `getFormIntance` only where the platform's answer has
   * no values and the selection needs them.
   */
  readonly createInstance?: Maybe<CreateInstancePayload>;
  /**
   * Deletes an instance.
   *
   * Source: `deleteFormIntance` (sic). One upstream call.
   */
  readonly deleteInstance?: Maybe<DeleteInstancePayload>;
  /**
   * Executes the current activity of a case, without a button. Never repeated by the gateway.
   *
   * Source: `executeCurrentActivity`, a PUT that has an effect each time. One upstream call.
   */
  readonly executeActivity?: Maybe<ExecuteActivityPayload>;
  /**
   * Executes a rule with input parameters. Never repeated by the gateway, since a rule may have effects.
   *
   * Source: `execute`, a PUT. One upstream call.
   */
  readonly executeRule?: Maybe<ExecuteRulePayload>;
  /**
   * Replaces an instance's values: optional fields that are not named are cleared, if the platform does as the interface says.
   * Never repeated by the gateway.
   *
   * Source: `updateFormIntance` (sic), a PUT. One upstream call, and one `getFormIntance` only where `instance` is selected.
   */
  readonly replaceInstance?: Maybe<ReplaceInstancePayload>;
  /**
   * Signs in with the caller's own credentials, where the gateway is set up for it (`IDENTITY=user`). A browser gets a
   * cookie that no script can read; anybody else a session token to send as `Authorization: Bearer`. Both hold the
   * platform's token sealed, and end with it. What follows in the same operation is still asked as before.
   *
   * Source: `getToken`. One upstream call. Refused credentials are `UNAUTHENTICATED`.
   */
  readonly signIn?: Maybe<SignInPayload>;
  /**
   * Ends the caller's session: the cookie is taken back, and this gateway takes the session's token no more.
   *
   * No upstream call.
   */
  readonly signOut?: Maybe<SignOutPayload>;
  /**
   * Starts a case by starting its process's first activity. Never repeated by the gateway: a lost answer is
   * `OUTCOME_UNKNOWN`.
   *
   * Source: `startCase`. One upstream call.
   */
  readonly startCase?: Maybe<StartCasePayload>;
  /**
   * Changes the named values of an instance and leaves the others. Never repeated by the gateway.
   *
   * Source: `updateValuesOfFormIntance` (sic), a PATCH. One upstream call, and one `getFormIntance` only where `instance`
   * is selected.
   */
  readonly updateInstance?: Maybe<UpdateInstancePayload>;
};


/** Everything that can be changed. The fields of one mutation operation run one after the other, in order. */
export type MutationCreateInstanceArgs = {
  input: CreateInstanceInput;
};


/** Everything that can be changed. The fields of one mutation operation run one after the other, in order. */
export type MutationDeleteInstanceArgs = {
  input: DeleteInstanceInput;
};


/** Everything that can be changed. The fields of one mutation operation run one after the other, in order. */
export type MutationExecuteActivityArgs = {
  input: ExecuteActivityInput;
};


/** Everything that can be changed. The fields of one mutation operation run one after the other, in order. */
export type MutationExecuteRuleArgs = {
  input: ExecuteRuleInput;
};


/** Everything that can be changed. The fields of one mutation operation run one after the other, in order. */
export type MutationReplaceInstanceArgs = {
  input: ReplaceInstanceInput;
};


/** Everything that can be changed. The fields of one mutation operation run one after the other, in order. */
export type MutationSignInArgs = {
  input: SignInInput;
};


/** Everything that can be changed. The fields of one mutation operation run one after the other, in order. */
export type MutationStartCaseArgs = {
  input: StartCaseInput;
};


/** Everything that can be changed. The fields of one mutation operation run one after the other, in order. */
export type MutationUpdateInstanceArgs = {
  input: UpdateInstanceInput;
};

/** An object with a global id (Relay). */
export type Node = {
  /** Unique among all objects of this graph, opaque, and the same for as long as the object exists. */
  readonly id: Scalars['ID']['output'];
};

/** One key of an ordering; earlier keys weigh more. */
export type OrderInput = {
  /** Whether the smallest or the largest comes first. */
  readonly direction: SortDirection;
  /** The field's name, as the platform's form definition spells it. */
  readonly field: Scalars['String']['input'];
};

/** Where a page of a list stands within the whole (Relay). */
export type PageInfo = {
  /** The cursor of the last edge, or `null` when the page is empty. Give it as `after` to read on. */
  readonly endCursor?: Maybe<Scalars['String']['output']>;
  /** Whether more comes after this page. Where the platform tells no total, a page that came full counts as `true`. */
  readonly hasNextPage: Scalars['Boolean']['output'];
  /** Whether something comes before this page. */
  readonly hasPreviousPage: Scalars['Boolean']['output'];
  /** The cursor of the first edge, or `null` when the page is empty. */
  readonly startCursor?: Maybe<Scalars['String']['output']>;
};

/** Everything that can be asked. No query changes anything on the platform. */
export type Query = {
  /**
   * One form's definition, or `null` when no form has this id.
   *
   * Source: `getForm`. The same form asked several times in one operation costs one upstream call; several forms cost
   * one list call together where the platform can search by a list of ids.
   */
  readonly form?: Maybe<Form>;
  /**
   * The forms that the caller may see; `null` only with an error beside it.
   *
   * Source: `getForms`. One upstream call, two or more only where no single page of the platform holds the one asked for.
   */
  readonly forms?: Maybe<FormConnection>;
  /**
   * One instance of a form, or `null` when the form has no such instance.
   *
   * Source: `getFormIntance` (sic). Several instances of one form cost one list call together where the platform can
   * search by a list of ids.
   */
  readonly instance?: Maybe<Instance>;
  /**
   * The instances of a form; `null` only with an error beside it.
   *
   * Source: `getFormIntances` (sic). One upstream call, two or more only where no single page of the platform holds the
   * one asked for.
   */
  readonly instances?: Maybe<InstanceConnection>;
  /**
   * The object that a global `id` names, or `null` when there is none (any more).
   *
   * Source: `getForm` or `getFormIntance` (sic). One upstream call; ids of one operation are looked up together.
   */
  readonly node?: Maybe<Node>;
  /**
   * A rule with its input parameters. A rule that is unknown, not published, or not published for the REST API gives `null`
   * and the error `RULE_UNAVAILABLE`: the platform does not tell these apart.
   *
   * Source: `getParameters` (a PUT, but a read). One upstream call.
   */
  readonly rule?: Maybe<Rule>;
  /**
   * Who asks, or `null` when nobody is signed in, or where the gateway cannot know.
   *
   * No upstream call.
   */
  readonly viewer?: Maybe<Viewer>;
};


/** Everything that can be asked. No query changes anything on the platform. */
export type QueryFormArgs = {
  formId: Scalars['ID']['input'];
};


/** Everything that can be asked. No query changes anything on the platform. */
export type QueryFormsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  orderBy?: InputMaybe<ReadonlyArray<OrderInput>>;
  page?: InputMaybe<Scalars['Int']['input']>;
  where?: InputMaybe<ReadonlyArray<CriterionInput>>;
};


/** Everything that can be asked. No query changes anything on the platform. */
export type QueryInstanceArgs = {
  formId: Scalars['ID']['input'];
  instanceId: Scalars['ID']['input'];
};


/** Everything that can be asked. No query changes anything on the platform. */
export type QueryInstancesArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  formId: Scalars['ID']['input'];
  orderBy?: InputMaybe<ReadonlyArray<OrderInput>>;
  page?: InputMaybe<Scalars['Int']['input']>;
  where?: InputMaybe<ReadonlyArray<CriterionInput>>;
};


/** Everything that can be asked. No query changes anything on the platform. */
export type QueryNodeArgs = {
  id: Scalars['ID']['input'];
};


/** Everything that can be asked. No query changes anything on the platform. */
export type QueryRuleArgs = {
  component: Scalars['ID']['input'];
  version: Scalars['ID']['input'];
};

/** What `replaceInstance` takes. */
export type ReplaceInstanceInput = {
  /** The platform's `idForm`, or the form's global `id`. */
  readonly formId: Scalars['ID']['input'];
  /**
   * A name of the client's own for this change, such as a UUID. Asked again with the same key and input within ten minutes, it
   * gives the first outcome, an error too, without a second effect; with another input it is BAD_USER_INPUT.
   */
  readonly idempotencyKey?: InputMaybe<Scalars['ID']['input']>;
  /** The platform's `idInstance`, a decimal integer, or the global `id`. */
  readonly instanceId: Scalars['ID']['input'];
  /** The values by field name; optional fields that are not named are cleared. */
  readonly values: Scalars['JSONObject']['input'];
};

/** What `replaceInstance` gives. */
export type ReplaceInstancePayload = {
  /** The instance as it reads after the change; read back only when selected. `null` when it is gone again. */
  readonly instance?: Maybe<Instance>;
};

/** A published rule. */
export type Rule = {
  /** The platform's `cdComponent`. */
  readonly component: Scalars['ID']['output'];
  /** The name that people read, or `null` when the platform gives none. */
  readonly descriptiveName?: Maybe<Scalars['String']['output']>;
  /** The rule's name, or `null` when the platform gives none. */
  readonly name?: Maybe<Scalars['String']['output']>;
  /** The input parameters, in the platform's order. */
  readonly parameters: ReadonlyArray<RuleParameter>;
  /** The platform's `cdVersion`. */
  readonly version: Scalars['ID']['output'];
};

/** A parameter of a rule. */
export type RuleParameter = {
  /** The parameter's name. */
  readonly name: Scalars['String']['output'];
  /** Its type in the platform's own word, or `null` when it gives none. */
  readonly type?: Maybe<Scalars['String']['output']>;
  /** Its value; `null` on a rule's declared input parameters, and when the rule gave nothing. */
  readonly value?: Maybe<Scalars['JSON']['output']>;
};

/** One input parameter of a rule. */
export type RuleParameterInput = {
  /** The parameter's name. */
  readonly name: Scalars['String']['input'];
  /** Its type in the platform's own word; left out of the call when absent. */
  readonly type?: InputMaybe<Scalars['String']['input']>;
  /** Its value. */
  readonly value?: InputMaybe<Scalars['JSON']['input']>;
};

/** How a field is compared with a value in a search. */
export type SearchOperator =
  /** Equal to the value. */
  | 'EQ'
  /** Greater than the value or equal to it. */
  | 'GE'
  /** Greater than the value. */
  | 'GT'
  /** Equal to one of the values: give a list, or one string with `|` between them. */
  | 'IN'
  /** Less than the value or equal to it. */
  | 'LE'
  /** Matches the pattern; how patterns are written is the platform's. */
  | 'LIKE'
  /** Less than the value. */
  | 'LT'
  /** Not equal to the value. */
  | 'NE';

/** What `signIn` takes. */
export type SignInInput = {
  /** The user's password at the platform. */
  readonly password: Scalars['String']['input'];
  /** The user's name at the platform. */
  readonly username: Scalars['String']['input'];
};

/** What `signIn` gives. */
export type SignInPayload = {
  /** When the session ends. */
  readonly expiresAt: Scalars['DateTime']['output'];
  /** The session, sealed, for callers that are no browser; `null` for a browser, which has it as a cookie. */
  readonly sessionToken?: Maybe<Scalars['String']['output']>;
  /** Who is signed in now. */
  readonly viewer: Viewer;
};

/** What `signOut` gives. */
export type SignOutPayload = {
  /** Nobody: always `null`. */
  readonly viewer?: Maybe<Viewer>;
};

/** The direction of an ordering. */
export type SortDirection =
  /** Smallest first. */
  | 'ASC'
  /** Largest first. */
  | 'DESC';

/** What `startCase` takes. */
export type StartCaseInput = {
  /** Further members of the platform's request body, for what this gateway has no name for. They do not override `process` or `values`. */
  readonly attributes?: InputMaybe<Scalars['JSONObject']['input']>;
  /**
   * A name of the client's own for this change, such as a UUID. Asked again with the same key and input within ten minutes, it
   * gives the first outcome, an error too, without a second effect; with another input it is BAD_USER_INPUT.
   */
  readonly idempotencyKey?: InputMaybe<Scalars['ID']['input']>;
  /** The process to start, by the platform's id. */
  readonly process: Scalars['ID']['input'];
  /** The case's first values, by name. */
  readonly values?: InputMaybe<Scalars['JSONObject']['input']>;
};

/** What `startCase` gives. */
export type StartCasePayload = {
  /** The new case. */
  readonly case: Case;
};

/** What `updateInstance` takes. */
export type UpdateInstanceInput = {
  /** The platform's `idForm`, or the form's global `id`. */
  readonly formId: Scalars['ID']['input'];
  /**
   * A name of the client's own for this change, such as a UUID. Asked again with the same key and input within ten minutes, it
   * gives the first outcome, an error too, without a second effect; with another input it is BAD_USER_INPUT.
   */
  readonly idempotencyKey?: InputMaybe<Scalars['ID']['input']>;
  /** The platform's `idInstance`, a decimal integer, or the global `id`. */
  readonly instanceId: Scalars['ID']['input'];
  /** The values to change, by field name; `null` empties a field. */
  readonly values: Scalars['JSONObject']['input'];
};

/** What `updateInstance` gives. */
export type UpdateInstancePayload = {
  /** The instance as it reads after the change; read back only when selected. `null` when it is gone again. */
  readonly instance?: Maybe<Instance>;
};

/** Somebody who is signed in. */
export type Viewer = {
  /** The name under which they signed in, or that their credentials state. */
  readonly name: Scalars['String']['output'];
  /** When they signed in, or `null` when that is not known. */
  readonly since?: Maybe<Scalars['DateTime']['output']>;
  /** When the session ends, or `null` when that is not known. */
  readonly until?: Maybe<Scalars['DateTime']['output']>;
};



export type ResolverTypeWrapper<T> = PromiseLike<T> | T;


export type ResolverWithResolve<TResult, TParent, TContext, TArgs> = {
  resolve: ResolverFn<TResult, TParent, TContext, TArgs>;
};
export type Resolver<TResult, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> = ResolverFn<TResult, TParent, TContext, TArgs> | ResolverWithResolve<TResult, TParent, TContext, TArgs>;

export type SubscriptionSubscribeFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => AsyncIterable<TResult> | Promise<AsyncIterable<TResult>>;

export type SubscriptionResolveFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => TResult | Promise<TResult>;

export interface SubscriptionSubscriberObject<TResult, TKey extends string, TParent, TContext, TArgs> {
  subscribe: SubscriptionSubscribeFn<{ [key in TKey]: TResult }, TParent, TContext, TArgs>;
  resolve?: SubscriptionResolveFn<TResult, { [key in TKey]: TResult }, TContext, TArgs>;
}

export interface SubscriptionResolverObject<TResult, TParent, TContext, TArgs> {
  subscribe: SubscriptionSubscribeFn<any, TParent, TContext, TArgs>;
  resolve: SubscriptionResolveFn<TResult, any, TContext, TArgs>;
}

export type SubscriptionObject<TResult, TKey extends string, TParent, TContext, TArgs> =
  | SubscriptionSubscriberObject<TResult, TKey, TParent, TContext, TArgs>
  | SubscriptionResolverObject<TResult, TParent, TContext, TArgs>;

export type SubscriptionResolver<TResult, TKey extends string, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> =
  | ((...args: any[]) => SubscriptionObject<TResult, TKey, TParent, TContext, TArgs>)
  | SubscriptionObject<TResult, TKey, TParent, TContext, TArgs>;

export type TypeResolveFn<TTypes, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>> = (
  parent: TParent,
  context: TContext,
  info: GraphQLResolveInfo
) => Maybe<TTypes> | Promise<Maybe<TTypes>>;

export type IsTypeOfResolverFn<T = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>> = (obj: T, context: TContext, info: GraphQLResolveInfo) => boolean | Promise<boolean>;

export type NextResolverFn<T> = () => Promise<T>;

export type DirectiveResolverFn<TResult = Record<PropertyKey, never>, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> = (
  next: NextResolverFn<TResult>,
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => TResult | Promise<TResult>;





/** Mapping between all available schema types and the resolvers types */
export type ResolversTypes = {
  Activity: ResolverTypeWrapper<Activity>;
  Boolean: ResolverTypeWrapper<Scalars['Boolean']['output']>;
  Case: ResolverTypeWrapper<CaseRecord>;
  CreateInstanceInput: CreateInstanceInput;
  CreateInstancePayload: ResolverTypeWrapper<Omit<CreateInstancePayload, 'instance'> & { instance: ResolversTypes['Instance'] }>;
  CriterionInput: CriterionInput;
  DateTime: ResolverTypeWrapper<Scalars['DateTime']['output']>;
  DeleteInstanceInput: DeleteInstanceInput;
  DeleteInstancePayload: ResolverTypeWrapper<DeleteInstancePayload>;
  ExecuteActivityInput: ExecuteActivityInput;
  ExecuteActivityPayload: ResolverTypeWrapper<Omit<ExecuteActivityPayload, 'case'> & { case: ResolversTypes['Case'] }>;
  ExecuteRuleInput: ExecuteRuleInput;
  ExecuteRulePayload: ResolverTypeWrapper<ExecuteRulePayload>;
  Form: ResolverTypeWrapper<FormRecord>;
  FormConnection: ResolverTypeWrapper<Omit<FormConnection, 'edges' | 'nodes'> & { edges: ReadonlyArray<ResolversTypes['FormEdge']>, nodes: ReadonlyArray<ResolversTypes['Form']> }>;
  FormEdge: ResolverTypeWrapper<Omit<FormEdge, 'node'> & { node: ResolversTypes['Form'] }>;
  FormField: ResolverTypeWrapper<FieldRecord>;
  GenericInstance: ResolverTypeWrapper<InstanceRecord>;
  ID: ResolverTypeWrapper<Scalars['ID']['output']>;
  Instance: ResolverTypeWrapper<InstanceRecord>;
  InstanceCapabilities: ResolverTypeWrapper<InstanceCapabilities>;
  InstanceConnection: ResolverTypeWrapper<Omit<InstanceConnection, 'edges' | 'nodes'> & { edges: ReadonlyArray<ResolversTypes['InstanceEdge']>, nodes: ReadonlyArray<ResolversTypes['Instance']> }>;
  InstanceEdge: ResolverTypeWrapper<Omit<InstanceEdge, 'node'> & { node: ResolversTypes['Instance'] }>;
  Int: ResolverTypeWrapper<Scalars['Int']['output']>;
  JSON: ResolverTypeWrapper<Scalars['JSON']['output']>;
  JSONObject: ResolverTypeWrapper<Scalars['JSONObject']['output']>;
  Link: ResolverTypeWrapper<LinkRecord>;
  Mutation: ResolverTypeWrapper<Record<PropertyKey, never>>;
  Node: ResolverTypeWrapper<NodeRecord>;
  OrderInput: OrderInput;
  PageInfo: ResolverTypeWrapper<PageInfo>;
  Query: ResolverTypeWrapper<Record<PropertyKey, never>>;
  ReplaceInstanceInput: ReplaceInstanceInput;
  ReplaceInstancePayload: ResolverTypeWrapper<InstancePayload>;
  Rule: ResolverTypeWrapper<RuleRecord>;
  RuleParameter: ResolverTypeWrapper<RuleParameter>;
  RuleParameterInput: RuleParameterInput;
  SearchOperator: SearchOperator;
  SignInInput: SignInInput;
  SignInPayload: ResolverTypeWrapper<SignInPayload>;
  SignOutPayload: ResolverTypeWrapper<SignOutPayload>;
  SortDirection: SortDirection;
  StartCaseInput: StartCaseInput;
  StartCasePayload: ResolverTypeWrapper<Omit<StartCasePayload, 'case'> & { case: ResolversTypes['Case'] }>;
  String: ResolverTypeWrapper<Scalars['String']['output']>;
  UpdateInstanceInput: UpdateInstanceInput;
  UpdateInstancePayload: ResolverTypeWrapper<InstancePayload>;
  Viewer: ResolverTypeWrapper<Viewer>;
};

/** Mapping between all available schema types and the resolvers parents */
export type ResolversParentTypes = {
  Activity: Activity;
  Boolean: Scalars['Boolean']['output'];
  Case: CaseRecord;
  CreateInstanceInput: CreateInstanceInput;
  CreateInstancePayload: Omit<CreateInstancePayload, 'instance'> & { instance: ResolversParentTypes['Instance'] };
  CriterionInput: CriterionInput;
  DateTime: Scalars['DateTime']['output'];
  DeleteInstanceInput: DeleteInstanceInput;
  DeleteInstancePayload: DeleteInstancePayload;
  ExecuteActivityInput: ExecuteActivityInput;
  ExecuteActivityPayload: Omit<ExecuteActivityPayload, 'case'> & { case: ResolversParentTypes['Case'] };
  ExecuteRuleInput: ExecuteRuleInput;
  ExecuteRulePayload: ExecuteRulePayload;
  Form: FormRecord;
  FormConnection: Omit<FormConnection, 'edges' | 'nodes'> & { edges: ReadonlyArray<ResolversParentTypes['FormEdge']>, nodes: ReadonlyArray<ResolversParentTypes['Form']> };
  FormEdge: Omit<FormEdge, 'node'> & { node: ResolversParentTypes['Form'] };
  FormField: FieldRecord;
  GenericInstance: InstanceRecord;
  ID: Scalars['ID']['output'];
  Instance: InstanceRecord;
  InstanceCapabilities: InstanceCapabilities;
  InstanceConnection: Omit<InstanceConnection, 'edges' | 'nodes'> & { edges: ReadonlyArray<ResolversParentTypes['InstanceEdge']>, nodes: ReadonlyArray<ResolversParentTypes['Instance']> };
  InstanceEdge: Omit<InstanceEdge, 'node'> & { node: ResolversParentTypes['Instance'] };
  Int: Scalars['Int']['output'];
  JSON: Scalars['JSON']['output'];
  JSONObject: Scalars['JSONObject']['output'];
  Link: LinkRecord;
  Mutation: Record<PropertyKey, never>;
  Node: NodeRecord;
  OrderInput: OrderInput;
  PageInfo: PageInfo;
  Query: Record<PropertyKey, never>;
  ReplaceInstanceInput: ReplaceInstanceInput;
  ReplaceInstancePayload: InstancePayload;
  Rule: RuleRecord;
  RuleParameter: RuleParameter;
  RuleParameterInput: RuleParameterInput;
  SignInInput: SignInInput;
  SignInPayload: SignInPayload;
  SignOutPayload: SignOutPayload;
  StartCaseInput: StartCaseInput;
  StartCasePayload: Omit<StartCasePayload, 'case'> & { case: ResolversParentTypes['Case'] };
  String: Scalars['String']['output'];
  UpdateInstanceInput: UpdateInstanceInput;
  UpdateInstancePayload: InstancePayload;
  Viewer: Viewer;
};

export type ActivityResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['Activity'] = ResolversParentTypes['Activity']> = {
  activityId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  name?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type CaseResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['Case'] = ResolversParentTypes['Case']> = {
  activity?: Resolver<Maybe<ResolversTypes['Activity']>, ParentType, ContextType>;
  caseId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  record?: Resolver<ResolversTypes['JSONObject'], ParentType, ContextType>;
};

export type CreateInstancePayloadResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['CreateInstancePayload'] = ResolversParentTypes['CreateInstancePayload']> = {
  instance?: Resolver<ResolversTypes['Instance'], ParentType, ContextType>;
};

export interface DateTimeScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['DateTime'], any> {
  name: 'DateTime';
}

export type DeleteInstancePayloadResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['DeleteInstancePayload'] = ResolversParentTypes['DeleteInstancePayload']> = {
  deletedId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
};

export type ExecuteActivityPayloadResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['ExecuteActivityPayload'] = ResolversParentTypes['ExecuteActivityPayload']> = {
  case?: Resolver<ResolversTypes['Case'], ParentType, ContextType>;
};

export type ExecuteRulePayloadResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['ExecuteRulePayload'] = ResolversParentTypes['ExecuteRulePayload']> = {
  outputs?: Resolver<ReadonlyArray<ResolversTypes['RuleParameter']>, ParentType, ContextType>;
};

export type FormResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['Form'] = ResolversParentTypes['Form']> = {
  definition?: Resolver<ResolversTypes['JSONObject'], ParentType, ContextType>;
  description?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  fields?: Resolver<Maybe<ReadonlyArray<ResolversTypes['FormField']>>, ParentType, ContextType>;
  formId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  instance?: Resolver<Maybe<ResolversTypes['Instance']>, ParentType, ContextType, RequireFields<FormInstanceArgs, 'instanceId'>>;
  instances?: Resolver<Maybe<ResolversTypes['InstanceConnection']>, ParentType, ContextType, Partial<FormInstancesArgs>>;
  links?: Resolver<ReadonlyArray<ResolversTypes['Link']>, ParentType, ContextType>;
  name?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  version?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type FormConnectionResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['FormConnection'] = ResolversParentTypes['FormConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['FormEdge']>, ParentType, ContextType>;
  nodes?: Resolver<ReadonlyArray<ResolversTypes['Form']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
  totalCount?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
};

export type FormEdgeResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['FormEdge'] = ResolversParentTypes['FormEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['Form'], ParentType, ContextType>;
};

export type FormFieldResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['FormField'] = ResolversParentTypes['FormField']> = {
  label?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  options?: Resolver<Maybe<ReadonlyArray<ResolversTypes['JSON']>>, ParentType, ContextType>;
  reference?: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
  required?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
  type?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type GenericInstanceResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['GenericInstance'] = ResolversParentTypes['GenericInstance']> = {
  can?: Resolver<Maybe<ResolversTypes['InstanceCapabilities']>, ParentType, ContextType>;
  form?: Resolver<Maybe<ResolversTypes['Form']>, ParentType, ContextType>;
  formId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  instanceId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  links?: Resolver<Maybe<ReadonlyArray<ResolversTypes['Link']>>, ParentType, ContextType>;
  reference?: Resolver<Maybe<ResolversTypes['Instance']>, ParentType, ContextType, RequireFields<GenericInstanceReferenceArgs, 'field'>>;
  value?: Resolver<Maybe<ResolversTypes['JSON']>, ParentType, ContextType, RequireFields<GenericInstanceValueArgs, 'field'>>;
  values?: Resolver<Maybe<ResolversTypes['JSONObject']>, ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type InstanceResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['Instance'] = ResolversParentTypes['Instance']> = {
  __resolveType: TypeResolveFn<'GenericInstance', ParentType, ContextType>;
};

export type InstanceCapabilitiesResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['InstanceCapabilities'] = ResolversParentTypes['InstanceCapabilities']> = {
  delete?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  replace?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  update?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
};

export type InstanceConnectionResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['InstanceConnection'] = ResolversParentTypes['InstanceConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['InstanceEdge']>, ParentType, ContextType>;
  nodes?: Resolver<ReadonlyArray<ResolversTypes['Instance']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
  totalCount?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
};

export type InstanceEdgeResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['InstanceEdge'] = ResolversParentTypes['InstanceEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['Instance'], ParentType, ContextType>;
};

export interface JsonScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['JSON'], any> {
  name: 'JSON';
}

export interface JsonObjectScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['JSONObject'], any> {
  name: 'JSONObject';
}

export type LinkResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['Link'] = ResolversParentTypes['Link']> = {
  href?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  method?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  rel?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type MutationResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['Mutation'] = ResolversParentTypes['Mutation']> = {
  createInstance?: Resolver<Maybe<ResolversTypes['CreateInstancePayload']>, ParentType, ContextType, RequireFields<MutationCreateInstanceArgs, 'input'>>;
  deleteInstance?: Resolver<Maybe<ResolversTypes['DeleteInstancePayload']>, ParentType, ContextType, RequireFields<MutationDeleteInstanceArgs, 'input'>>;
  executeActivity?: Resolver<Maybe<ResolversTypes['ExecuteActivityPayload']>, ParentType, ContextType, RequireFields<MutationExecuteActivityArgs, 'input'>>;
  executeRule?: Resolver<Maybe<ResolversTypes['ExecuteRulePayload']>, ParentType, ContextType, RequireFields<MutationExecuteRuleArgs, 'input'>>;
  replaceInstance?: Resolver<Maybe<ResolversTypes['ReplaceInstancePayload']>, ParentType, ContextType, RequireFields<MutationReplaceInstanceArgs, 'input'>>;
  signIn?: Resolver<Maybe<ResolversTypes['SignInPayload']>, ParentType, ContextType, RequireFields<MutationSignInArgs, 'input'>>;
  signOut?: Resolver<Maybe<ResolversTypes['SignOutPayload']>, ParentType, ContextType>;
  startCase?: Resolver<Maybe<ResolversTypes['StartCasePayload']>, ParentType, ContextType, RequireFields<MutationStartCaseArgs, 'input'>>;
  updateInstance?: Resolver<Maybe<ResolversTypes['UpdateInstancePayload']>, ParentType, ContextType, RequireFields<MutationUpdateInstanceArgs, 'input'>>;
};

export type NodeResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['Node'] = ResolversParentTypes['Node']> = {
  __resolveType: TypeResolveFn<'Form' | 'GenericInstance', ParentType, ContextType>;
};

export type PageInfoResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['PageInfo'] = ResolversParentTypes['PageInfo']> = {
  endCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  hasNextPage?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  hasPreviousPage?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  startCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type QueryResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['Query'] = ResolversParentTypes['Query']> = {
  form?: Resolver<Maybe<ResolversTypes['Form']>, ParentType, ContextType, RequireFields<QueryFormArgs, 'formId'>>;
  forms?: Resolver<Maybe<ResolversTypes['FormConnection']>, ParentType, ContextType, Partial<QueryFormsArgs>>;
  instance?: Resolver<Maybe<ResolversTypes['Instance']>, ParentType, ContextType, RequireFields<QueryInstanceArgs, 'formId' | 'instanceId'>>;
  instances?: Resolver<Maybe<ResolversTypes['InstanceConnection']>, ParentType, ContextType, RequireFields<QueryInstancesArgs, 'formId'>>;
  node?: Resolver<Maybe<ResolversTypes['Node']>, ParentType, ContextType, RequireFields<QueryNodeArgs, 'id'>>;
  rule?: Resolver<Maybe<ResolversTypes['Rule']>, ParentType, ContextType, RequireFields<QueryRuleArgs, 'component' | 'version'>>;
  viewer?: Resolver<Maybe<ResolversTypes['Viewer']>, ParentType, ContextType>;
};

export type ReplaceInstancePayloadResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['ReplaceInstancePayload'] = ResolversParentTypes['ReplaceInstancePayload']> = {
  instance?: Resolver<Maybe<ResolversTypes['Instance']>, ParentType, ContextType>;
};

export type RuleResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['Rule'] = ResolversParentTypes['Rule']> = {
  component?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  descriptiveName?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  name?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  parameters?: Resolver<ReadonlyArray<ResolversTypes['RuleParameter']>, ParentType, ContextType>;
  version?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
};

export type RuleParameterResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['RuleParameter'] = ResolversParentTypes['RuleParameter']> = {
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  type?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  value?: Resolver<Maybe<ResolversTypes['JSON']>, ParentType, ContextType>;
};

export type SignInPayloadResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['SignInPayload'] = ResolversParentTypes['SignInPayload']> = {
  expiresAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  sessionToken?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  viewer?: Resolver<ResolversTypes['Viewer'], ParentType, ContextType>;
};

export type SignOutPayloadResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['SignOutPayload'] = ResolversParentTypes['SignOutPayload']> = {
  viewer?: Resolver<Maybe<ResolversTypes['Viewer']>, ParentType, ContextType>;
};

export type StartCasePayloadResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['StartCasePayload'] = ResolversParentTypes['StartCasePayload']> = {
  case?: Resolver<ResolversTypes['Case'], ParentType, ContextType>;
};

export type UpdateInstancePayloadResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['UpdateInstancePayload'] = ResolversParentTypes['UpdateInstancePayload']> = {
  instance?: Resolver<Maybe<ResolversTypes['Instance']>, ParentType, ContextType>;
};

export type ViewerResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['Viewer'] = ResolversParentTypes['Viewer']> = {
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  since?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  until?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
};

export type Resolvers<ContextType = OperationContext> = {
  Activity?: ActivityResolvers<ContextType>;
  Case?: CaseResolvers<ContextType>;
  CreateInstancePayload?: CreateInstancePayloadResolvers<ContextType>;
  DateTime?: GraphQLScalarType;
  DeleteInstancePayload?: DeleteInstancePayloadResolvers<ContextType>;
  ExecuteActivityPayload?: ExecuteActivityPayloadResolvers<ContextType>;
  ExecuteRulePayload?: ExecuteRulePayloadResolvers<ContextType>;
  Form?: FormResolvers<ContextType>;
  FormConnection?: FormConnectionResolvers<ContextType>;
  FormEdge?: FormEdgeResolvers<ContextType>;
  FormField?: FormFieldResolvers<ContextType>;
  GenericInstance?: GenericInstanceResolvers<ContextType>;
  Instance?: InstanceResolvers<ContextType>;
  InstanceCapabilities?: InstanceCapabilitiesResolvers<ContextType>;
  InstanceConnection?: InstanceConnectionResolvers<ContextType>;
  InstanceEdge?: InstanceEdgeResolvers<ContextType>;
  JSON?: GraphQLScalarType;
  JSONObject?: GraphQLScalarType;
  Link?: LinkResolvers<ContextType>;
  Mutation?: MutationResolvers<ContextType>;
  Node?: NodeResolvers<ContextType>;
  PageInfo?: PageInfoResolvers<ContextType>;
  Query?: QueryResolvers<ContextType>;
  ReplaceInstancePayload?: ReplaceInstancePayloadResolvers<ContextType>;
  Rule?: RuleResolvers<ContextType>;
  RuleParameter?: RuleParameterResolvers<ContextType>;
  SignInPayload?: SignInPayloadResolvers<ContextType>;
  SignOutPayload?: SignOutPayloadResolvers<ContextType>;
  StartCasePayload?: StartCasePayloadResolvers<ContextType>;
  UpdateInstancePayload?: UpdateInstancePayloadResolvers<ContextType>;
  Viewer?: ViewerResolvers<ContextType>;
};

