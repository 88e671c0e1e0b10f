/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';
/** What a field is compared with; all that is given must hold. A value that holds `,`, `:` or `=` is refused: the platform’s search has no way to say it. */
export type BooleanFilterInput = {
  /** Equal to this. */
  readonly eq?: boolean | null | undefined;
  /** Not equal to this. */
  readonly ne?: boolean | null | undefined;
};

/** The effect of a failed item on the others. */
export type BulkOnError =
  /** Sends the other items. */
  | 'CONTINUE'
  /** Sends no further item. If an item is invalid, nothing is sent. */
  | 'STOP';

/** The outcome of an item of a bulk write. */
export type BulkStatus =
  /** The platform has made the change. */
  | 'DONE'
  /** The item does not fit, or the platform refused it: see `error`. */
  | 'FAILED'
  /** The item has no effect. Repeat the call with the same key to send it. */
  | 'NOT_SENT'
  /** The item was sent, but its response was lost or does not confirm it. Read the instance before you send it again. */
  | 'UNKNOWN';

/** Input of `createPurchaseRequest`. */
export type CreatePurchaseRequestInput = {
  /**
   * Identifies this mutation across retries, for example a UUID. Repeated with the same key and input while it is kept (ten minutes or more), the
   * mutation returns the first outcome, even an error, without a second effect; with another input it is BAD_USER_INPUT.
   */
  readonly idempotencyKey?: string | null | undefined;
  /** The values by field. */
  readonly values: CreatePurchaseRequestValues;
};

/** Values of Purchase request. Required values must be given. */
export type CreatePurchaseRequestValues = {
  /** Amount, in EUR. Required. At least 0. */
  readonly amount: string | number;
  /** Created at. */
  readonly createdAt?: string | null | undefined;
  /** Needed by. */
  readonly neededBy?: string | null | undefined;
  /** Notes. At most 2000 characters. */
  readonly notes?: string | null | undefined;
  /** Quantity. Required. At least 1. */
  readonly quantity: string | number;
  /** Requester. Required. Refers to the form `employee`. */
  readonly requester: string;
  /** Status. Required. */
  readonly status: PurchaseRequestStatus;
  /** Supplier. Refers to the form `supplier`. */
  readonly supplier?: string | null | undefined;
  /** Title. Required. At most 120 characters. */
  readonly title: string;
  /** Urgent. */
  readonly urgent?: boolean | null | undefined;
};

/** What a field is compared with; all that is given must hold. A value that holds `,`, `:` or `=` is refused: the platform’s search has no way to say it. */
export type DateFilterInput = {
  /** Equal to this. */
  readonly eq?: string | null | undefined;
  /** Greater than this. */
  readonly gt?: string | null | undefined;
  /** Greater than this or equal to it. */
  readonly gte?: string | null | undefined;
  /** Equal to one of these. Without any, the list is empty and costs no call. */
  readonly in?: ReadonlyArray<string> | null | undefined;
  /** Less than this. */
  readonly lt?: string | null | undefined;
  /** Less than this or equal to it. */
  readonly lte?: string | null | undefined;
  /** Not equal to this. */
  readonly ne?: string | null | undefined;
  /** Equal to none of these. */
  readonly notIn?: ReadonlyArray<string> | null | undefined;
};

/** What a field is compared with; all that is given must hold. A value that holds `,`, `:` or `=` is refused: the platform’s search has no way to say it. */
export type DateTimeFilterInput = {
  /** Equal to this. */
  readonly eq?: string | null | undefined;
  /** Greater than this or equal to it. */
  readonly gte?: string | null | undefined;
  /** Less than this. */
  readonly lt?: string | null | undefined;
};

/** What a field is compared with; all that is given must hold. A value that holds `,`, `:` or `=` is refused: the platform’s search has no way to say it. */
export type DecimalFilterInput = {
  /** Equal to this. */
  readonly eq?: string | number | null | undefined;
  /** Greater than this. */
  readonly gt?: string | number | null | undefined;
  /** Greater than this or equal to it. */
  readonly gte?: string | number | null | undefined;
  /** Equal to one of these. Without any, the list is empty and costs no call. */
  readonly in?: ReadonlyArray<string | number> | null | undefined;
  /** Less than this. */
  readonly lt?: string | number | null | undefined;
  /** Less than this or equal to it. */
  readonly lte?: string | number | null | undefined;
  /** Not equal to this. */
  readonly ne?: string | number | null | undefined;
  /** Equal to none of these. */
  readonly notIn?: ReadonlyArray<string | number> | null | undefined;
};

/** The values of Department of Employee, each with the platform’s own. */
export type EmployeeDepartment =
  /** "engineering" */
  | 'ENGINEERING'
  /** "finance" */
  | 'FINANCE'
  /** "operations" */
  | 'OPERATIONS'
  /** "people" */
  | 'PEOPLE'
  /** "procurement" */
  | 'PROCUREMENT'
  /** "sales" */
  | 'SALES';

/** What a field is compared with; all that is given must hold. A value that holds `,`, `:` or `=` is refused: the platform’s search has no way to say it. */
export type EmployeeDepartmentFilterInput = {
  /** Equal to this. */
  readonly eq?: EmployeeDepartment | null | undefined;
  /** Equal to one of these. Without any, the list is empty and costs no call. */
  readonly in?: ReadonlyArray<EmployeeDepartment> | null | undefined;
  /** Not equal to this. */
  readonly ne?: EmployeeDepartment | null | undefined;
  /** Equal to none of these. */
  readonly notIn?: ReadonlyArray<EmployeeDepartment> | null | undefined;
};

/** What a field is compared with; all that is given must hold. A value that holds `,`, `:` or `=` is refused: the platform’s search has no way to say it. */
export type EmployeeReferenceFilterInput = {
  /** Equal to this. */
  readonly eq?: string | null | undefined;
  /** Equal to one of these. Without any, the list is empty and costs no call. */
  readonly in?: ReadonlyArray<string> | null | undefined;
  /** Not equal to this. */
  readonly ne?: string | null | undefined;
  /** Equal to none of these. */
  readonly notIn?: ReadonlyArray<string> | null | undefined;
  /** Conditions on the target. One more list call finds the targets; more than 100 are `FILTER_TOO_WIDE`. */
  readonly where?: EmployeeTargetFilterInput | null | undefined;
};

/** Conditions on the Employee that a reference leads to, all of which must hold. */
export type EmployeeTargetFilterInput = {
  /** Active. Required. */
  readonly active?: BooleanFilterInput | null | undefined;
  /** May approve up to, in EUR. At least 0. */
  readonly approvalLimit?: DecimalFilterInput | null | undefined;
  /** Department. Required. */
  readonly department?: EmployeeDepartmentFilterInput | null | undefined;
  /** E-mail. Required. At most 120 characters. */
  readonly email?: TextFilterInput | null | undefined;
  /** Hired on. */
  readonly hiredOn?: DateFilterInput | null | undefined;
  /** The platform’s `idInstance`. */
  readonly instanceId?: IdFilterInput | null | undefined;
  /** Job title. At most 80 characters. */
  readonly jobTitle?: TextFilterInput | null | undefined;
  /** Manager. Refers to the form `employee`. */
  readonly manager?: IdFilterInput | null | undefined;
  /** Name. Required. At most 80 characters. */
  readonly name?: TextFilterInput | null | undefined;
};

