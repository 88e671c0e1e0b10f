import type { Json } from '../core/json.ts';
import type { JsonObject } from '../core/json.ts';
import type { Resolver as ResolverFn } from '../graphql/context.ts';
import type { GraphQLResolveInfo, GraphQLScalarType, GraphQLScalarTypeConfig } from 'graphql';
import type { FormRecord, InstanceRecord, RuleRecord, CaseRecord, LinkRecord } from '../upstream/records.ts';
import type { FormFieldView } from '../graphql/form-field.ts';
import type { EntityRecord } from '../upstream/operations.ts';
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
  /** A point in time in UTC, as an RFC 3339 date-time: `2026-01-31T09:30:00.000Z`. */
  DateTime: { input: Date; output: Date; }
  /** Any JSON value. Integers beyond ±(2^53 − 1) are returned as strings of digits, and rejected as input: send a string. */
  JSON: { input: Json; output: Json; }
  /** A JSON object. Integers beyond ±(2^53 − 1) are returned as strings of digits, and rejected as input: send a string. */
  JSONObject: { input: JsonObject; output: JsonObject; }
};

/** One step of a case. */
export type Activity = {
  /** The platform's `cdActivity`, an int64 as a string of digits. */
  readonly activityId: Scalars['ID']['output'];
  /** The activity's name, or `null` when the platform returns none. */
  readonly name?: Maybe<Scalars['String']['output']>;
};

/** A case: one run of a process through its activities. */
export type Case = {
  /** The activity in the platform's response, or `null` when there is none, for example when the case is completed. */
  readonly activity?: Maybe<Activity>;
  /** The platform's `idCase`, an int64 as a string of digits. */
  readonly caseId: Scalars['ID']['output'];
  /** The platform's whole response, with the platform's own member names. */
  readonly record: Scalars['JSONObject']['output'];
};

/** Input of `createInstance`. */
export type CreateInstanceInput = {
  /** The platform's `idForm`, or the form's global `id`. */
  readonly formId: Scalars['ID']['input'];
  /** The values by field name. */
  readonly values: Scalars['JSONObject']['input'];
};

/** Payload of `createInstance`. */
export type CreateInstancePayload = {
  /** The new instance. */
  readonly instance: Instance;
};

/**
 * One search condition. A value that contains `,`, `:` or `=` is rejected with `BAD_USER_INPUT`, since the platform's
 * search notation has no escape for them.
 */
export type CriterionInput = {
  /** The field's name in the platform's form definition. */
  readonly field: Scalars['String']['input'];
  /** The comparison of the field with `value`. */
  readonly operator: SearchOperator;
  /** The value to compare with: a string, number or boolean; for `IN` a list of them. */
  readonly value: Scalars['JSON']['input'];
};

/** Input of `deleteInstance`. */
export type DeleteInstanceInput = {
  /**
   * Values that the instance must have, by field name; `null` for a field without a value. If one differs,
   * nothing is sent, and the error is `CONFLICT`. One more upstream call, and a right to read the form.
   */
  readonly expected?: InputMaybe<Scalars['JSONObject']['input']>;
  /** The platform's `idForm`, or the form's global `id`. */
  readonly formId: Scalars['ID']['input'];
  /** The platform's `idInstance`, a decimal integer, or the global `id`. */
  readonly instanceId: Scalars['ID']['input'];
};

/** Payload of `deleteInstance`. */
export type DeleteInstancePayload = {
  /** The global id of the deleted instance, for removing it from a client's cache. */
  readonly deletedId: Scalars['ID']['output'];
};

/** Input of `executeActivity`. */
export type ExecuteActivityInput = {
  /** The platform's `cdActivity`, an int64: a string of digits, or an integer literal. */
  readonly activityId: Scalars['ID']['input'];
  /** Additional members of the platform's request body. They do not override `values`. */
  readonly attributes?: InputMaybe<Scalars['JSONObject']['input']>;
  /** The platform's `idCase`, an int64: a string of digits, or an integer literal. */
  readonly caseId: Scalars['ID']['input'];
  /** The activity's values, by name. */
  readonly values?: InputMaybe<Scalars['JSONObject']['input']>;
};

