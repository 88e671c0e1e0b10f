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

/** What a field is compared with; all that is given must hold. A value that holds `,`, `:` or `=` is refused: the platform’s search has no way to say it. */
export type DateFilterInput = {
  /** Equal to this. */
  readonly eq?: string | null | undefined;
  /** Greater than this. */
  readonly gt?: string | null | undefined;
  /** Greater than this or equal to it. */
  readonly gte?: string | null | undefined;
  /** Equal to one of these. */
  readonly in?: ReadonlyArray<string> | null | undefined;
  /** Less than this. */
  readonly lt?: string | null | undefined;
  /** Less than this or equal to it. */
  readonly lte?: string | null | undefined;
  /** Not equal to this. */
  readonly ne?: string | null | undefined;
};

/** What a field is compared with; all that is given must hold. A value that holds `,`, `:` or `=` is refused: the platform’s search has no way to say it. */
export type DateTimeFilterInput = {
  /** Greater than this or equal to it. */
  readonly gte?: string | null | undefined;
  /** Less than this. */
  readonly lt?: string | null | undefined;
};

/** What a field is compared with; all that is given must hold. A value that holds `,`, `:` or `=` is refused: the platform’s search has no way to say it. */
export type DecimalFilterInput = {
  /** Equal to this. */
  readonly eq?: string | null | undefined;
  /** Greater than this. */
  readonly gt?: string | null | undefined;
  /** Greater than this or equal to it. */
  readonly gte?: string | null | undefined;
  /** Equal to one of these. */
  readonly in?: ReadonlyArray<string> | null | undefined;
  /** Less than this. */
  readonly lt?: string | null | undefined;
  /** Less than this or equal to it. */
  readonly lte?: string | null | undefined;
  /** Not equal to this. */
  readonly ne?: string | null | undefined;
};

/** What a field is compared with; all that is given must hold. A value that holds `,`, `:` or `=` is refused: the platform’s search has no way to say it. */
export type IdFilterInput = {
  /** Equal to this. */
  readonly eq?: string | null | undefined;
  /** Equal to one of these. */
  readonly in?: ReadonlyArray<string> | null | undefined;
  /** Not equal to this. */
  readonly ne?: string | null | undefined;
};

/** What a field is compared with; all that is given must hold. A value that holds `,`, `:` or `=` is refused: the platform’s search has no way to say it. */
export type LongFilterInput = {
  /** Equal to this. */
  readonly eq?: string | null | undefined;
  /** Greater than this. */
  readonly gt?: string | null | undefined;
  /** Greater than this or equal to it. */
  readonly gte?: string | null | undefined;
  /** Equal to one of these. */
  readonly in?: ReadonlyArray<string> | null | undefined;
  /** Less than this. */
  readonly lt?: string | null | undefined;
  /** Less than this or equal to it. */
  readonly lte?: string | null | undefined;
  /** Not equal to this. */
  readonly ne?: string | null | undefined;
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
  readonly requester?: IdFilterInput | null | undefined;
  /** Status. Required. */
  readonly status?: PurchaseRequestStatusFilterInput | null | undefined;
  /** Supplier. Refers to the form `supplier`. */
  readonly supplier?: IdFilterInput | null | undefined;
  /** Title. Required. At most 120 characters. */
  readonly title?: TextFilterInput | null | undefined;
  /** Urgent. */
  readonly urgent?: BooleanFilterInput | null | undefined;
};