/** Input of `executeActivity`. */
export type ExecuteActivityInput = {
  /** The platform's `cdActivity`, an int64: a string of digits, or an integer literal. */
  readonly activityId: string;
  /** Additional members of the platform's request body. They do not override `values`. */
  readonly attributes?: Record<string, unknown> | null | undefined;
  /** The platform's `idCase`, an int64: a string of digits, or an integer literal. */
  readonly caseId: string;
  /**
   * Identifies this mutation across retries, for example a UUID. Repeated with the same key and input while it is kept (ten minutes or more), the
   * mutation returns the first outcome, even an error, without a second effect; with another input it is BAD_USER_INPUT.
   */
  readonly idempotencyKey?: string | null | undefined;
  /** The activity's values, by name. */
  readonly values?: Record<string, unknown> | null | undefined;
};

/** What a field is compared with; all that is given must hold. A value that holds `,`, `:` or `=` is refused: the platform’s search has no way to say it. */
export type IdFilterInput = {
  /** Equal to this. */
  readonly eq?: string | null | undefined;
  /** Equal to one of these. Without any, the list is empty and costs no call. */
  readonly in?: ReadonlyArray<string> | null | undefined;
  /** Not equal to this. */
  readonly ne?: string | null | undefined;
  /** Equal to none of these. */
  readonly notIn?: ReadonlyArray<string> | null | undefined;
};

/** What a field is compared with; all that is given must hold. A value that holds `,`, `:` or `=` is refused: the platform’s search has no way to say it. */
export type IntFilterInput = {
  /** Equal to this. */
  readonly eq?: number | null | undefined;
  /** Greater than this. */
  readonly gt?: number | null | undefined;
  /** Greater than this or equal to it. */
  readonly gte?: number | null | undefined;
  /** Equal to one of these. Without any, the list is empty and costs no call. */
  readonly in?: ReadonlyArray<number> | null | undefined;
  /** Less than this. */
  readonly lt?: number | null | undefined;
  /** Less than this or equal to it. */
  readonly lte?: number | null | undefined;
  /** Not equal to this. */
  readonly ne?: number | null | undefined;
  /** Equal to none of these. */
  readonly notIn?: ReadonlyArray<number> | null | undefined;
};

/** What a field is compared with; all that is given must hold. A value that holds `,`, `:` or `=` is refused: the platform’s search has no way to say it. */
export type LongFilterInput = {
  /** Equal to this. */
  readonly eq?: string | number | null | undefined;
  /** Greater than this. */
  readonly gt?: string | number | null | undefined;
  /** Greater than this or equal to it. */
  readonly gte?: string | number | null | undefined;
  /** Equal to one of these. Without any, the list is empty and costs no call. */
  readonly in?: ReadonlyArray<string | number> | null | undefined;
  /** Less than this. */
  readonly lt?: string | number | null | undefined;
  /** Less than this or equal to it. */
  readonly lte?: string | number | null | undefined;
  /** Not equal to this. */
  readonly ne?: string | number | null | undefined;
  /** Equal to none of these. */
  readonly notIn?: ReadonlyArray<string | number> | null | undefined;
};

/** Values that an instance of Purchase request must have before it is changed; `null` for a field without a value. */
export type PurchaseRequestExpectedInput = {
  /** Amount, in EUR. Required. At least 0. */
  readonly amount?: string | number | null | undefined;
  /** Created at. */
  readonly createdAt?: string | null | undefined;
  /** Needed by. */
  readonly neededBy?: string | null | undefined;
  /** Notes. At most 2000 characters. */
  readonly notes?: string | null | undefined;
  /** Quantity. Required. At least 1. */
  readonly quantity?: string | number | null | undefined;
  /** Requester. Required. Refers to the form `employee`. */
  readonly requester?: string | null | undefined;
  /** Status. Required. */
  readonly status?: PurchaseRequestStatus | null | undefined;
  /** Supplier. Refers to the form `supplier`. */
  readonly supplier?: string | null | undefined;
  /** Title. Required. At most 120 characters. */
  readonly title?: string | null | undefined;
  /** Urgent. */
  readonly urgent?: boolean | null | undefined;
};

/** Conditions on instances of Purchase request, all of which must hold. */
export type PurchaseRequestFilterInput = {
  /** Amount, in EUR. Required. At least 0. */
  readonly amount?: DecimalFilterInput | null | undefined;
  /** Created at. */
  readonly createdAt?: DateTimeFilterInput | null | undefined;
  /** The platform’s `idInstance`. */
  readonly instanceId?: IdFilterInput | null | undefined;
  /** Needed by. */
  readonly neededBy?: DateFilterInput | null | undefined;
  /** Notes. At most 2000 characters. */
  readonly notes?: TextFilterInput | null | undefined;
  /** Quantity. Required. At least 1. */
  readonly quantity?: LongFilterInput | null | undefined;
  /** Requester. Required. Refers to the form `employee`. */
  readonly requester?: EmployeeReferenceFilterInput | null | undefined;
  /** Status. Required. */
  readonly status?: PurchaseRequestStatusFilterInput | null | undefined;
  /** Supplier. Refers to the form `supplier`. */
  readonly supplier?: SupplierReferenceFilterInput | null | undefined;
  /** Title. Required. At most 120 characters. */
  readonly title?: TextFilterInput | null | undefined;
  /** Urgent. */
  readonly urgent?: BooleanFilterInput | null | undefined;
};

/** One sort key of instances of Purchase request; earlier keys take precedence. */
export type PurchaseRequestOrder = {
  /** The direction for this key. */
  readonly direction?: SortDirection;
  /** The field. */
  readonly field: PurchaseRequestOrderField;
};

/** The fields that order instances of Purchase request. */
export type PurchaseRequestOrderField =
  /** Amount, in EUR. Required. At least 0. */
  | 'AMOUNT'
  /** Created at. */
  | 'CREATED_AT'
  /** The platform’s `idInstance`. */
  | 'INSTANCE_ID'
  /** Needed by. */
  | 'NEEDED_BY'
  /** Notes. At most 2000 characters. */
  | 'NOTES'
  /** Quantity. Required. At least 1. */
  | 'QUANTITY'
  /** Status. Required. */
  | 'STATUS'
  /** Title. Required. At most 120 characters. */
  | 'TITLE'
  /** Urgent. */
  | 'URGENT';

/** The values of Status of Purchase request, each with the platform’s own. */
export type PurchaseRequestStatus =
  /** "approved" */
  | 'APPROVED'
  /** "draft" */
  | 'DRAFT'
  /** "rejected" */
  | 'REJECTED'
  /** "submitted" */
  | 'SUBMITTED';

/** What a field is compared with; all that is given must hold. A value that holds `,`, `:` or `=` is refused: the platform’s search has no way to say it. */
export type PurchaseRequestStatusFilterInput = {
  /** Equal to this. */
  readonly eq?: PurchaseRequestStatus | null | undefined;
  /** Equal to one of these. Without any, the list is empty and costs no call. */
  readonly in?: ReadonlyArray<PurchaseRequestStatus> | null | undefined;
  /** Not equal to this. */
  readonly ne?: PurchaseRequestStatus | null | undefined;
  /** Equal to none of these. */
  readonly notIn?: ReadonlyArray<PurchaseRequestStatus> | null | undefined;
};

/** Input of `signIn`. */
export type SignInInput = {
  /** The user's password at the platform. */
  readonly password: string;
  /** The user's name at the platform. */
  readonly username: string;
};