/** Payload of `executeActivity`. */
export type ExecuteActivityPayload = {
  /** The case after the activity. */
  readonly case: Case;
};

/** Input of `executeRule`. */
export type ExecuteRuleInput = {
  /** The platform's `cdComponent`. */
  readonly component: Scalars['ID']['input'];
  /** The input parameters. */
  readonly parameters: ReadonlyArray<RuleParameterInput>;
  /** The platform's `cdVersion`. */
  readonly version: Scalars['ID']['input'];
};

/** Payload of `executeRule`. */
export type ExecuteRulePayload = {
  /** The output parameters, in the platform's order. */
  readonly outputs: ReadonlyArray<RuleParameter>;
};

/** A form published by the platform: the definition of its instances' fields. */
export type Form = Node & {
  /** What the caller may do with the form; `null` when the links of the definition name no methods. */
  readonly can?: Maybe<FormCapabilities>;
  /** The whole definition as the platform returned it, with the platform's own member names. */
  readonly definition: Scalars['JSONObject']['output'];
  /** A description of the form, or `null` when the platform returns none. */
  readonly description?: Maybe<Scalars['String']['output']>;
  /**
   * The fields of the form's instances, in the platform's order; `null` when the definition does not list them.
   *
   * No further upstream call, unless the form came from a list that omits the fields: then one `getForm` per form.
   */
  readonly fields?: Maybe<ReadonlyArray<FormField>>;
  /** The platform's `idForm`. */
  readonly formId: Scalars['ID']['output'];
  /** The global id. */
  readonly id: Scalars['ID']['output'];
  /**
   * One instance of this form, or `null` when the form has no such instance.
   *
   * Source: `getFormIntance` (sic). Several instances of one form are batched into one list call where the platform can
   * search by a list of ids.
   */
  readonly instance?: Maybe<Instance>;
  /**
   * The form's instances; `null` only together with an error.
   *
   * Source: `getFormIntances` (sic). One upstream call for each form.
   */
  readonly instances?: Maybe<InstanceConnection>;
  /** Navigation links of the definition; empty when there are none. */
  readonly links: ReadonlyArray<Link>;
  /** The form's name, or `null` when the platform returns none. */
  readonly name?: Maybe<Scalars['String']['output']>;
  /** The name of the form's type in this graph, or `null` when it has none that the caller may see. */
  readonly typeName?: Maybe<Scalars['String']['output']>;
  /** The definition's version in the platform's notation, or `null` when it returns none. */
  readonly version?: Maybe<Scalars['String']['output']>;
};


/** A form published by the platform: the definition of its instances' fields. */
export type FormInstanceArgs = {
  instanceId: Scalars['ID']['input'];
};


/** A form published by the platform: the definition of its instances' fields. */
export type FormInstancesArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  orderBy?: InputMaybe<ReadonlyArray<OrderInput>>;
  page?: InputMaybe<Scalars['Int']['input']>;
  where?: InputMaybe<ReadonlyArray<CriterionInput>>;
};

/** What the caller may do with a form, for example to hide a button. */
export type FormCapabilities = {
  /** Whether the caller may use `createInstance` (POST). */
  readonly create: Scalars['Boolean']['output'];
};

/** One page of forms (Relay). */
export type FormConnection = {
  /** The page's forms, each with its cursor. */
  readonly edges: ReadonlyArray<FormEdge>;
  /** The page's forms. */
  readonly nodes: ReadonlyArray<Form>;
  /** The position of this page within the list. */
  readonly pageInfo: PageInfo;
  /** The number of forms on all pages, or `null` if the platform states no total. */
  readonly totalCount?: Maybe<Scalars['Int']['output']>;
};

/** A form and its position in a list (Relay). */
export type FormEdge = {
  /** The cursor of this position, for `after`. Rows that are added or removed before it shift it. */
  readonly cursor: Scalars['String']['output'];
  /** The form. */
  readonly node: Form;
};