/** One sort key of instances of Purchase request: a field and its direction. */
export type PurchaseRequestOrder =
  {   /** Amount, in EUR. Required. At least 0. */
  readonly amount: SortDirection; readonly createdAt?: never; readonly neededBy?: never; readonly notes?: never; readonly quantity?: never; readonly requester?: never; readonly status?: never; readonly supplier?: never; readonly title?: never; readonly urgent?: never; }
  |  { readonly amount?: never;   /** Created at. */
  readonly createdAt: SortDirection; readonly neededBy?: never; readonly notes?: never; readonly quantity?: never; readonly requester?: never; readonly status?: never; readonly supplier?: never; readonly title?: never; readonly urgent?: never; }
  |  { readonly amount?: never; readonly createdAt?: never;   /** Needed by. */
  readonly neededBy: SortDirection; readonly notes?: never; readonly quantity?: never; readonly requester?: never; readonly status?: never; readonly supplier?: never; readonly title?: never; readonly urgent?: never; }
  |  { readonly amount?: never; readonly createdAt?: never; readonly neededBy?: never;   /** Notes. At most 2000 characters. */
  readonly notes: SortDirection; readonly quantity?: never; readonly requester?: never; readonly status?: never; readonly supplier?: never; readonly title?: never; readonly urgent?: never; }
  |  { readonly amount?: never; readonly createdAt?: never; readonly neededBy?: never; readonly notes?: never;   /** Quantity. Required. At least 1. */
  readonly quantity: SortDirection; readonly requester?: never; readonly status?: never; readonly supplier?: never; readonly title?: never; readonly urgent?: never; }
  |  { readonly amount?: never; readonly createdAt?: never; readonly neededBy?: never; readonly notes?: never; readonly quantity?: never;   /** Requester. Required. Refers to the form `employee`. */
  readonly requester: SortDirection; readonly status?: never; readonly supplier?: never; readonly title?: never; readonly urgent?: never; }
  |  { readonly amount?: never; readonly createdAt?: never; readonly neededBy?: never; readonly notes?: never; readonly quantity?: never; readonly requester?: never;   /** Status. Required. */
  readonly status: SortDirection; readonly supplier?: never; readonly title?: never; readonly urgent?: never; }
  |  { readonly amount?: never; readonly createdAt?: never; readonly neededBy?: never; readonly notes?: never; readonly quantity?: never; readonly requester?: never; readonly status?: never;   /** Supplier. Refers to the form `supplier`. */
  readonly supplier: SortDirection; readonly title?: never; readonly urgent?: never; }
  |  { readonly amount?: never; readonly createdAt?: never; readonly neededBy?: never; readonly notes?: never; readonly quantity?: never; readonly requester?: never; readonly status?: never; readonly supplier?: never;   /** Title. Required. At most 120 characters. */
  readonly title: SortDirection; readonly urgent?: never; }
  |  { readonly amount?: never; readonly createdAt?: never; readonly neededBy?: never; readonly notes?: never; readonly quantity?: never; readonly requester?: never; readonly status?: never; readonly supplier?: never; readonly title?: never;   /** Urgent. */
  readonly urgent: SortDirection; };

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
  /** Equal to one of these. */
  readonly in?: ReadonlyArray<PurchaseRequestStatus> | null | undefined;
  /** Not equal to this. */
  readonly ne?: PurchaseRequestStatus | null | undefined;
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
export type TextFilterInput = {
  /** Contains this text. The platform decides whether case matters. */
  readonly contains?: string | null | undefined;
  /** Equal to this. */
  readonly eq?: string | null | undefined;
  /** Equal to one of these. */
  readonly in?: ReadonlyArray<string> | null | undefined;
  /** Matches this pattern, in the platform’s own pattern syntax. */
  readonly like?: string | null | undefined;
  /** Not equal to this. */
  readonly ne?: string | null | undefined;
  /** Starts with this text. The platform decides whether case matters. */
  readonly startsWith?: string | null | undefined;
};