/** A sort direction. */
export type SortDirection =
  /** Smallest first. */
  | 'ASC'
  /** Largest first. */
  | 'DESC';

/** The values of Country of Supplier, each with the platform’s own. */
export type SupplierCountry =
  /** "AT" */
  | 'AT'
  /** "CH" */
  | 'CH'
  /** "DE" */
  | 'DE'
  /** "ES" */
  | 'ES'
  /** "FR" */
  | 'FR'
  /** "GB" */
  | 'GB'
  /** "IT" */
  | 'IT'
  /** "NL" */
  | 'NL'
  /** "PL" */
  | 'PL'
  /** "PT" */
  | 'PT'
  /** "SE" */
  | 'SE'
  /** "US" */
  | 'US';

/** What a field is compared with; all that is given must hold. A value that holds `,`, `:` or `=` is refused: the platform’s search has no way to say it. */
export type SupplierCountryFilterInput = {
  /** Equal to this. */
  readonly eq?: SupplierCountry | null | undefined;
  /** Equal to one of these. Without any, the list is empty and costs no call. */
  readonly in?: ReadonlyArray<SupplierCountry> | null | undefined;
  /** Not equal to this. */
  readonly ne?: SupplierCountry | null | undefined;
  /** Equal to none of these. */
  readonly notIn?: ReadonlyArray<SupplierCountry> | null | undefined;
};

/** What a field is compared with; all that is given must hold. A value that holds `,`, `:` or `=` is refused: the platform’s search has no way to say it. */
export type SupplierReferenceFilterInput = {
  /** Equal to this. */
  readonly eq?: string | null | undefined;
  /** Equal to one of these. Without any, the list is empty and costs no call. */
  readonly in?: ReadonlyArray<string> | null | undefined;
  /** Not equal to this. */
  readonly ne?: string | null | undefined;
  /** Equal to none of these. */
  readonly notIn?: ReadonlyArray<string> | null | undefined;
  /** Conditions on the target. One more list call finds the targets; more than 100 are `FILTER_TOO_WIDE`. */
  readonly where?: SupplierTargetFilterInput | null | undefined;
};

/** Conditions on the Supplier that a reference leads to, all of which must hold. */
export type SupplierTargetFilterInput = {
  /** Active. Required. */
  readonly active?: BooleanFilterInput | null | undefined;
  /** Category. At most 60 characters. */
  readonly category?: TextFilterInput | null | undefined;
  /** Contact e-mail. At most 120 characters. */
  readonly contactEmail?: TextFilterInput | null | undefined;
  /** Country. Required. */
  readonly country?: SupplierCountryFilterInput | null | undefined;
  /** The platform’s `idInstance`. */
  readonly instanceId?: IdFilterInput | null | undefined;
  /** Location number. At least 0. */
  readonly locationNumber?: LongFilterInput | null | undefined;
  /** Name. Required. At most 120 characters. */
  readonly name?: TextFilterInput | null | undefined;
  /** Payment within, in days. At least 0. At most 120. */
  readonly paymentDays?: IntFilterInput | null | undefined;
  /** Rating, in stars. At least 0. At most 5. */
  readonly rating?: DecimalFilterInput | null | undefined;
};

/** What a field is compared with; all that is given must hold. A value that holds `,`, `:` or `=` is refused: the platform’s search has no way to say it. */
export type TextFilterInput = {
  /** Contains this text. The platform decides whether case matters. */
  readonly contains?: string | null | undefined;
  /** Equal to this. */
  readonly eq?: string | null | undefined;
  /** Equal to one of these. Without any, the list is empty and costs no call. */
  readonly in?: ReadonlyArray<string> | null | undefined;
  /** Matches this pattern, in the platform’s own pattern syntax. */
  readonly like?: string | null | undefined;
  /** Not equal to this. */
  readonly ne?: string | null | undefined;
  /** Equal to none of these. */
  readonly notIn?: ReadonlyArray<string> | null | undefined;
  /** Starts with this text. The platform decides whether case matters. */
  readonly startsWith?: string | null | undefined;
};

/** Input of `updatePurchaseRequest`. */
export type UpdatePurchaseRequestInput = {
  /**
   * Values that the instance must have, by field name; `null` for a field without a value. If one differs,
   * nothing is sent, and the error is `CONFLICT`. One more upstream call, and a right to read the form.
   */
  readonly expected?: PurchaseRequestExpectedInput | null | undefined;
  /**
   * Identifies this mutation across retries, for example a UUID. Repeated with the same key and input while it is kept (ten minutes or more), the
   * mutation returns the first outcome, even an error, without a second effect; with another input it is BAD_USER_INPUT.
   */
  readonly idempotencyKey?: string | null | undefined;
  /** The platform's `idInstance`, a decimal integer, or the global `id`. */
  readonly instanceId: string;
  /** The values by field. */
  readonly values: UpdatePurchaseRequestValues;
};

/** Values of Purchase request. Values that are not named are kept; `null` clears a field that is not required. */
export type UpdatePurchaseRequestValues = {
  /** Amount, in EUR. Required. At least 0. */
  readonly amount?: string | number | null | undefined;
  /** Created at. */
  readonly createdAt?: string | null | undefined;
  /** Needed by. */
  readonly neededBy?: string | null | undefined;
  /** Notes. At most 2000 characters. */
  readonly notes?: string | null | undefined;
  /** Quantity. Required. At least 1. */
  readonly quantity?: string | number | null | undefined;
  /** Requester. Required. Refers to the form `employee`. */
  readonly requester?: string | null | undefined;
  /** Status. Required. */
  readonly status?: PurchaseRequestStatus | null | undefined;
  /** Supplier. Refers to the form `supplier`. */
  readonly supplier?: string | null | undefined;
  /** Title. Required. At most 120 characters. */
  readonly title?: string | null | undefined;
  /** Urgent. */
  readonly urgent?: boolean | null | undefined;
};

/** Input of `updatePurchaseRequests`. */
export type UpdatePurchaseRequestsInput = {
  /** Identifies this call across retries, for example a UUID. A repeat with the same key makes only the missing changes, while the key is kept (ten minutes or more). After that, read before you send it again. */
  readonly idempotencyKey?: string | null | undefined;
  /** 1 to 100. */
  readonly items: ReadonlyArray<UpdatePurchaseRequestsItem>;
  /** The effect of a failed item on the others. */
  readonly onError?: BulkOnError;
};

/** One item of `updatePurchaseRequests`. */
export type UpdatePurchaseRequestsItem = {
  /**
   * Values that the instance must have, by field name; `null` for a field without a value. If one differs,
   * nothing is sent, and the error is `CONFLICT`. One more upstream call, and a right to read the form.
   */
  readonly expected?: PurchaseRequestExpectedInput | null | undefined;
  /** The platform's `idInstance`, a decimal integer, or the global `id`. */
  readonly instanceId: string;
  /** The values by field. */
  readonly values: UpdatePurchaseRequestValues;
};

export type ApprovalLevelMutationVariables = Exact<{
  amount: unknown;
}>;


export type ApprovalLevelMutation = { readonly executeRule: { readonly outputs: ReadonlyArray<{ readonly name: string, readonly value: unknown }> } | null };

export type CaseStepFragment = { readonly caseId: string, readonly activity: { readonly activityId: string, readonly name: string | null } | null };

export type StartApprovalMutationVariables = Exact<{
  values: Record<string, unknown>;
  idempotencyKey?: string | null | undefined;
}>;


