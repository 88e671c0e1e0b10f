/* eslint-disable */
import * as types from './graphql.ts';
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';

/**
 * Map of all GraphQL operations in the project.
 *
 * This map has several performance disadvantages:
 * 1. It is not tree-shakeable, so it will include all operations in the project.
 * 2. It is not minifiable, so the string of a GraphQL query will be multiple times inside the bundle.
 * 3. It does not support dead code elimination, so it will add unused operations.
 *
 * Therefore it is highly recommended to use the babel or swc plugin for production.
 * Learn more about it here: https://the-guild.dev/graphql/codegen/plugins/presets/preset-client#reducing-bundle-size
 */
type Documents = {
    "\n  query Inbox($where: PurchaseRequestFilterInput, $orderBy: [PurchaseRequestOrder!], $first: Int, $page: Int) {\n    purchaseRequests(where: $where, orderBy: $orderBy, first: $first, page: $page) {\n      totalCount\n      pageInfo {\n        hasNextPage\n      }\n      nodes {\n        ...RequestRow\n      }\n    }\n  }\n": typeof types.InboxDocument,
    "\n  fragment RequestRow on PurchaseRequest {\n    instanceId\n    title\n    amount\n    neededBy\n    urgent\n    status\n    supplier {\n      name\n      country\n    }\n    requester {\n      name\n    }\n  }\n": typeof types.RequestRowFragmentDoc,
    "\n  fragment Step on Case {\n    caseId\n    activity {\n      activityId\n      name\n    }\n  }\n": typeof types.StepFragmentDoc,
    "\n  mutation StartApproval($values: JSONObject!, $idempotencyKey: ID!) {\n    startCase(input: { process: \"purchase-approval\", values: $values, idempotencyKey: $idempotencyKey }) {\n      case {\n        ...Step\n      }\n    }\n  }\n": typeof types.StartApprovalDocument,
    "\n  mutation ExecuteActivity($caseId: ID!, $activityId: ID!, $values: JSONObject, $idempotencyKey: ID!) {\n    executeActivity(\n      input: { caseId: $caseId, activityId: $activityId, values: $values, idempotencyKey: $idempotencyKey }\n    ) {\n      case {\n        ...Step\n      }\n    }\n  }\n": typeof types.ExecuteActivityDocument,
    "\n  fragment RequestValues on PurchaseRequest {\n    instanceId\n    title\n    amount\n    quantity\n    status\n    neededBy\n    urgent\n    notes\n  }\n": typeof types.RequestValuesFragmentDoc,
    "\n  mutation UpdateRequest($input: UpdatePurchaseRequestInput!) {\n    updatePurchaseRequest(input: $input) {\n      instance {\n        ...RequestFacts\n        ...RequestValues\n      }\n    }\n  }\n": typeof types.UpdateRequestDocument,
    "\n  fragment RequestFacts on PurchaseRequest {\n    amount\n    quantity\n    status\n    neededBy\n    urgent\n    notes\n    supplier {\n      name\n      country\n      rating\n      paymentDays\n    }\n    requester {\n      name\n      jobTitle\n      manager {\n        name\n      }\n    }\n  }\n": typeof types.RequestFactsFragmentDoc,
    "\n  mutation ApprovalLevel($amount: Decimal!) {\n    executeApprovalLevelV1_0(input: { parameters: { amount: $amount } }) {\n      outputs {\n        name\n        value\n      }\n    }\n  }\n": typeof types.ApprovalLevelDocument,
    "\n  query Request($instanceId: ID!) {\n    purchaseRequest(instanceId: $instanceId) {\n      instanceId\n      title\n      amount\n      can {\n        update\n      }\n      ...RequestFacts\n      ...RequestValues\n    }\n  }\n": typeof types.RequestDocument,
    "\n  query Viewer {\n    viewer {\n      name\n    }\n  }\n": typeof types.ViewerDocument,
    "\n  mutation SignIn($input: SignInInput!) {\n    signIn(input: $input) {\n      viewer {\n        name\n      }\n    }\n  }\n": typeof types.SignInDocument,
    "\n  mutation SignOut {\n    signOut {\n      viewer {\n        name\n      }\n    }\n  }\n": typeof types.SignOutDocument,
};
const documents: Documents = {
    "\n  query Inbox($where: PurchaseRequestFilterInput, $orderBy: [PurchaseRequestOrder!], $first: Int, $page: Int) {\n    purchaseRequests(where: $where, orderBy: $orderBy, first: $first, page: $page) {\n      totalCount\n      pageInfo {\n        hasNextPage\n      }\n      nodes {\n        ...RequestRow\n      }\n    }\n  }\n": types.InboxDocument,
    "\n  fragment RequestRow on PurchaseRequest {\n    instanceId\n    title\n    amount\n    neededBy\n    urgent\n    status\n    supplier {\n      name\n      country\n    }\n    requester {\n      name\n    }\n  }\n": types.RequestRowFragmentDoc,
    "\n  fragment Step on Case {\n    caseId\n    activity {\n      activityId\n      name\n    }\n  }\n": types.StepFragmentDoc,
    "\n  mutation StartApproval($values: JSONObject!, $idempotencyKey: ID!) {\n    startCase(input: { process: \"purchase-approval\", values: $values, idempotencyKey: $idempotencyKey }) {\n      case {\n        ...Step\n      }\n    }\n  }\n": types.StartApprovalDocument,
    "\n  mutation ExecuteActivity($caseId: ID!, $activityId: ID!, $values: JSONObject, $idempotencyKey: ID!) {\n    executeActivity(\n      input: { caseId: $caseId, activityId: $activityId, values: $values, idempotencyKey: $idempotencyKey }\n    ) {\n      case {\n        ...Step\n      }\n    }\n  }\n": types.ExecuteActivityDocument,
    "\n  fragment RequestValues on PurchaseRequest {\n    instanceId\n    title\n    amount\n    quantity\n    status\n    neededBy\n    urgent\n    notes\n  }\n": types.RequestValuesFragmentDoc,
    "\n  mutation UpdateRequest($input: UpdatePurchaseRequestInput!) {\n    updatePurchaseRequest(input: $input) {\n      instance {\n        ...RequestFacts\n        ...RequestValues\n      }\n    }\n  }\n": types.UpdateRequestDocument,
    "\n  fragment RequestFacts on PurchaseRequest {\n    amount\n    quantity\n    status\n    neededBy\n    urgent\n    notes\n    supplier {\n      name\n      country\n      rating\n      paymentDays\n    }\n    requester {\n      name\n      jobTitle\n      manager {\n        name\n      }\n    }\n  }\n": types.RequestFactsFragmentDoc,
    "\n  mutation ApprovalLevel($amount: Decimal!) {\n    executeApprovalLevelV1_0(input: { parameters: { amount: $amount } }) {\n      outputs {\n        name\n        value\n      }\n    }\n  }\n": types.ApprovalLevelDocument,
    "\n  query Request($instanceId: ID!) {\n    purchaseRequest(instanceId: $instanceId) {\n      instanceId\n      title\n      amount\n      can {\n        update\n      }\n      ...RequestFacts\n      ...RequestValues\n    }\n  }\n": types.RequestDocument,
    "\n  query Viewer {\n    viewer {\n      name\n    }\n  }\n": types.ViewerDocument,
    "\n  mutation SignIn($input: SignInInput!) {\n    signIn(input: $input) {\n      viewer {\n        name\n      }\n    }\n  }\n": types.SignInDocument,
    "\n  mutation SignOut {\n    signOut {\n      viewer {\n        name\n      }\n    }\n  }\n": types.SignOutDocument,
};

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 *
 *
 * @example
 * ```ts
 * const query = graphql(`query GetUser($id: ID!) { user(id: $id) { name } }`);
 * ```
 *
 * The query argument is unknown!
 * Please regenerate the types.
 */