/** One field of a form's definition: all that a control for it needs. */
export type FormField = {
  /** The value of a new instance, as the platform has it, or `null` when it returns none. */
  readonly default?: Maybe<Scalars['JSON']['output']>;
  /** A help text, or `null` when the platform returns none. */
  readonly description?: Maybe<Scalars['String']['output']>;
  /** Its name in the form's type and inputs, or `null` when the form has no type. */
  readonly graphqlName?: Maybe<Scalars['String']['output']>;
  /** Whether the field has several values, or `null` when the platform does not say. */
  readonly isMultiple?: Maybe<Scalars['Boolean']['output']>;
  /** The display name, or `null` when the platform returns none. */
  readonly label?: Maybe<Scalars['String']['output']>;
  /** The greatest number, or `null` for no limit. */
  readonly max?: Maybe<Scalars['Float']['output']>;
  /** The most characters, or `null` for no limit. */
  readonly maxLength?: Maybe<Scalars['Int']['output']>;
  /** The least number, or `null` for no limit. */
  readonly min?: Maybe<Scalars['Float']['output']>;
  /** The field's name, and its key in `Instance.values`. */
  readonly name: Scalars['String']['output'];
  /** The allowed values, or `null` when the field is not a choice. */
  readonly options?: Maybe<ReadonlyArray<FormFieldOption>>;
  /** The form that this field refers to, or `null` when it is not a reference. */
  readonly reference?: Maybe<FormReference>;
  /** Whether an instance must have a value, or `null` when the platform does not state it. */
  readonly required?: Maybe<Scalars['Boolean']['output']>;
  /** The platform's name for the field's type, or `null` when it returns none. */
  readonly type?: Maybe<Scalars['String']['output']>;
  /** The unit of a number, or `null` when the platform returns none. */
  readonly unit?: Maybe<Scalars['String']['output']>;
};

/** A value to choose from. */
export type FormFieldOption = {
  /** Its name in the enum of the form's type, or `null` when there is none. */
  readonly enumValue?: Maybe<Scalars['String']['output']>;
  /** The display name, or `null` when the platform returns none. */
  readonly label?: Maybe<Scalars['String']['output']>;
  /** The platform's value, as a text. */
  readonly value: Scalars['String']['output'];
};

/** A form that a field refers to. */
export type FormReference = {
  /** The platform's `idForm`. */
  readonly formId: Scalars['ID']['output'];
  /** The name of its type in this graph, or `null` when it has none that the caller may see. */
  readonly typeName?: Maybe<Scalars['String']['output']>;
};

export type GenericInstance = Instance & Node;

/**
 * One filled-in form. An interface, implemented by the types of individual forms, and by `GenericInstance` for all other
 * forms.
 */
export type Instance = {
  /** The mutations that the caller may use, by the methods of the instance's links; `null` when the platform names no methods. */
  readonly can?: Maybe<InstanceCapabilities>;
  /** The form's definition. One `getForm` per distinct form of the operation. */
  readonly form?: Maybe<Form>;
  /** The platform's `idForm`. */
  readonly formId: Scalars['ID']['output'];
  /** The global id. */
  readonly id: Scalars['ID']['output'];
  /** The platform's `idInstance`: a decimal integer, unique within its form. */
  readonly instanceId: Scalars['ID']['output'];
  /** Navigation links of the instance; empty when there are none. */
  readonly links?: Maybe<ReadonlyArray<Link>>;
  /**
   * The instance that a reference field points to, or `null` when the field is empty or the target no longer exists.
   *
   * Source: `getForm` for the target form, then one list call for all references of the operation to one form (or one
   * `getFormIntance` each, where the platform cannot search by a list of ids).
   */
  readonly reference?: Maybe<Instance>;
  /** One field's value, or `null` when it is empty or the field does not exist. */
  readonly value?: Maybe<Scalars['JSON']['output']>;
  /** The values by field name, as the platform returned them; `null` only together with an error. */
  readonly values?: Maybe<Scalars['JSONObject']['output']>;
};


/**
 * One filled-in form. An interface, implemented by the types of individual forms, and by `GenericInstance` for all other
 * forms.
 */
export type InstanceReferenceArgs = {
  field: Scalars['String']['input'];
};


/**
 * One filled-in form. An interface, implemented by the types of individual forms, and by `GenericInstance` for all other
 * forms.
 */
export type InstanceValueArgs = {
  field: Scalars['String']['input'];
};