export type StartApprovalMutation = { readonly startCase: { readonly case: { readonly caseId: string, readonly activity: { readonly activityId: string, readonly name: string | null } | null } } | null };

export type ExecuteActivityMutationVariables = Exact<{
  input: ExecuteActivityInput;
}>;


export type ExecuteActivityMutation = { readonly executeActivity: { readonly case: { readonly caseId: string, readonly activity: { readonly activityId: string, readonly name: string | null } | null } } | null };

export type CreateRequestMutationVariables = Exact<{
  input: CreatePurchaseRequestInput;
}>;


export type CreateRequestMutation = { readonly createPurchaseRequest: { readonly instance: { readonly instanceId: string, readonly id: string, readonly title: string | null, readonly amount: string | null, readonly quantity: string | null, readonly status: PurchaseRequestStatus | null, readonly neededBy: string | null, readonly urgent: boolean | null, readonly notes: string | null, readonly supplier: { readonly id: string } | null, readonly requester: { readonly id: string } | null } } | null };

export type EditedRequestFragment = { readonly instanceId: string, readonly id: string, readonly title: string | null, readonly amount: string | null, readonly quantity: string | null, readonly status: PurchaseRequestStatus | null, readonly neededBy: string | null, readonly urgent: boolean | null, readonly notes: string | null, readonly supplier: { readonly id: string } | null, readonly requester: { readonly id: string } | null };

export type UpdateRequestMutationVariables = Exact<{
  input: UpdatePurchaseRequestInput;
}>;


export type UpdateRequestMutation = { readonly updatePurchaseRequest: { readonly instance: { readonly id: string, readonly title: string | null, readonly amount: string | null, readonly quantity: string | null, readonly status: PurchaseRequestStatus | null, readonly neededBy: string | null, readonly urgent: boolean | null, readonly notes: string | null, readonly supplier: { readonly id: string } | null, readonly requester: { readonly id: string } | null } | null } | null };

export type RequestFactsFragment = { readonly amount: string | null, readonly quantity: string | null, readonly status: PurchaseRequestStatus | null, readonly neededBy: string | null, readonly urgent: boolean | null, readonly notes: string | null, readonly supplier: { readonly id: string, readonly instanceId: string, readonly name: string | null, readonly category: string | null, readonly country: SupplierCountry | null, readonly contactEmail: string | null, readonly rating: string | null, readonly paymentDays: number | null } | null, readonly requester: { readonly id: string, readonly name: string | null, readonly jobTitle: string | null, readonly manager: { readonly id: string, readonly name: string | null } | null } | null };

export type RequesterFactsFragment = { readonly id: string, readonly name: string | null, readonly jobTitle: string | null, readonly manager: { readonly id: string, readonly name: string | null } | null };

export type ControlFieldFragment = { readonly graphqlName: string | null, readonly label: string | null, readonly description: string | null, readonly type: string | null, readonly required: boolean | null, readonly unit: string | null, readonly min: number | null, readonly max: number | null, readonly maxLength: number | null, readonly default: unknown, readonly options: ReadonlyArray<{ readonly value: string, readonly label: string | null, readonly enumValue: string | null }> | null, readonly reference: { readonly typeName: string | null } | null };

export type FormDefinitionQueryVariables = Exact<{ [key: string]: never; }>;


export type FormDefinitionQuery = { readonly form: { readonly id: string, readonly can: { readonly create: boolean } | null, readonly fields: ReadonlyArray<{ readonly graphqlName: string | null, readonly label: string | null, readonly description: string | null, readonly type: string | null, readonly required: boolean | null, readonly unit: string | null, readonly min: number | null, readonly max: number | null, readonly maxLength: number | null, readonly default: unknown, readonly options: ReadonlyArray<{ readonly value: string, readonly label: string | null, readonly enumValue: string | null }> | null, readonly reference: { readonly typeName: string | null } | null }> | null } | null, readonly suppliers: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly instanceId: string, readonly name: string | null, readonly category: string | null, readonly country: SupplierCountry | null, readonly contactEmail: string | null, readonly rating: string | null, readonly paymentDays: number | null }> } | null, readonly employees: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly name: string | null, readonly jobTitle: string | null, readonly manager: { readonly id: string, readonly name: string | null } | null }> } | null };

export type RequestQueryVariables = Exact<{
  instanceId: string;
}>;


export type RequestQuery = { readonly purchaseRequest: { readonly id: string, readonly title: string | null, readonly amount: string | null, readonly quantity: string | null, readonly status: PurchaseRequestStatus | null, readonly neededBy: string | null, readonly urgent: boolean | null, readonly notes: string | null, readonly instanceId: string, readonly can: { readonly update: boolean } | null, readonly supplier: { readonly id: string, readonly instanceId: string, readonly name: string | null, readonly category: string | null, readonly country: SupplierCountry | null, readonly contactEmail: string | null, readonly rating: string | null, readonly paymentDays: number | null } | null, readonly requester: { readonly id: string, readonly name: string | null, readonly jobTitle: string | null, readonly manager: { readonly id: string, readonly name: string | null } | null } | null } | null };

export type LiveRequestSubscriptionVariables = Exact<{
  instanceId: string;
}>;


export type LiveRequestSubscription = { readonly purchaseRequest: { readonly id: string, readonly title: string | null, readonly amount: string | null, readonly quantity: string | null, readonly status: PurchaseRequestStatus | null, readonly neededBy: string | null, readonly urgent: boolean | null, readonly notes: string | null, readonly instanceId: string, readonly can: { readonly update: boolean } | null, readonly supplier: { readonly id: string, readonly instanceId: string, readonly name: string | null, readonly category: string | null, readonly country: SupplierCountry | null, readonly contactEmail: string | null, readonly rating: string | null, readonly paymentDays: number | null } | null, readonly requester: { readonly id: string, readonly name: string | null, readonly jobTitle: string | null, readonly manager: { readonly id: string, readonly name: string | null } | null } | null } | null };

export type RequestDetailFragment = { readonly id: string, readonly title: string | null, readonly amount: string | null, readonly quantity: string | null, readonly status: PurchaseRequestStatus | null, readonly neededBy: string | null, readonly urgent: boolean | null, readonly notes: string | null, readonly instanceId: string, readonly can: { readonly update: boolean } | null, readonly supplier: { readonly id: string, readonly instanceId: string, readonly name: string | null, readonly category: string | null, readonly country: SupplierCountry | null, readonly contactEmail: string | null, readonly rating: string | null, readonly paymentDays: number | null } | null, readonly requester: { readonly id: string, readonly name: string | null, readonly jobTitle: string | null, readonly manager: { readonly id: string, readonly name: string | null } | null } | null };

export type RequestValuesFragment = { readonly id: string, readonly title: string | null, readonly amount: string | null, readonly quantity: string | null, readonly status: PurchaseRequestStatus | null, readonly neededBy: string | null, readonly urgent: boolean | null, readonly notes: string | null, readonly supplier: { readonly id: string } | null, readonly requester: { readonly id: string } | null };

export type BulkChangeMutationVariables = Exact<{
  input: UpdatePurchaseRequestsInput;
}>;


export type BulkChangeMutation = { readonly updatePurchaseRequests: { readonly results: ReadonlyArray<{ readonly status: BulkStatus, readonly instance: { readonly id: string, readonly status: PurchaseRequestStatus | null } | null, readonly error: { readonly code: string, readonly message: string, readonly current:
          | { readonly id: string, readonly status: PurchaseRequestStatus | null }
          | Record<PropertyKey, never>
         | null } | null }> } | null };