/** Input of `updatePurchaseRequest`. */
export type UpdatePurchaseRequestInput = {
  /**
   * Identifies this mutation across retries, for example a UUID. Repeated with the same key and input within ten minutes, the
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
  readonly amount?: string | null | undefined;
  /** Created at. */
  readonly createdAt?: string | null | undefined;
  /** Needed by. */
  readonly neededBy?: string | null | undefined;
  /** Notes. At most 2000 characters. */
  readonly notes?: string | null | undefined;
  /** Quantity. Required. At least 1. */
  readonly quantity?: string | null | undefined;
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

export type InboxQueryVariables = Exact<{
  where?: PurchaseRequestFilterInput | null | undefined;
  orderBy?: ReadonlyArray<PurchaseRequestOrder> | PurchaseRequestOrder | null | undefined;
  first?: number | null | undefined;
  page?: number | null | undefined;
}>;


export type InboxQuery = { readonly purchaseRequests: { readonly totalCount: number | null, readonly pageInfo: { readonly hasNextPage: boolean }, readonly nodes: ReadonlyArray<{ ' $fragmentRefs'?: { 'RequestRowFragment': RequestRowFragment } }> } | null };

export type RequestRowFragment = { readonly instanceId: string, readonly title: string | null, readonly amount: string | null, readonly neededBy: string | null, readonly urgent: boolean | null, readonly status: PurchaseRequestStatus | null, readonly supplier: { readonly name: string | null, readonly country: SupplierCountry | null } | null, readonly requester: { readonly name: string | null } | null } & { ' $fragmentName'?: 'RequestRowFragment' };

export type StepFragment = { readonly caseId: string, readonly activity: { readonly activityId: string, readonly name: string | null } | null } & { ' $fragmentName'?: 'StepFragment' };

export type StartApprovalMutationVariables = Exact<{
  values: Record<string, unknown>;
  idempotencyKey: string;
}>;


export type StartApprovalMutation = { readonly startCase: { readonly case: { ' $fragmentRefs'?: { 'StepFragment': StepFragment } } } | null };

export type ExecuteActivityMutationVariables = Exact<{
  caseId: string;
  activityId: string;
  values?: Record<string, unknown> | null | undefined;
  idempotencyKey: string;
}>;


export type ExecuteActivityMutation = { readonly executeActivity: { readonly case: { ' $fragmentRefs'?: { 'StepFragment': StepFragment } } } | null };

export type RequestValuesFragment = { readonly instanceId: string, readonly title: string | null, readonly amount: string | null, readonly quantity: string | null, readonly status: PurchaseRequestStatus | null, readonly neededBy: string | null, readonly urgent: boolean | null, readonly notes: string | null } & { ' $fragmentName'?: 'RequestValuesFragment' };

export type UpdateRequestMutationVariables = Exact<{
  input: UpdatePurchaseRequestInput;
}>;


export type UpdateRequestMutation = { readonly updatePurchaseRequest: { readonly instance: { ' $fragmentRefs'?: { 'RequestFactsFragment': RequestFactsFragment;'RequestValuesFragment': RequestValuesFragment } } | null } | null };

export type RequestFactsFragment = { readonly amount: string | null, readonly quantity: string | null, readonly status: PurchaseRequestStatus | null, readonly neededBy: string | null, readonly urgent: boolean | null, readonly notes: string | null, readonly supplier: { readonly name: string | null, readonly country: SupplierCountry | null, readonly rating: string | null, readonly paymentDays: number | null } | null, readonly requester: { readonly name: string | null, readonly jobTitle: string | null, readonly manager: { readonly name: string | null } | null } | null } & { ' $fragmentName'?: 'RequestFactsFragment' };

export type ApprovalLevelMutationVariables = Exact<{
  amount: string;
}>;


export type ApprovalLevelMutation = { readonly executeApprovalLevelV1_0: { readonly outputs: ReadonlyArray<{ readonly name: string, readonly value: unknown }> } | null };

export type RequestQueryVariables = Exact<{
  instanceId: string;
}>;


export type RequestQuery = { readonly purchaseRequest: (
    { readonly instanceId: string, readonly title: string | null, readonly amount: string | null, readonly can: { readonly update: boolean } | null }
    & { ' $fragmentRefs'?: { 'RequestFactsFragment': RequestFactsFragment;'RequestValuesFragment': RequestValuesFragment } }
  ) | null };

export type ViewerQueryVariables = Exact<{ [key: string]: never; }>;


export type ViewerQuery = { readonly viewer: { readonly name: string } | null };

export type SignInMutationVariables = Exact<{
  input: SignInInput;
}>;


export type SignInMutation = { readonly signIn: { readonly viewer: { readonly name: string } } | null };

export type SignOutMutationVariables = Exact<{ [key: string]: never; }>;


export type SignOutMutation = { readonly signOut: { readonly viewer: { readonly name: string } | null } | null };

export const RequestRowFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"RequestRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PurchaseRequest"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"instanceId"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"amount"}},{"kind":"Field","name":{"kind":"Name","value":"neededBy"}},{"kind":"Field","name":{"kind":"Name","value":"urgent"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"supplier"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"country"}}]}},{"kind":"Field","name":{"kind":"Name","value":"requester"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}}]} as unknown as DocumentNode<RequestRowFragment, unknown>;
export const StepFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Step"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Case"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"caseId"}},{"kind":"Field","name":{"kind":"Name","value":"activity"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"activityId"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}}]} as unknown as DocumentNode<StepFragment, unknown>;
export const RequestValuesFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"RequestValues"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PurchaseRequest"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"instanceId"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"amount"}},{"kind":"Field","name":{"kind":"Name","value":"quantity"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"neededBy"}},{"kind":"Field","name":{"kind":"Name","value":"urgent"}},{"kind":"Field","name":{"kind":"Name","value":"notes"}}]}}]} as unknown as DocumentNode<RequestValuesFragment, unknown>;
export const RequestFactsFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"RequestFacts"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PurchaseRequest"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"amount"}},{"kind":"Field","name":{"kind":"Name","value":"quantity"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"neededBy"}},{"kind":"Field","name":{"kind":"Name","value":"urgent"}},{"kind":"Field","name":{"kind":"Name","value":"notes"}},{"kind":"Field","name":{"kind":"Name","value":"supplier"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"country"}},{"kind":"Field","name":{"kind":"Name","value":"rating"}},{"kind":"Field","name":{"kind":"Name","value":"paymentDays"}}]}},{"kind":"Field","name":{"kind":"Name","value":"requester"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"jobTitle"}},{"kind":"Field","name":{"kind":"Name","value":"manager"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}}]}}]} as unknown as DocumentNode<RequestFactsFragment, unknown>;
export const InboxDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Inbox"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"where"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"PurchaseRequestFilterInput"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"orderBy"}},"type":{"kind":"ListType","type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"PurchaseRequestOrder"}}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"page"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"purchaseRequests"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"where"},"value":{"kind":"Variable","name":{"kind":"Name","value":"where"}}},{"kind":"Argument","name":{"kind":"Name","value":"orderBy"},"value":{"kind":"Variable","name":{"kind":"Name","value":"orderBy"}}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}},{"kind":"Argument","name":{"kind":"Name","value":"page"},"value":{"kind":"Variable","name":{"kind":"Name","value":"page"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}}]}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"RequestRow"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"RequestRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PurchaseRequest"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"instanceId"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"amount"}},{"kind":"Field","name":{"kind":"Name","value":"neededBy"}},{"kind":"Field","name":{"kind":"Name","value":"urgent"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"supplier"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"country"}}]}},{"kind":"Field","name":{"kind":"Name","value":"requester"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}}]} as unknown as DocumentNode<InboxQuery, InboxQueryVariables>;
export const StartApprovalDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"StartApproval"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"values"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"JSONObject"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"idempotencyKey"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"startCase"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"process"},"value":{"kind":"StringValue","value":"purchase-approval","block":false}},{"kind":"ObjectField","name":{"kind":"Name","value":"values"},"value":{"kind":"Variable","name":{"kind":"Name","value":"values"}}},{"kind":"ObjectField","name":{"kind":"Name","value":"idempotencyKey"},"value":{"kind":"Variable","name":{"kind":"Name","value":"idempotencyKey"}}}]}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"case"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Step"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Step"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Case"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"caseId"}},{"kind":"Field","name":{"kind":"Name","value":"activity"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"activityId"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}}]} as unknown as DocumentNode<StartApprovalMutation, StartApprovalMutationVariables>;
export const ExecuteActivityDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"ExecuteActivity"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"caseId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"activityId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"values"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"JSONObject"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"idempotencyKey"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"executeActivity"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"caseId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"caseId"}}},{"kind":"ObjectField","name":{"kind":"Name","value":"activityId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"activityId"}}},{"kind":"ObjectField","name":{"kind":"Name","value":"values"},"value":{"kind":"Variable","name":{"kind":"Name","value":"values"}}},{"kind":"ObjectField","name":{"kind":"Name","value":"idempotencyKey"},"value":{"kind":"Variable","name":{"kind":"Name","value":"idempotencyKey"}}}]}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"case"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Step"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Step"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Case"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"caseId"}},{"kind":"Field","name":{"kind":"Name","value":"activity"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"activityId"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}}]} as unknown as DocumentNode<ExecuteActivityMutation, ExecuteActivityMutationVariables>;
export const UpdateRequestDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"UpdateRequest"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UpdatePurchaseRequestInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"updatePurchaseRequest"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"instance"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"RequestFacts"}},{"kind":"FragmentSpread","name":{"kind":"Name","value":"RequestValues"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"RequestFacts"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PurchaseRequest"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"amount"}},{"kind":"Field","name":{"kind":"Name","value":"quantity"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"neededBy"}},{"kind":"Field","name":{"kind":"Name","value":"urgent"}},{"kind":"Field","name":{"kind":"Name","value":"notes"}},{"kind":"Field","name":{"kind":"Name","value":"supplier"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"country"}},{"kind":"Field","name":{"kind":"Name","value":"rating"}},{"kind":"Field","name":{"kind":"Name","value":"paymentDays"}}]}},{"kind":"Field","name":{"kind":"Name","value":"requester"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"jobTitle"}},{"kind":"Field","name":{"kind":"Name","value":"manager"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"RequestValues"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PurchaseRequest"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"instanceId"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"amount"}},{"kind":"Field","name":{"kind":"Name","value":"quantity"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"neededBy"}},{"kind":"Field","name":{"kind":"Name","value":"urgent"}},{"kind":"Field","name":{"kind":"Name","value":"notes"}}]}}]} as unknown as DocumentNode<UpdateRequestMutation, UpdateRequestMutationVariables>;
export const ApprovalLevelDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"ApprovalLevel"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"amount"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Decimal"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"executeApprovalLevelV1_0"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"parameters"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"amount"},"value":{"kind":"Variable","name":{"kind":"Name","value":"amount"}}}]}}]}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"outputs"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"value"}}]}}]}}]}}]} as unknown as DocumentNode<ApprovalLevelMutation, ApprovalLevelMutationVariables>;
export const RequestDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Request"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"instanceId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"purchaseRequest"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"instanceId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"instanceId"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"instanceId"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"amount"}},{"kind":"Field","name":{"kind":"Name","value":"can"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"update"}}]}},{"kind":"FragmentSpread","name":{"kind":"Name","value":"RequestFacts"}},{"kind":"FragmentSpread","name":{"kind":"Name","value":"RequestValues"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"RequestFacts"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PurchaseRequest"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"amount"}},{"kind":"Field","name":{"kind":"Name","value":"quantity"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"neededBy"}},{"kind":"Field","name":{"kind":"Name","value":"urgent"}},{"kind":"Field","name":{"kind":"Name","value":"notes"}},{"kind":"Field","name":{"kind":"Name","value":"supplier"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"country"}},{"kind":"Field","name":{"kind":"Name","value":"rating"}},{"kind":"Field","name":{"kind":"Name","value":"paymentDays"}}]}},{"kind":"Field","name":{"kind":"Name","value":"requester"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"jobTitle"}},{"kind":"Field","name":{"kind":"Name","value":"manager"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"RequestValues"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PurchaseRequest"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"instanceId"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"amount"}},{"kind":"Field","name":{"kind":"Name","value":"quantity"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"neededBy"}},{"kind":"Field","name":{"kind":"Name","value":"urgent"}},{"kind":"Field","name":{"kind":"Name","value":"notes"}}]}}]} as unknown as DocumentNode<RequestQuery, RequestQueryVariables>;
export const ViewerDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Viewer"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"viewer"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}}]} as unknown as DocumentNode<ViewerQuery, ViewerQueryVariables>;
export const SignInDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"SignIn"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"SignInInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"signIn"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"viewer"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}}]}}]} as unknown as DocumentNode<SignInMutation, SignInMutationVariables>;
export const SignOutDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"SignOut"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"signOut"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"viewer"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}}]}}]} as unknown as DocumentNode<SignOutMutation, SignOutMutationVariables>;