/** The mutations that the caller may use on an instance, for example to hide a button. */
export type InstanceCapabilities = {
  /** Whether the caller may use `deleteInstance` (DELETE). */
  readonly delete: Scalars['Boolean']['output'];
  /** Whether the caller may use `replaceInstance` (PUT). */
  readonly replace: Scalars['Boolean']['output'];
  /** Whether the caller may use `updateInstance` (PATCH). */
  readonly update: Scalars['Boolean']['output'];
};

/** One page of instances (Relay). */
export type InstanceConnection = {
  /** The page's instances, each with its cursor. */
  readonly edges: ReadonlyArray<InstanceEdge>;
  /** The page's instances. */
  readonly nodes: ReadonlyArray<Instance>;
  /** The position of this page within the list. */
  readonly pageInfo: PageInfo;
  /** The number of instances on all pages, or `null` if the platform states no total. With a cursor by id: the instances before it and after it. */
  readonly totalCount?: Maybe<Scalars['Int']['output']>;
};

/** An instance and its position in a list (Relay). */
export type InstanceEdge = {
  /** The cursor of this row, for `after`. In the order of ids it marks the row's id, otherwise its position. */
  readonly cursor: Scalars['String']['output'];
  /** The instance. */
  readonly node: Instance;
};

/** A navigation link that the platform returned with a resource. */
export type Link = {
  /** The link's target, exactly as the platform returned it: a URL of the platform, not of this gateway. */
  readonly href: Scalars['String']['output'];
  /** The HTTP method of the target, or `null` when the platform names none. A link with several methods is listed once for each. */
  readonly method?: Maybe<Scalars['String']['output']>;
  /** How the target relates to the resource, such as `self` or `next`. */
  readonly rel: Scalars['String']['output'];
};

/** All mutations. The fields of one operation run serially, in order. */
export type Mutation = {
  /**
   * Creates an instance of a form. Never retried by the gateway: a lost response is `OUTCOME_UNKNOWN`.
   *
   * Source: `createFormIntance` (sic). One upstream call, and one `getFormIntance` only where the platform's response has
   * no values and they are selected.
   */
  readonly createInstance?: Maybe<CreateInstancePayload>;
  /**
   * Deletes an instance.
   *
   * Source: `deleteFormIntance` (sic). One upstream call.
   */
  readonly deleteInstance?: Maybe<DeleteInstancePayload>;
  /**
   * Executes the current activity of a case. Never retried by the gateway.
   *
   * Source: `executeCurrentActivity`, a PUT that has an effect each time. One upstream call.
   */
  readonly executeActivity?: Maybe<ExecuteActivityPayload>;
  /**
   * Executes a rule with input parameters. Never retried by the gateway, since a rule may have effects.
   *
   * Source: `execute`, a PUT. One upstream call.
   */
  readonly executeRule?: Maybe<ExecuteRulePayload>;
  /**
   * Replaces an instance's values: optional fields that are not named are cleared, if the platform follows its interface.
   * Never retried by the gateway.
   *
   * Source: `updateFormIntance` (sic), a PUT. One upstream call, and one `getFormIntance` only where `instance` is selected.
   */
  readonly replaceInstance?: Maybe<ReplaceInstancePayload>;
  /**
   * Signs in with the caller's own credentials, if the gateway has `IDENTITY=user`. A browser gets a
   * cookie that scripts cannot read; other clients get a session token to send as `Authorization: Bearer`. Both contain the
   * platform's token, encrypted, and expire with it. Later fields of the same operation still run as the previous caller.
   *
   * Source: `getToken`. One upstream call. Invalid credentials are `UNAUTHENTICATED`.
   */
  readonly signIn?: Maybe<SignInPayload>;
  /**
   * Ends the caller's session: the cookie is cleared, and this gateway no longer accepts the session's token.
   *
   * No upstream call.
   */
  readonly signOut?: Maybe<SignOutPayload>;
  /**
   * Starts a case at its process's first activity. Never retried by the gateway: a lost response is
   * `OUTCOME_UNKNOWN`.
   *
   * Source: `startCase`. One upstream call.
   */
  readonly startCase?: Maybe<StartCasePayload>;
  /**
   * Changes the named values of an instance and keeps the others. Never retried by the gateway.
   *
   * Source: `updateValuesOfFormIntance` (sic), a PATCH. One upstream call, and one `getFormIntance` only where `instance`
   * is selected.
   */
  readonly updateInstance?: Maybe<UpdateInstancePayload>;
};