export type ExportQueryVariables = Exact<{
  where?: PurchaseRequestFilterInput | null | undefined;
  orderBy?: ReadonlyArray<PurchaseRequestOrder> | PurchaseRequestOrder | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type ExportQuery = { readonly purchaseRequests: { readonly totalCount: number | null, readonly pageInfo: { readonly endCursor: string | null, readonly hasNextPage: boolean }, readonly nodes: ReadonlyArray<{ readonly id: string, readonly instanceId: string, readonly title: string | null, readonly amount: string | null, readonly neededBy: string | null, readonly urgent: boolean | null, readonly status: PurchaseRequestStatus | null, readonly supplier: { readonly id: string, readonly name: string | null, readonly country: SupplierCountry | null } | null, readonly requester: { readonly id: string, readonly name: string | null } | null }> } | null };

export type RequestsQueryVariables = Exact<{
  where?: PurchaseRequestFilterInput | null | undefined;
  orderBy?: ReadonlyArray<PurchaseRequestOrder> | PurchaseRequestOrder | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type RequestsQuery = { readonly purchaseRequests: { readonly totalCount: number | null, readonly pageInfo: { readonly endCursor: string | null, readonly hasNextPage: boolean }, readonly edges: ReadonlyArray<{ readonly node: { readonly id: string, readonly instanceId: string, readonly title: string | null, readonly amount: string | null, readonly neededBy: string | null, readonly urgent: boolean | null, readonly status: PurchaseRequestStatus | null, readonly supplier: { readonly id: string, readonly name: string | null, readonly country: SupplierCountry | null } | null, readonly requester: { readonly id: string, readonly name: string | null } | null } }> } | null };

export type LiveRequestsSubscriptionVariables = Exact<{
  where?: PurchaseRequestFilterInput | null | undefined;
  orderBy?: ReadonlyArray<PurchaseRequestOrder> | PurchaseRequestOrder | null | undefined;
  first?: number | null | undefined;
}>;


export type LiveRequestsSubscription = { readonly purchaseRequests: { readonly totalCount: number | null, readonly pageInfo: { readonly endCursor: string | null, readonly hasNextPage: boolean }, readonly edges: ReadonlyArray<{ readonly node: { readonly id: string, readonly instanceId: string, readonly title: string | null, readonly amount: string | null, readonly neededBy: string | null, readonly urgent: boolean | null, readonly status: PurchaseRequestStatus | null, readonly supplier: { readonly id: string, readonly name: string | null, readonly country: SupplierCountry | null } | null, readonly requester: { readonly id: string, readonly name: string | null } | null } }> } | null };

export type RequestPageFragment = { readonly totalCount: number | null, readonly pageInfo: { readonly endCursor: string | null, readonly hasNextPage: boolean }, readonly edges: ReadonlyArray<{ readonly node: { readonly id: string, readonly instanceId: string, readonly title: string | null, readonly amount: string | null, readonly neededBy: string | null, readonly urgent: boolean | null, readonly status: PurchaseRequestStatus | null, readonly supplier: { readonly id: string, readonly name: string | null, readonly country: SupplierCountry | null } | null, readonly requester: { readonly id: string, readonly name: string | null } | null } }> };

export type RequestRowFragment = { readonly id: string, readonly instanceId: string, readonly title: string | null, readonly amount: string | null, readonly neededBy: string | null, readonly urgent: boolean | null, readonly status: PurchaseRequestStatus | null, readonly supplier: { readonly id: string, readonly name: string | null, readonly country: SupplierCountry | null } | null, readonly requester: { readonly id: string, readonly name: string | null } | null };

export type SignInMutationVariables = Exact<{
  input: SignInInput;
}>;


export type SignInMutation = { readonly signIn: { readonly viewer: { readonly name: string } } | null };

export type ViewerQueryVariables = Exact<{ [key: string]: never; }>;


export type ViewerQuery = { readonly viewer: { readonly name: string } | null };

export type SignOutMutationVariables = Exact<{ [key: string]: never; }>;


export type SignOutMutation = { readonly signOut: { readonly viewer: { readonly name: string } | null } | null };

export type SupplierFactsFragment = { readonly id: string, readonly instanceId: string, readonly name: string | null, readonly category: string | null, readonly country: SupplierCountry | null, readonly contactEmail: string | null, readonly rating: string | null, readonly paymentDays: number | null };

export type SupplierQueryVariables = Exact<{
  instanceId: string;
}>;


export type SupplierQuery = { readonly supplier: { readonly id: string, readonly instanceId: string, readonly name: string | null, readonly category: string | null, readonly country: SupplierCountry | null, readonly contactEmail: string | null, readonly rating: string | null, readonly paymentDays: number | null, readonly purchaseRequests: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly instanceId: string, readonly title: string | null, readonly amount: string | null, readonly neededBy: string | null, readonly urgent: boolean | null, readonly status: PurchaseRequestStatus | null, readonly supplier: { readonly id: string, readonly name: string | null, readonly country: SupplierCountry | null } | null, readonly requester: { readonly id: string, readonly name: string | null } | null }> } | null } | null };

export type SuppliersQueryVariables = Exact<{ [key: string]: never; }>;


export type SuppliersQuery = { readonly suppliers: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly instanceId: string, readonly name: string | null, readonly category: string | null, readonly country: SupplierCountry | null, readonly contactEmail: string | null, readonly rating: string | null, readonly paymentDays: number | null }> } | null };