export function graphql(source: string): unknown;

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Inbox($where: PurchaseRequestFilterInput, $orderBy: [PurchaseRequestOrder!], $first: Int, $page: Int) {\n    purchaseRequests(where: $where, orderBy: $orderBy, first: $first, page: $page) {\n      totalCount\n      pageInfo {\n        hasNextPage\n      }\n      nodes {\n        ...RequestRow\n      }\n    }\n  }\n"): (typeof documents)["\n  query Inbox($where: PurchaseRequestFilterInput, $orderBy: [PurchaseRequestOrder!], $first: Int, $page: Int) {\n    purchaseRequests(where: $where, orderBy: $orderBy, first: $first, page: $page) {\n      totalCount\n      pageInfo {\n        hasNextPage\n      }\n      nodes {\n        ...RequestRow\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment RequestRow on PurchaseRequest {\n    instanceId\n    title\n    amount\n    neededBy\n    urgent\n    status\n    supplier {\n      name\n      country\n    }\n    requester {\n      name\n    }\n  }\n"): (typeof documents)["\n  fragment RequestRow on PurchaseRequest {\n    instanceId\n    title\n    amount\n    neededBy\n    urgent\n    status\n    supplier {\n      name\n      country\n    }\n    requester {\n      name\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment Step on Case {\n    caseId\n    activity {\n      activityId\n      name\n    }\n  }\n"): (typeof documents)["\n  fragment Step on Case {\n    caseId\n    activity {\n      activityId\n      name\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation StartApproval($values: JSONObject!, $idempotencyKey: ID!) {\n    startCase(input: { process: \"purchase-approval\", values: $values, idempotencyKey: $idempotencyKey }) {\n      case {\n        ...Step\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation StartApproval($values: JSONObject!, $idempotencyKey: ID!) {\n    startCase(input: { process: \"purchase-approval\", values: $values, idempotencyKey: $idempotencyKey }) {\n      case {\n        ...Step\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation ExecuteActivity($caseId: ID!, $activityId: ID!, $values: JSONObject, $idempotencyKey: ID!) {\n    executeActivity(\n      input: { caseId: $caseId, activityId: $activityId, values: $values, idempotencyKey: $idempotencyKey }\n    ) {\n      case {\n        ...Step\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation ExecuteActivity($caseId: ID!, $activityId: ID!, $values: JSONObject, $idempotencyKey: ID!) {\n    executeActivity(\n      input: { caseId: $caseId, activityId: $activityId, values: $values, idempotencyKey: $idempotencyKey }\n    ) {\n      case {\n        ...Step\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment RequestValues on PurchaseRequest {\n    instanceId\n    title\n    amount\n    quantity\n    status\n    neededBy\n    urgent\n    notes\n  }\n"): (typeof documents)["\n  fragment RequestValues on PurchaseRequest {\n    instanceId\n    title\n    amount\n    quantity\n    status\n    neededBy\n    urgent\n    notes\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation UpdateRequest($input: UpdatePurchaseRequestInput!) {\n    updatePurchaseRequest(input: $input) {\n      instance {\n        ...RequestFacts\n        ...RequestValues\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation UpdateRequest($input: UpdatePurchaseRequestInput!) {\n    updatePurchaseRequest(input: $input) {\n      instance {\n        ...RequestFacts\n        ...RequestValues\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment RequestFacts on PurchaseRequest {\n    amount\n    quantity\n    status\n    neededBy\n    urgent\n    notes\n    supplier {\n      name\n      country\n      rating\n      paymentDays\n    }\n    requester {\n      name\n      jobTitle\n      manager {\n        name\n      }\n    }\n  }\n"): (typeof documents)["\n  fragment RequestFacts on PurchaseRequest {\n    amount\n    quantity\n    status\n    neededBy\n    urgent\n    notes\n    supplier {\n      name\n      country\n      rating\n      paymentDays\n    }\n    requester {\n      name\n      jobTitle\n      manager {\n        name\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation ApprovalLevel($amount: Decimal!) {\n    executeApprovalLevelV1_0(input: { parameters: { amount: $amount } }) {\n      outputs {\n        name\n        value\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation ApprovalLevel($amount: Decimal!) {\n    executeApprovalLevelV1_0(input: { parameters: { amount: $amount } }) {\n      outputs {\n        name\n        value\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Request($instanceId: ID!) {\n    purchaseRequest(instanceId: $instanceId) {\n      instanceId\n      title\n      amount\n      can {\n        update\n      }\n      ...RequestFacts\n      ...RequestValues\n    }\n  }\n"): (typeof documents)["\n  query Request($instanceId: ID!) {\n    purchaseRequest(instanceId: $instanceId) {\n      instanceId\n      title\n      amount\n      can {\n        update\n      }\n      ...RequestFacts\n      ...RequestValues\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Viewer {\n    viewer {\n      name\n    }\n  }\n"): (typeof documents)["\n  query Viewer {\n    viewer {\n      name\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation SignIn($input: SignInInput!) {\n    signIn(input: $input) {\n      viewer {\n        name\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation SignIn($input: SignInInput!) {\n    signIn(input: $input) {\n      viewer {\n        name\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation SignOut {\n    signOut {\n      viewer {\n        name\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation SignOut {\n    signOut {\n      viewer {\n        name\n      }\n    }\n  }\n"];

export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}

export type DocumentType<TDocumentNode extends DocumentNode<any, any>> = TDocumentNode extends DocumentNode<  infer TType,  any>  ? TType  : never;