/** All mutations. The fields of one operation run serially, in order. */
export type MutationCreateInstanceArgs = {
  input: CreateInstanceInput;
};


/** All mutations. The fields of one operation run serially, in order. */
export type MutationDeleteInstanceArgs = {
  input: DeleteInstanceInput;
};


/** All mutations. The fields of one operation run serially, in order. */
export type MutationExecuteActivityArgs = {
  input: ExecuteActivityInput;
};


/** All mutations. The fields of one operation run serially, in order. */
export type MutationExecuteRuleArgs = {
  input: ExecuteRuleInput;
};


/** All mutations. The fields of one operation run serially, in order. */
export type MutationReplaceInstanceArgs = {
  input: ReplaceInstanceInput;
};


/** All mutations. The fields of one operation run serially, in order. */
export type MutationSignInArgs = {
  input: SignInInput;
};


/** All mutations. The fields of one operation run serially, in order. */
export type MutationStartCaseArgs = {
  input: StartCaseInput;
};


/** All mutations. The fields of one operation run serially, in order. */
export type MutationUpdateInstanceArgs = {
  input: UpdateInstanceInput;
};

/** An object with a global id (Relay). */
export type Node = {
  /** Unique among all objects of this graph, opaque, and the same for as long as the object exists. */
  readonly id: Scalars['ID']['output'];
};

/** One sort key; earlier keys take precedence. */
export type OrderInput = {
  /** The direction for this key. */
  readonly direction: SortDirection;
  /** The field's name in the platform's form definition. */
  readonly field: Scalars['String']['input'];
};

/** The position of a page within its list (Relay). */
export type PageInfo = {
  /** The cursor of the last edge, or `null` when the page is empty. Pass it as `after` to get the next page. */
  readonly endCursor?: Maybe<Scalars['String']['output']>;
  /** Whether more items follow this page. Where the platform returns no total, a full page counts as `true`. */
  readonly hasNextPage: Scalars['Boolean']['output'];
  /** Whether items precede this page. */
  readonly hasPreviousPage: Scalars['Boolean']['output'];
  /** The cursor of the first edge, or `null` when the page is empty. */
  readonly startCursor?: Maybe<Scalars['String']['output']>;
};

/** All queries. None of them changes anything on the platform. */
export type Query = {
  /**
   * One form's definition, or `null` when no form has this id.
   *
   * Source: `getForm`. A form selected several times in one operation costs one upstream call; several forms are batched
   * into one list call where the platform can search by a list of ids.
   */
  readonly form?: Maybe<Form>;
  /**
   * The forms that the caller may see; `null` only together with an error.
   *
   * Source: `getForms`. One upstream call, or more only where the requested range spans several pages of the platform.
   */
  readonly forms?: Maybe<FormConnection>;
  /**
   * One instance of a form, or `null` when the form has no such instance.
   *
   * Source: `getFormIntance` (sic). Several instances of one form are batched into one list call where the platform can
   * search by a list of ids.
   */
  readonly instance?: Maybe<Instance>;
  /**
   * The instances of a form; `null` only together with an error.
   *
   * Source: `getFormIntances` (sic). One upstream call, or more only where the requested range spans several pages of the
   * platform.
   */
  readonly instances?: Maybe<InstanceConnection>;
  /**
   * The object with this global `id`, or `null` when it does not exist or was deleted.
   *
   * Source: `getForm` or `getFormIntance` (sic). One upstream call; the ids of one operation are batched.
   */
  readonly node?: Maybe<Node>;
  /**
   * A rule with its input parameters. A rule that is unknown, not published, or not published for the REST API is `null` with
   * the error `RULE_UNAVAILABLE`: the platform does not distinguish these cases.
   *
   * Source: `getParameters` (a PUT, but a read). One upstream call.
   */
  readonly rule?: Maybe<Rule>;
  /**
   * The authenticated caller. `null` for an anonymous caller, and with `IDENTITY=forward`.
   *
   * No upstream call.
   */
  readonly viewer?: Maybe<Viewer>;
};