export const CaseStepFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"CaseStep"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Case"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"caseId"}},{"kind":"Field","name":{"kind":"Name","value":"activity"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"activityId"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}}]} as unknown as DocumentNode<CaseStepFragment, unknown>;
export const ControlFieldFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"ControlField"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"FormField"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"graphqlName"}},{"kind":"Field","name":{"kind":"Name","value":"label"}},{"kind":"Field","name":{"kind":"Name","value":"description"}},{"kind":"Field","name":{"kind":"Name","value":"type"}},{"kind":"Field","name":{"kind":"Name","value":"required"}},{"kind":"Field","name":{"kind":"Name","value":"unit"}},{"kind":"Field","name":{"kind":"Name","value":"min"}},{"kind":"Field","name":{"kind":"Name","value":"max"}},{"kind":"Field","name":{"kind":"Name","value":"maxLength"}},{"kind":"Field","name":{"kind":"Name","value":"default"}},{"kind":"Field","name":{"kind":"Name","value":"options"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}},{"kind":"Field","name":{"kind":"Name","value":"label"}},{"kind":"Field","name":{"kind":"Name","value":"enumValue"}}]}},{"kind":"Field","name":{"kind":"Name","value":"reference"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"typeName"}}]}}]}}]} as unknown as DocumentNode<ControlFieldFragment, unknown>;
export const SupplierFactsFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"SupplierFacts"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Supplier"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"instanceId"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"category"}},{"kind":"Field","name":{"kind":"Name","value":"country"}},{"kind":"Field","name":{"kind":"Name","value":"contactEmail"}},{"kind":"Field","name":{"kind":"Name","value":"rating"}},{"kind":"Field","name":{"kind":"Name","value":"paymentDays"}}]}}]} as unknown as DocumentNode<SupplierFactsFragment, unknown>;
export const RequesterFactsFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"RequesterFacts"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Employee"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"jobTitle"}},{"kind":"Field","name":{"kind":"Name","value":"manager"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}}]} as unknown as DocumentNode<RequesterFactsFragment, unknown>;
export const RequestFactsFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"RequestFacts"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PurchaseRequest"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"amount"}},{"kind":"Field","name":{"kind":"Name","value":"quantity"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"neededBy"}},{"kind":"Field","name":{"kind":"Name","value":"urgent"}},{"kind":"Field","name":{"kind":"Name","value":"notes"}},{"kind":"Field","name":{"kind":"Name","value":"supplier"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"SupplierFacts"}}]}},{"kind":"Field","name":{"kind":"Name","value":"requester"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"RequesterFacts"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"SupplierFacts"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Supplier"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"instanceId"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"category"}},{"kind":"Field","name":{"kind":"Name","value":"country"}},{"kind":"Field","name":{"kind":"Name","value":"contactEmail"}},{"kind":"Field","name":{"kind":"Name","value":"rating"}},{"kind":"Field","name":{"kind":"Name","value":"paymentDays"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"RequesterFacts"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Employee"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"jobTitle"}},{"kind":"Field","name":{"kind":"Name","value":"manager"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}}]} as unknown as DocumentNode<RequestFactsFragment, unknown>;
export const RequestValuesFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"RequestValues"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PurchaseRequest"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"amount"}},{"kind":"Field","name":{"kind":"Name","value":"quantity"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"supplier"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}}]}},{"kind":"Field","name":{"kind":"Name","value":"requester"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}}]}},{"kind":"Field","name":{"kind":"Name","value":"neededBy"}},{"kind":"Field","name":{"kind":"Name","value":"urgent"}},{"kind":"Field","name":{"kind":"Name","value":"notes"}}]}}]} as unknown as DocumentNode<RequestValuesFragment, unknown>;
export const EditedRequestFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"EditedRequest"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PurchaseRequest"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"instanceId"}},{"kind":"FragmentSpread","name":{"kind":"Name","value":"RequestValues"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"RequestValues"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PurchaseRequest"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"amount"}},{"kind":"Field","name":{"kind":"Name","value":"quantity"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"supplier"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}}]}},{"kind":"Field","name":{"kind":"Name","value":"requester"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}}]}},{"kind":"Field","name":{"kind":"Name","value":"neededBy"}},{"kind":"Field","name":{"kind":"Name","value":"urgent"}},{"kind":"Field","name":{"kind":"Name","value":"notes"}}]}}]} as unknown as DocumentNode<EditedRequestFragment, unknown>;
export const RequestDetailFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"RequestDetail"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PurchaseRequest"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"amount"}},{"kind":"Field","name":{"kind":"Name","value":"can"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"update"}}]}},{"kind":"FragmentSpread","name":{"kind":"Name","value":"RequestFacts"}},{"kind":"FragmentSpread","name":{"kind":"Name","value":"EditedRequest"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"SupplierFacts"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Supplier"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"instanceId"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"category"}},{"kind":"Field","name":{"kind":"Name","value":"country"}},{"kind":"Field","name":{"kind":"Name","value":"contactEmail"}},{"kind":"Field","name":{"kind":"Name","value":"rating"}},{"kind":"Field","name":{"kind":"Name","value":"paymentDays"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"RequesterFacts"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Employee"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"jobTitle"}},{"kind":"Field","name":{"kind":"Name","value":"manager"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"RequestValues"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PurchaseRequest"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"amount"}},{"kind":"Field","name":{"kind":"Name","value":"quantity"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"supplier"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}}]}},{"kind":"Field","name":{"kind":"Name","value":"requester"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}}]}},{"kind":"Field","name":{"kind":"Name","value":"neededBy"}},{"kind":"Field","name":{"kind":"Name","value":"urgent"}},{"kind":"Field","name":{"kind":"Name","value":"notes"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"RequestFacts"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PurchaseRequest"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"amount"}},{"kind":"Field","name":{"kind":"Name","value":"quantity"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"neededBy"}},{"kind":"Field","name":{"kind":"Name","value":"urgent"}},{"kind":"Field","name":{"kind":"Name","value":"notes"}},{"kind":"Field","name":{"kind":"Name","value":"supplier"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"SupplierFacts"}}]}},{"kind":"Field","name":{"kind":"Name","value":"requester"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"RequesterFacts"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"EditedRequest"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PurchaseRequest"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"instanceId"}},{"kind":"FragmentSpread","name":{"kind":"Name","value":"RequestValues"}}]}}]} as unknown as DocumentNode<RequestDetailFragment, unknown>;
export const RequestRowFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"RequestRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PurchaseRequest"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"instanceId"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"amount"}},{"kind":"Field","name":{"kind":"Name","value":"neededBy"}},{"kind":"Field","name":{"kind":"Name","value":"urgent"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"supplier"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"country"}}]}},{"kind":"Field","name":{"kind":"Name","value":"requester"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}}]} as unknown as DocumentNode<RequestRowFragment, unknown>;
export const RequestPageFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"RequestPage"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PurchaseRequestConnection"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"endCursor"}},{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}}]}},{"kind":"Field","name":{"kind":"Name","value":"edges"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"node"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"FragmentSpread","name":{"kind":"Name","value":"RequestRow"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"RequestRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PurchaseRequest"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"instanceId"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"amount"}},{"kind":"Field","name":{"kind":"Name","value":"neededBy"}},{"kind":"Field","name":{"kind":"Name","value":"urgent"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"supplier"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"country"}}]}},{"kind":"Field","name":{"kind":"Name","value":"requester"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}}]} as unknown as DocumentNode<RequestPageFragment, unknown>;
export const ApprovalLevelDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"ApprovalLevel"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"amount"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"JSON"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"executeRule"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"component"},"value":{"kind":"StringValue","value":"approval-level","block":false}},{"kind":"ObjectField","name":{"kind":"Name","value":"version"},"value":{"kind":"StringValue","value":"1.0","block":false}},{"kind":"ObjectField","name":{"kind":"Name","value":"parameters"},"value":{"kind":"ListValue","values":[{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"name"},"value":{"kind":"StringValue","value":"amount","block":false}},{"kind":"ObjectField","name":{"kind":"Name","value":"value"},"value":{"kind":"Variable","name":{"kind":"Name","value":"amount"}}}]}]}}]}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"outputs"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"value"}}]}}]}}]}}]} as unknown as DocumentNode<ApprovalLevelMutation, ApprovalLevelMutationVariables>;
export const StartApprovalDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"StartApproval"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"values"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"JSONObject"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"idempotencyKey"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"startCase"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"process"},"value":{"kind":"StringValue","value":"purchase-approval","block":false}},{"kind":"ObjectField","name":{"kind":"Name","value":"values"},"value":{"kind":"Variable","name":{"kind":"Name","value":"values"}}},{"kind":"ObjectField","name":{"kind":"Name","value":"idempotencyKey"},"value":{"kind":"Variable","name":{"kind":"Name","value":"idempotencyKey"}}}]}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"case"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"CaseStep"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"CaseStep"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Case"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"caseId"}},{"kind":"Field","name":{"kind":"Name","value":"activity"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"activityId"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}}]} as unknown as DocumentNode<StartApprovalMutation, StartApprovalMutationVariables>;
export const ExecuteActivityDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"ExecuteActivity"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ExecuteActivityInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"executeActivity"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"case"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"CaseStep"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"CaseStep"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Case"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"caseId"}},{"kind":"Field","name":{"kind":"Name","value":"activity"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"activityId"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}}]} as unknown as DocumentNode<ExecuteActivityMutation, ExecuteActivityMutationVariables>;
export const CreateRequestDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"CreateRequest"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"CreatePurchaseRequestInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"createPurchaseRequest"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"instance"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"instanceId"}},{"kind":"FragmentSpread","name":{"kind":"Name","value":"RequestValues"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"RequestValues"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PurchaseRequest"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"amount"}},{"kind":"Field","name":{"kind":"Name","value":"quantity"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"supplier"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}}]}},{"kind":"Field","name":{"kind":"Name","value":"requester"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}}]}},{"kind":"Field","name":{"kind":"Name","value":"neededBy"}},{"kind":"Field","name":{"kind":"Name","value":"urgent"}},{"kind":"Field","name":{"kind":"Name","value":"notes"}}]}}]} as unknown as DocumentNode<CreateRequestMutation, CreateRequestMutationVariables>;
export const UpdateRequestDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"UpdateRequest"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UpdatePurchaseRequestInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"updatePurchaseRequest"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"instance"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"RequestValues"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"RequestValues"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PurchaseRequest"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"amount"}},{"kind":"Field","name":{"kind":"Name","value":"quantity"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"supplier"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}}]}},{"kind":"Field","name":{"kind":"Name","value":"requester"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}}]}},{"kind":"Field","name":{"kind":"Name","value":"neededBy"}},{"kind":"Field","name":{"kind":"Name","value":"urgent"}},{"kind":"Field","name":{"kind":"Name","value":"notes"}}]}}]} as unknown as DocumentNode<UpdateRequestMutation, UpdateRequestMutationVariables>;
export const FormDefinitionDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"FormDefinition"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"form"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"formId"},"value":{"kind":"StringValue","value":"purchase-request","block":false}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"can"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"create"}}]}},{"kind":"Field","name":{"kind":"Name","value":"fields"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"ControlField"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"suppliers"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"orderBy"},"value":{"kind":"ListValue","values":[{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"field"},"value":{"kind":"EnumValue","value":"NAME"}},{"kind":"ObjectField","name":{"kind":"Name","value":"direction"},"value":{"kind":"EnumValue","value":"ASC"}}]}]}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"100"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"SupplierFacts"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"employees"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"orderBy"},"value":{"kind":"ListValue","values":[{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"field"},"value":{"kind":"EnumValue","value":"NAME"}},{"kind":"ObjectField","name":{"kind":"Name","value":"direction"},"value":{"kind":"EnumValue","value":"ASC"}}]}]}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"100"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"RequesterFacts"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"ControlField"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"FormField"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"graphqlName"}},{"kind":"Field","name":{"kind":"Name","value":"label"}},{"kind":"Field","name":{"kind":"Name","value":"description"}},{"kind":"Field","name":{"kind":"Name","value":"type"}},{"kind":"Field","name":{"kind":"Name","value":"required"}},{"kind":"Field","name":{"kind":"Name","value":"unit"}},{"kind":"Field","name":{"kind":"Name","value":"min"}},{"kind":"Field","name":{"kind":"Name","value":"max"}},{"kind":"Field","name":{"kind":"Name","value":"maxLength"}},{"kind":"Field","name":{"kind":"Name","value":"default"}},{"kind":"Field","name":{"kind":"Name","value":"options"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}},{"kind":"Field","name":{"kind":"Name","value":"label"}},{"kind":"Field","name":{"kind":"Name","value":"enumValue"}}]}},{"kind":"Field","name":{"kind":"Name","value":"reference"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"typeName"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"SupplierFacts"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Supplier"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"instanceId"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"category"}},{"kind":"Field","name":{"kind":"Name","value":"country"}},{"kind":"Field","name":{"kind":"Name","value":"contactEmail"}},{"kind":"Field","name":{"kind":"Name","value":"rating"}},{"kind":"Field","name":{"kind":"Name","value":"paymentDays"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"RequesterFacts"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Employee"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"jobTitle"}},{"kind":"Field","name":{"kind":"Name","value":"manager"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}}]} as unknown as DocumentNode<FormDefinitionQuery, FormDefinitionQueryVariables>;
export const RequestDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Request"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"instanceId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"purchaseRequest"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"instanceId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"instanceId"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"RequestDetail"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"SupplierFacts"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Supplier"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"instanceId"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"category"}},{"kind":"Field","name":{"kind":"Name","value":"country"}},{"kind":"Field","name":{"kind":"Name","value":"contactEmail"}},{"kind":"Field","name":{"kind":"Name","value":"rating"}},{"kind":"Field","name":{"kind":"Name","value":"paymentDays"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"RequesterFacts"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Employee"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"jobTitle"}},{"kind":"Field","name":{"kind":"Name","value":"manager"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"RequestFacts"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PurchaseRequest"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"amount"}},{"kind":"Field","name":{"kind":"Name","value":"quantity"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"neededBy"}},{"kind":"Field","name":{"kind":"Name","value":"urgent"}},{"kind":"Field","name":{"kind":"Name","value":"notes"}},{"kind":"Field","name":{"kind":"Name","value":"supplier"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"SupplierFacts"}}]}},{"kind":"Field","name":{"kind":"Name","value":"requester"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"RequesterFacts"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"RequestValues"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PurchaseRequest"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"amount"}},{"kind":"Field","name":{"kind":"Name","value":"quantity"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"supplier"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}}]}},{"kind":"Field","name":{"kind":"Name","value":"requester"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}}]}},{"kind":"Field","name":{"kind":"Name","value":"neededBy"}},{"kind":"Field","name":{"kind":"Name","value":"urgent"}},{"kind":"Field","name":{"kind":"Name","value":"notes"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"EditedRequest"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PurchaseRequest"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"instanceId"}},{"kind":"FragmentSpread","name":{"kind":"Name","value":"RequestValues"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"RequestDetail"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PurchaseRequest"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"amount"}},{"kind":"Field","name":{"kind":"Name","value":"can"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"update"}}]}},{"kind":"FragmentSpread","name":{"kind":"Name","value":"RequestFacts"}},{"kind":"FragmentSpread","name":{"kind":"Name","value":"EditedRequest"}}]}}]} as unknown as DocumentNode<RequestQuery, RequestQueryVariables>;
export const LiveRequestDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"subscription","name":{"kind":"Name","value":"LiveRequest"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"instanceId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"purchaseRequest"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"instanceId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"instanceId"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"RequestDetail"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"SupplierFacts"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Supplier"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"instanceId"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"category"}},{"kind":"Field","name":{"kind":"Name","value":"country"}},{"kind":"Field","name":{"kind":"Name","value":"contactEmail"}},{"kind":"Field","name":{"kind":"Name","value":"rating"}},{"kind":"Field","name":{"kind":"Name","value":"paymentDays"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"RequesterFacts"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Employee"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"jobTitle"}},{"kind":"Field","name":{"kind":"Name","value":"manager"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"RequestFacts"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PurchaseRequest"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"amount"}},{"kind":"Field","name":{"kind":"Name","value":"quantity"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"neededBy"}},{"kind":"Field","name":{"kind":"Name","value":"urgent"}},{"kind":"Field","name":{"kind":"Name","value":"notes"}},{"kind":"Field","name":{"kind":"Name","value":"supplier"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"SupplierFacts"}}]}},{"kind":"Field","name":{"kind":"Name","value":"requester"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"RequesterFacts"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"RequestValues"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PurchaseRequest"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"amount"}},{"kind":"Field","name":{"kind":"Name","value":"quantity"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"supplier"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}}]}},{"kind":"Field","name":{"kind":"Name","value":"requester"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}}]}},{"kind":"Field","name":{"kind":"Name","value":"neededBy"}},{"kind":"Field","name":{"kind":"Name","value":"urgent"}},{"kind":"Field","name":{"kind":"Name","value":"notes"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"EditedRequest"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PurchaseRequest"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"instanceId"}},{"kind":"FragmentSpread","name":{"kind":"Name","value":"RequestValues"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"RequestDetail"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PurchaseRequest"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"amount"}},{"kind":"Field","name":{"kind":"Name","value":"can"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"update"}}]}},{"kind":"FragmentSpread","name":{"kind":"Name","value":"RequestFacts"}},{"kind":"FragmentSpread","name":{"kind":"Name","value":"EditedRequest"}}]}}]} as unknown as DocumentNode<LiveRequestSubscription, LiveRequestSubscriptionVariables>;
export const BulkChangeDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"BulkChange"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UpdatePurchaseRequestsInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"updatePurchaseRequests"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"results"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"instance"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"status"}}]}},{"kind":"Field","name":{"kind":"Name","value":"error"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"code"}},{"kind":"Field","name":{"kind":"Name","value":"message"}},{"kind":"Field","name":{"kind":"Name","value":"current"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PurchaseRequest"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"status"}}]}}]}}]}}]}}]}}]}}]} as unknown as DocumentNode<BulkChangeMutation, BulkChangeMutationVariables>;
export const ExportDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Export"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"where"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"PurchaseRequestFilterInput"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"orderBy"}},"type":{"kind":"ListType","type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"PurchaseRequestOrder"}}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"purchaseRequests"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"where"},"value":{"kind":"Variable","name":{"kind":"Name","value":"where"}}},{"kind":"Argument","name":{"kind":"Name","value":"orderBy"},"value":{"kind":"Variable","name":{"kind":"Name","value":"orderBy"}}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"endCursor"}},{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}}]}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"RequestRow"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"RequestRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PurchaseRequest"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"instanceId"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"amount"}},{"kind":"Field","name":{"kind":"Name","value":"neededBy"}},{"kind":"Field","name":{"kind":"Name","value":"urgent"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"supplier"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"country"}}]}},{"kind":"Field","name":{"kind":"Name","value":"requester"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}}]} as unknown as DocumentNode<ExportQuery, ExportQueryVariables>;
export const RequestsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Requests"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"where"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"PurchaseRequestFilterInput"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"orderBy"}},"type":{"kind":"ListType","type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"PurchaseRequestOrder"}}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"purchaseRequests"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"where"},"value":{"kind":"Variable","name":{"kind":"Name","value":"where"}}},{"kind":"Argument","name":{"kind":"Name","value":"orderBy"},"value":{"kind":"Variable","name":{"kind":"Name","value":"orderBy"}}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"RequestPage"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"RequestRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PurchaseRequest"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"instanceId"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"amount"}},{"kind":"Field","name":{"kind":"Name","value":"neededBy"}},{"kind":"Field","name":{"kind":"Name","value":"urgent"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"supplier"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"country"}}]}},{"kind":"Field","name":{"kind":"Name","value":"requester"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"RequestPage"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PurchaseRequestConnection"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"endCursor"}},{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}}]}},{"kind":"Field","name":{"kind":"Name","value":"edges"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"node"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"FragmentSpread","name":{"kind":"Name","value":"RequestRow"}}]}}]}}]}}]} as unknown as DocumentNode<RequestsQuery, RequestsQueryVariables>;
export const LiveRequestsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"subscription","name":{"kind":"Name","value":"LiveRequests"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"where"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"PurchaseRequestFilterInput"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"orderBy"}},"type":{"kind":"ListType","type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"PurchaseRequestOrder"}}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"purchaseRequests"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"where"},"value":{"kind":"Variable","name":{"kind":"Name","value":"where"}}},{"kind":"Argument","name":{"kind":"Name","value":"orderBy"},"value":{"kind":"Variable","name":{"kind":"Name","value":"orderBy"}}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"RequestPage"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"RequestRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PurchaseRequest"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"instanceId"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"amount"}},{"kind":"Field","name":{"kind":"Name","value":"neededBy"}},{"kind":"Field","name":{"kind":"Name","value":"urgent"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"supplier"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"country"}}]}},{"kind":"Field","name":{"kind":"Name","value":"requester"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"RequestPage"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PurchaseRequestConnection"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"endCursor"}},{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}}]}},{"kind":"Field","name":{"kind":"Name","value":"edges"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"node"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"FragmentSpread","name":{"kind":"Name","value":"RequestRow"}}]}}]}}]}}]} as unknown as DocumentNode<LiveRequestsSubscription, LiveRequestsSubscriptionVariables>;
export const SignInDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"SignIn"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"SignInInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"signIn"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"viewer"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}}]}}]} as unknown as DocumentNode<SignInMutation, SignInMutationVariables>;
export const ViewerDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Viewer"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"viewer"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}}]} as unknown as DocumentNode<ViewerQuery, ViewerQueryVariables>;
export const SignOutDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"SignOut"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"signOut"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"viewer"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}}]}}]} as unknown as DocumentNode<SignOutMutation, SignOutMutationVariables>;
export const SupplierDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Supplier"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"instanceId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"supplier"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"instanceId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"instanceId"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"SupplierFacts"}},{"kind":"Field","name":{"kind":"Name","value":"purchaseRequests"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"orderBy"},"value":{"kind":"ListValue","values":[{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"field"},"value":{"kind":"EnumValue","value":"NEEDED_BY"}},{"kind":"ObjectField","name":{"kind":"Name","value":"direction"},"value":{"kind":"EnumValue","value":"DESC"}}]}]}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"50"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"RequestRow"}}]}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"SupplierFacts"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Supplier"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"instanceId"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"category"}},{"kind":"Field","name":{"kind":"Name","value":"country"}},{"kind":"Field","name":{"kind":"Name","value":"contactEmail"}},{"kind":"Field","name":{"kind":"Name","value":"rating"}},{"kind":"Field","name":{"kind":"Name","value":"paymentDays"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"RequestRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PurchaseRequest"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"instanceId"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"amount"}},{"kind":"Field","name":{"kind":"Name","value":"neededBy"}},{"kind":"Field","name":{"kind":"Name","value":"urgent"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"supplier"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"country"}}]}},{"kind":"Field","name":{"kind":"Name","value":"requester"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}}]} as unknown as DocumentNode<SupplierQuery, SupplierQueryVariables>;
export const SuppliersDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Suppliers"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"suppliers"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"orderBy"},"value":{"kind":"ListValue","values":[{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"field"},"value":{"kind":"EnumValue","value":"NAME"}},{"kind":"ObjectField","name":{"kind":"Name","value":"direction"},"value":{"kind":"EnumValue","value":"ASC"}}]}]}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"100"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"SupplierFacts"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"SupplierFacts"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Supplier"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"instanceId"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"category"}},{"kind":"Field","name":{"kind":"Name","value":"country"}},{"kind":"Field","name":{"kind":"Name","value":"contactEmail"}},{"kind":"Field","name":{"kind":"Name","value":"rating"}},{"kind":"Field","name":{"kind":"Name","value":"paymentDays"}}]}}]} as unknown as DocumentNode<SuppliersQuery, SuppliersQueryVariables>;