/** All queries. None of them changes anything on the platform. */
export type QueryFormArgs = {
  formId: Scalars['ID']['input'];
};


/** All queries. None of them changes anything on the platform. */
export type QueryFormsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  orderBy?: InputMaybe<ReadonlyArray<OrderInput>>;
  page?: InputMaybe<Scalars['Int']['input']>;
  where?: InputMaybe<ReadonlyArray<CriterionInput>>;
};


/** All queries. None of them changes anything on the platform. */
export type QueryInstanceArgs = {
  formId: Scalars['ID']['input'];
  instanceId: Scalars['ID']['input'];
};


/** All queries. None of them changes anything on the platform. */
export type QueryInstancesArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  formId: Scalars['ID']['input'];
  orderBy?: InputMaybe<ReadonlyArray<OrderInput>>;
  page?: InputMaybe<Scalars['Int']['input']>;
  where?: InputMaybe<ReadonlyArray<CriterionInput>>;
};


/** All queries. None of them changes anything on the platform. */
export type QueryNodeArgs = {
  id: Scalars['ID']['input'];
};


/** All queries. None of them changes anything on the platform. */
export type QueryRuleArgs = {
  component: Scalars['ID']['input'];
  version: Scalars['ID']['input'];
};

/** Input of `replaceInstance`. */
export type ReplaceInstanceInput = {
  /**
   * Values that the instance must have, by field name; `null` for a field without a value. If one differs,
   * nothing is sent, and the error is `CONFLICT`. One more upstream call, and a right to read the form.
   */
  readonly expected?: InputMaybe<Scalars['JSONObject']['input']>;
  /** The platform's `idForm`, or the form's global `id`. */
  readonly formId: Scalars['ID']['input'];
  /** The platform's `idInstance`, a decimal integer, or the global `id`. */
  readonly instanceId: Scalars['ID']['input'];
  /** The values by field name; optional fields that are not named are cleared. */
  readonly values: Scalars['JSONObject']['input'];
};

/** Payload of `replaceInstance`. */
export type ReplaceInstancePayload = {
  /** The instance after the write, read back only when a field of its content is selected. */
  readonly instance?: Maybe<Instance>;
};

/** A published rule. */
export type Rule = {
  /** The platform's `cdComponent`. */
  readonly component: Scalars['ID']['output'];
  /** The display name, or `null` when the platform returns none. */
  readonly descriptiveName?: Maybe<Scalars['String']['output']>;
  /** The rule's name, or `null` when the platform returns none. */
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
  /** The platform's name for its type, or `null` when it returns none. */
  readonly type?: Maybe<Scalars['String']['output']>;
  /** Its value; `null` on a rule's declared input parameters, and when the rule returned none. */
  readonly value?: Maybe<Scalars['JSON']['output']>;
};

/** One input parameter of a rule. */
export type RuleParameterInput = {
  /** The parameter's name. */
  readonly name: Scalars['String']['input'];
  /** The platform's name for its type; omitted from the call when absent. */
  readonly type?: InputMaybe<Scalars['String']['input']>;
  /** Its value. */
  readonly value?: InputMaybe<Scalars['JSON']['input']>;
};

/** A comparison of a field with a value. */
export type SearchOperator =
  /** Contains the text: a pattern of `LIKE`. The platform decides whether case matters. */
  | 'CONTAINS'
  /** Equal to the value. */
  | 'EQ'
  /** Greater than the value or equal to it. */
  | 'GE'
  /** Greater than the value. */
  | 'GT'
  /** Equal to one of the values: a list, or one string with `|` between them. An empty list finds nothing, for no call. */
  | 'IN'
  /** Less than the value or equal to it. */
  | 'LE'
  /** Matches the pattern, in the platform's own pattern syntax. */
  | 'LIKE'
  /** Less than the value. */
  | 'LT'
  /** Not equal to the value. */
  | 'NE'
  /** Starts with the text: a pattern of `LIKE`. The platform decides whether case matters. */
  | 'STARTS_WITH';

/** Input of `signIn`. */
export type SignInInput = {
  /** The user's password at the platform. */
  readonly password: Scalars['String']['input'];
  /** The user's name at the platform. */
  readonly username: Scalars['String']['input'];
};

/** Payload of `signIn`. */
export type SignInPayload = {
  /** When the session ends. */
  readonly expiresAt: Scalars['DateTime']['output'];
  /** The encrypted session for other clients than browsers; `null` for a browser, which gets it as a cookie. */
  readonly sessionToken?: Maybe<Scalars['String']['output']>;
  /** The signed-in caller. */
  readonly viewer: Viewer;
};

/** Payload of `signOut`. */
export type SignOutPayload = {
  /** Always `null`: the caller is now anonymous. */
  readonly viewer?: Maybe<Viewer>;
};

/** A sort direction. */
export type SortDirection =
  /** Smallest first. */
  | 'ASC'
  /** Largest first. */
  | 'DESC';

/** Input of `startCase`. */
export type StartCaseInput = {
  /** Additional members of the platform's request body. They do not override `process` or `values`. */
  readonly attributes?: InputMaybe<Scalars['JSONObject']['input']>;
  /** The platform's id of the process to start. */
  readonly process: Scalars['ID']['input'];
  /** The case's initial values, by name. */
  readonly values?: InputMaybe<Scalars['JSONObject']['input']>;
};

/** Payload of `startCase`. */
export type StartCasePayload = {
  /** The new case. */
  readonly case: Case;
};

/** Input of `updateInstance`. */
export type UpdateInstanceInput = {
  /**
   * Values that the instance must have, by field name; `null` for a field without a value. If one differs,
   * nothing is sent, and the error is `CONFLICT`. One more upstream call, and a right to read the form.
   */
  readonly expected?: InputMaybe<Scalars['JSONObject']['input']>;
  /** The platform's `idForm`, or the form's global `id`. */
  readonly formId: Scalars['ID']['input'];
  /** The platform's `idInstance`, a decimal integer, or the global `id`. */
  readonly instanceId: Scalars['ID']['input'];
  /** The values to change, by field name; `null` clears a field. */
  readonly values: Scalars['JSONObject']['input'];
};

/** Payload of `updateInstance`. */
export type UpdateInstancePayload = {
  /** The instance after the write, read back only when a field of its content is selected. */
  readonly instance?: Maybe<Instance>;
};

/** An authenticated caller. */
export type Viewer = {
  /** The name used to sign in, or stated by the credentials. */
  readonly name: Scalars['String']['output'];
  /** When the session started, or `null` when unknown. */
  readonly since?: Maybe<Scalars['DateTime']['output']>;
  /** When the session ends, or `null` when unknown. */
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
  Float: ResolverTypeWrapper<Scalars['Float']['output']>;
  Form: ResolverTypeWrapper<FormRecord>;
  FormCapabilities: ResolverTypeWrapper<FormCapabilities>;
  FormConnection: ResolverTypeWrapper<Omit<FormConnection, 'edges' | 'nodes'> & { edges: ReadonlyArray<ResolversTypes['FormEdge']>, nodes: ReadonlyArray<ResolversTypes['Form']> }>;
  FormEdge: ResolverTypeWrapper<Omit<FormEdge, 'node'> & { node: ResolversTypes['Form'] }>;
  FormField: ResolverTypeWrapper<FormFieldView>;
  FormFieldOption: ResolverTypeWrapper<FormFieldOption>;
  FormReference: ResolverTypeWrapper<FormReference>;
  GenericInstance: ResolverTypeWrapper<GenericInstance>;
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
  Node: ResolverTypeWrapper<EntityRecord>;
  OrderInput: OrderInput;
  PageInfo: ResolverTypeWrapper<PageInfo>;
  Query: ResolverTypeWrapper<Record<PropertyKey, never>>;
  ReplaceInstanceInput: ReplaceInstanceInput;
  ReplaceInstancePayload: ResolverTypeWrapper<Omit<ReplaceInstancePayload, 'instance'> & { instance?: Maybe<ResolversTypes['Instance']> }>;
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
  UpdateInstancePayload: ResolverTypeWrapper<Omit<UpdateInstancePayload, 'instance'> & { instance?: Maybe<ResolversTypes['Instance']> }>;
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
  Float: Scalars['Float']['output'];
  Form: FormRecord;
  FormCapabilities: FormCapabilities;
  FormConnection: Omit<FormConnection, 'edges' | 'nodes'> & { edges: ReadonlyArray<ResolversParentTypes['FormEdge']>, nodes: ReadonlyArray<ResolversParentTypes['Form']> };
  FormEdge: Omit<FormEdge, 'node'> & { node: ResolversParentTypes['Form'] };
  FormField: FormFieldView;
  FormFieldOption: FormFieldOption;
  FormReference: FormReference;
  GenericInstance: GenericInstance;
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
  Node: EntityRecord;
  OrderInput: OrderInput;
  PageInfo: PageInfo;
  Query: Record<PropertyKey, never>;
  ReplaceInstanceInput: ReplaceInstanceInput;
  ReplaceInstancePayload: Omit<ReplaceInstancePayload, 'instance'> & { instance?: Maybe<ResolversParentTypes['Instance']> };
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
  UpdateInstancePayload: Omit<UpdateInstancePayload, 'instance'> & { instance?: Maybe<ResolversParentTypes['Instance']> };
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
  can?: Resolver<Maybe<ResolversTypes['FormCapabilities']>, ParentType, ContextType>;
  definition?: Resolver<ResolversTypes['JSONObject'], ParentType, ContextType>;
  description?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  fields?: Resolver<Maybe<ReadonlyArray<ResolversTypes['FormField']>>, ParentType, ContextType>;
  formId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  instance?: Resolver<Maybe<ResolversTypes['Instance']>, ParentType, ContextType, RequireFields<FormInstanceArgs, 'instanceId'>>;
  instances?: Resolver<Maybe<ResolversTypes['InstanceConnection']>, ParentType, ContextType, Partial<FormInstancesArgs>>;
  links?: Resolver<ReadonlyArray<ResolversTypes['Link']>, ParentType, ContextType>;
  name?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  typeName?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  version?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type FormCapabilitiesResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['FormCapabilities'] = ResolversParentTypes['FormCapabilities']> = {
  create?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
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
  default?: Resolver<Maybe<ResolversTypes['JSON']>, ParentType, ContextType>;
  description?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  graphqlName?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  isMultiple?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
  label?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  max?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  maxLength?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  min?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  options?: Resolver<Maybe<ReadonlyArray<ResolversTypes['FormFieldOption']>>, ParentType, ContextType>;
  reference?: Resolver<Maybe<ResolversTypes['FormReference']>, ParentType, ContextType>;
  required?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
  type?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  unit?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type FormFieldOptionResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['FormFieldOption'] = ResolversParentTypes['FormFieldOption']> = {
  enumValue?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  label?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  value?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type FormReferenceResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['FormReference'] = ResolversParentTypes['FormReference']> = {
  formId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  typeName?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type InstanceResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['Instance'] = ResolversParentTypes['Instance']> = {
  __resolveType: TypeResolveFn<'GenericInstance', ParentType, ContextType>;
  can?: Resolver<Maybe<ResolversTypes['InstanceCapabilities']>, ParentType, ContextType>;
  form?: Resolver<Maybe<ResolversTypes['Form']>, ParentType, ContextType>;
  formId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  instanceId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  links?: Resolver<Maybe<ReadonlyArray<ResolversTypes['Link']>>, ParentType, ContextType>;
  reference?: Resolver<Maybe<ResolversTypes['Instance']>, ParentType, ContextType, RequireFields<InstanceReferenceArgs, 'field'>>;
  value?: Resolver<Maybe<ResolversTypes['JSON']>, ParentType, ContextType, RequireFields<InstanceValueArgs, 'field'>>;
  values?: Resolver<Maybe<ResolversTypes['JSONObject']>, ParentType, ContextType>;
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
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
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
  FormCapabilities?: FormCapabilitiesResolvers<ContextType>;
  FormConnection?: FormConnectionResolvers<ContextType>;
  FormEdge?: FormEdgeResolvers<ContextType>;
  FormField?: FormFieldResolvers<ContextType>;
  FormFieldOption?: FormFieldOptionResolvers<ContextType>;
  FormReference?: FormReferenceResolvers<ContextType>;
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

