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
    "\n  mutation ApprovalLevel($amount: JSON!) {\n    executeRule(\n      input: {\n        component: \"approval-level\"\n        version: \"1.0\"\n        parameters: [{ name: \"amount\", value: $amount }]\n      }\n    ) {\n      outputs {\n        name\n        value\n      }\n    }\n  }\n": typeof types.ApprovalLevelDocument,
    "\n  fragment CaseStep on Case {\n    caseId\n    activity {\n      activityId\n      name\n    }\n  }\n": typeof types.CaseStepFragmentDoc,
    "\n  mutation StartApproval($values: JSONObject!, $idempotencyKey: ID) {\n    startCase(\n      input: { process: \"purchase-approval\", values: $values, idempotencyKey: $idempotencyKey }\n    ) {\n      case {\n        ...CaseStep\n      }\n    }\n  }\n": typeof types.StartApprovalDocument,
    "\n  mutation ExecuteActivity($input: ExecuteActivityInput!) {\n    executeActivity(input: $input) {\n      case {\n        ...CaseStep\n      }\n    }\n  }\n": typeof types.ExecuteActivityDocument,
    "\n  mutation CreateRequest($input: CreatePurchaseRequestInput!) {\n    createPurchaseRequest(input: $input) {\n      instance {\n        instanceId\n        ...RequestValues\n      }\n    }\n  }\n": typeof types.CreateRequestDocument,
    "\n  fragment EditedRequest on PurchaseRequest {\n    instanceId\n    ...RequestValues\n  }\n": typeof types.EditedRequestFragmentDoc,
    "\n  mutation UpdateRequest($input: UpdatePurchaseRequestInput!) {\n    updatePurchaseRequest(input: $input) {\n      instance {\n        ...RequestValues\n      }\n    }\n  }\n": typeof types.UpdateRequestDocument,
    "\n  fragment RequestFacts on PurchaseRequest {\n    amount\n    quantity\n    status\n    neededBy\n    urgent\n    notes\n    supplier {\n      ...SupplierFacts\n    }\n    requester {\n      ...RequesterFacts\n    }\n  }\n": typeof types.RequestFactsFragmentDoc,
    "\n  fragment RequesterFacts on Employee {\n    id\n    name\n    jobTitle\n    manager {\n      id\n      name\n    }\n  }\n": typeof types.RequesterFactsFragmentDoc,
    "\n  fragment ControlField on FormField {\n    graphqlName\n    label\n    description\n    type\n    required\n    unit\n    min\n    max\n    maxLength\n    default\n    options {\n      value\n      label\n      enumValue\n    }\n    reference {\n      typeName\n    }\n  }\n": typeof types.ControlFieldFragmentDoc,
    "\n  query FormDefinition {\n    form(formId: \"purchase-request\") {\n      id\n      can {\n        create\n      }\n      fields {\n        ...ControlField\n      }\n    }\n    suppliers(orderBy: [{ field: NAME, direction: ASC }], first: 100) {\n      nodes {\n        ...SupplierFacts\n      }\n    }\n    employees(orderBy: [{ field: NAME, direction: ASC }], first: 100) {\n      nodes {\n        ...RequesterFacts\n      }\n    }\n  }\n": typeof types.FormDefinitionDocument,
    "\n  query Request($instanceId: ID!) {\n    purchaseRequest(instanceId: $instanceId) {\n      ...RequestDetail\n    }\n  }\n": typeof types.RequestDocument,
    "\n  subscription LiveRequest($instanceId: ID!) {\n    purchaseRequest(instanceId: $instanceId) {\n      ...RequestDetail\n    }\n  }\n": typeof types.LiveRequestDocument,
    "\n  fragment RequestDetail on PurchaseRequest {\n    id\n    title\n    amount\n    can {\n      update\n    }\n    ...RequestFacts\n    ...EditedRequest\n  }\n": typeof types.RequestDetailFragmentDoc,
    "\n  fragment RequestValues on PurchaseRequest {\n    id\n    title\n    amount\n    quantity\n    status\n    supplier {\n      id\n    }\n    requester {\n      id\n    }\n    neededBy\n    urgent\n    notes\n  }\n": typeof types.RequestValuesFragmentDoc,
    "\n  mutation BulkChange($input: UpdatePurchaseRequestsInput!) {\n    updatePurchaseRequests(input: $input) {\n      results {\n        status\n        instance {\n          id\n          status\n        }\n        error {\n          code\n          message\n          current {\n            ... on PurchaseRequest {\n              id\n              status\n            }\n          }\n        }\n      }\n    }\n  }\n": typeof types.BulkChangeDocument,
    "\n  query Export($where: PurchaseRequestFilterInput, $orderBy: [PurchaseRequestOrder!], $first: Int, $after: String) {\n    purchaseRequests(where: $where, orderBy: $orderBy, first: $first, after: $after) {\n      totalCount\n      pageInfo {\n        endCursor\n        hasNextPage\n      }\n      nodes {\n        ...RequestRow\n      }\n    }\n  }\n": typeof types.ExportDocument,
    "\n  query Requests(\n    $where: PurchaseRequestFilterInput\n    $orderBy: [PurchaseRequestOrder!]\n    $first: Int\n    $after: String\n  ) {\n    purchaseRequests(where: $where, orderBy: $orderBy, first: $first, after: $after) {\n      ...RequestPage\n    }\n  }\n": typeof types.RequestsDocument,
    "\n  subscription LiveRequests(\n    $where: PurchaseRequestFilterInput\n    $orderBy: [PurchaseRequestOrder!]\n    $first: Int\n  ) {\n    purchaseRequests(where: $where, orderBy: $orderBy, first: $first) {\n      ...RequestPage\n    }\n  }\n": typeof types.LiveRequestsDocument,
    "\n  fragment RequestPage on PurchaseRequestConnection {\n    totalCount\n    pageInfo {\n      endCursor\n      hasNextPage\n    }\n    edges {\n      node {\n        id\n        ...RequestRow\n      }\n    }\n  }\n": typeof types.RequestPageFragmentDoc,
    "\n  fragment RequestRow on PurchaseRequest {\n    id\n    instanceId\n    title\n    amount\n    neededBy\n    urgent\n    status\n    supplier {\n      id\n      name\n      country\n    }\n    requester {\n      id\n      name\n    }\n  }\n": typeof types.RequestRowFragmentDoc,
    "\n  mutation SignIn($input: SignInInput!) {\n    signIn(input: $input) {\n      viewer {\n        name\n      }\n    }\n  }\n": typeof types.SignInDocument,
    "\n  query Viewer {\n    viewer {\n      name\n    }\n  }\n": typeof types.ViewerDocument,
    "\n  mutation SignOut {\n    signOut {\n      viewer {\n        name\n      }\n    }\n  }\n": typeof types.SignOutDocument,
    "\n  fragment SupplierFacts on Supplier {\n    id\n    instanceId\n    name\n    category\n    country\n    contactEmail\n    rating\n    paymentDays\n  }\n": typeof types.SupplierFactsFragmentDoc,
    "\n  query Supplier($instanceId: ID!) {\n    supplier(instanceId: $instanceId) {\n      ...SupplierFacts\n      purchaseRequests(orderBy: [{ field: NEEDED_BY, direction: DESC }], first: 50) {\n        nodes {\n          ...RequestRow\n        }\n      }\n    }\n  }\n": typeof types.SupplierDocument,
    "\n  query Suppliers {\n    suppliers(orderBy: [{ field: NAME, direction: ASC }], first: 100) {\n      nodes {\n        ...SupplierFacts\n      }\n    }\n  }\n": typeof types.SuppliersDocument,
};
const documents: Documents = {
    "\n  mutation ApprovalLevel($amount: JSON!) {\n    executeRule(\n      input: {\n        component: \"approval-level\"\n        version: \"1.0\"\n        parameters: [{ name: \"amount\", value: $amount }]\n      }\n    ) {\n      outputs {\n        name\n        value\n      }\n    }\n  }\n": types.ApprovalLevelDocument,
    "\n  fragment CaseStep on Case {\n    caseId\n    activity {\n      activityId\n      name\n    }\n  }\n": types.CaseStepFragmentDoc,
    "\n  mutation StartApproval($values: JSONObject!, $idempotencyKey: ID) {\n    startCase(\n      input: { process: \"purchase-approval\", values: $values, idempotencyKey: $idempotencyKey }\n    ) {\n      case {\n        ...CaseStep\n      }\n    }\n  }\n": types.StartApprovalDocument,
    "\n  mutation ExecuteActivity($input: ExecuteActivityInput!) {\n    executeActivity(input: $input) {\n      case {\n        ...CaseStep\n      }\n    }\n  }\n": types.ExecuteActivityDocument,
    "\n  mutation CreateRequest($input: CreatePurchaseRequestInput!) {\n    createPurchaseRequest(input: $input) {\n      instance {\n        instanceId\n        ...RequestValues\n      }\n    }\n  }\n": types.CreateRequestDocument,
    "\n  fragment EditedRequest on PurchaseRequest {\n    instanceId\n    ...RequestValues\n  }\n": types.EditedRequestFragmentDoc,
    "\n  mutation UpdateRequest($input: UpdatePurchaseRequestInput!) {\n    updatePurchaseRequest(input: $input) {\n      instance {\n        ...RequestValues\n      }\n    }\n  }\n": types.UpdateRequestDocument,
    "\n  fragment RequestFacts on PurchaseRequest {\n    amount\n    quantity\n    status\n    neededBy\n    urgent\n    notes\n    supplier {\n      ...SupplierFacts\n    }\n    requester {\n      ...RequesterFacts\n    }\n  }\n": types.RequestFactsFragmentDoc,
    "\n  fragment RequesterFacts on Employee {\n    id\n    name\n    jobTitle\n    manager {\n      id\n      name\n    }\n  }\n": types.RequesterFactsFragmentDoc,
    "\n  fragment ControlField on FormField {\n    graphqlName\n    label\n    description\n    type\n    required\n    unit\n    min\n    max\n    maxLength\n    default\n    options {\n      value\n      label\n      enumValue\n    }\n    reference {\n      typeName\n    }\n  }\n": types.ControlFieldFragmentDoc,
    "\n  query FormDefinition {\n    form(formId: \"purchase-request\") {\n      id\n      can {\n        create\n      }\n      fields {\n        ...ControlField\n      }\n    }\n    suppliers(orderBy: [{ field: NAME, direction: ASC }], first: 100) {\n      nodes {\n        ...SupplierFacts\n      }\n    }\n    employees(orderBy: [{ field: NAME, direction: ASC }], first: 100) {\n      nodes {\n        ...RequesterFacts\n      }\n    }\n  }\n": types.FormDefinitionDocument,
    "\n  query Request($instanceId: ID!) {\n    purchaseRequest(instanceId: $instanceId) {\n      ...RequestDetail\n    }\n  }\n": types.RequestDocument,
    "\n  subscription LiveRequest($instanceId: ID!) {\n    purchaseRequest(instanceId: $instanceId) {\n      ...RequestDetail\n    }\n  }\n": types.LiveRequestDocument,
    "\n  fragment RequestDetail on PurchaseRequest {\n    id\n    title\n    amount\n    can {\n      update\n    }\n    ...RequestFacts\n    ...EditedRequest\n  }\n": types.RequestDetailFragmentDoc,
    "\n  fragment RequestValues on PurchaseRequest {\n    id\n    title\n    amount\n    quantity\n    status\n    supplier {\n      id\n    }\n    requester {\n      id\n    }\n    neededBy\n    urgent\n    notes\n  }\n": types.RequestValuesFragmentDoc,
    "\n  mutation BulkChange($input: UpdatePurchaseRequestsInput!) {\n    updatePurchaseRequests(input: $input) {\n      results {\n        status\n        instance {\n          id\n          status\n        }\n        error {\n          code\n          message\n          current {\n            ... on PurchaseRequest {\n              id\n              status\n            }\n          }\n        }\n      }\n    }\n  }\n": types.BulkChangeDocument,
    "\n  query Export($where: PurchaseRequestFilterInput, $orderBy: [PurchaseRequestOrder!], $first: Int, $after: String) {\n    purchaseRequests(where: $where, orderBy: $orderBy, first: $first, after: $after) {\n      totalCount\n      pageInfo {\n        endCursor\n        hasNextPage\n      }\n      nodes {\n        ...RequestRow\n      }\n    }\n  }\n": types.ExportDocument,
    "\n  query Requests(\n    $where: PurchaseRequestFilterInput\n    $orderBy: [PurchaseRequestOrder!]\n    $first: Int\n    $after: String\n  ) {\n    purchaseRequests(where: $where, orderBy: $orderBy, first: $first, after: $after) {\n      ...RequestPage\n    }\n  }\n": types.RequestsDocument,
    "\n  subscription LiveRequests(\n    $where: PurchaseRequestFilterInput\n    $orderBy: [PurchaseRequestOrder!]\n    $first: Int\n  ) {\n    purchaseRequests(where: $where, orderBy: $orderBy, first: $first) {\n      ...RequestPage\n    }\n  }\n": types.LiveRequestsDocument,
    "\n  fragment RequestPage on PurchaseRequestConnection {\n    totalCount\n    pageInfo {\n      endCursor\n      hasNextPage\n    }\n    edges {\n      node {\n        id\n        ...RequestRow\n      }\n    }\n  }\n": types.RequestPageFragmentDoc,
    "\n  fragment RequestRow on PurchaseRequest {\n    id\n    instanceId\n    title\n    amount\n    neededBy\n    urgent\n    status\n    supplier {\n      id\n      name\n      country\n    }\n    requester {\n      id\n      name\n    }\n  }\n": types.RequestRowFragmentDoc,
    "\n  mutation SignIn($input: SignInInput!) {\n    signIn(input: $input) {\n      viewer {\n        name\n      }\n    }\n  }\n": types.SignInDocument,
    "\n  query Viewer {\n    viewer {\n      name\n    }\n  }\n": types.ViewerDocument,
    "\n  mutation SignOut {\n    signOut {\n      viewer {\n        name\n      }\n    }\n  }\n": types.SignOutDocument,
    "\n  fragment SupplierFacts on Supplier {\n    id\n    instanceId\n    name\n    category\n    country\n    contactEmail\n    rating\n    paymentDays\n  }\n": types.SupplierFactsFragmentDoc,
    "\n  query Supplier($instanceId: ID!) {\n    supplier(instanceId: $instanceId) {\n      ...SupplierFacts\n      purchaseRequests(orderBy: [{ field: NEEDED_BY, direction: DESC }], first: 50) {\n        nodes {\n          ...RequestRow\n        }\n      }\n    }\n  }\n": types.SupplierDocument,
    "\n  query Suppliers {\n    suppliers(orderBy: [{ field: NAME, direction: ASC }], first: 100) {\n      nodes {\n        ...SupplierFacts\n      }\n    }\n  }\n": types.SuppliersDocument,
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
export function graphql(source: "\n  mutation ApprovalLevel($amount: JSON!) {\n    executeRule(\n      input: {\n        component: \"approval-level\"\n        version: \"1.0\"\n        parameters: [{ name: \"amount\", value: $amount }]\n      }\n    ) {\n      outputs {\n        name\n        value\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation ApprovalLevel($amount: JSON!) {\n    executeRule(\n      input: {\n        component: \"approval-level\"\n        version: \"1.0\"\n        parameters: [{ name: \"amount\", value: $amount }]\n      }\n    ) {\n      outputs {\n        name\n        value\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment CaseStep on Case {\n    caseId\n    activity {\n      activityId\n      name\n    }\n  }\n"): (typeof documents)["\n  fragment CaseStep on Case {\n    caseId\n    activity {\n      activityId\n      name\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation StartApproval($values: JSONObject!, $idempotencyKey: ID) {\n    startCase(\n      input: { process: \"purchase-approval\", values: $values, idempotencyKey: $idempotencyKey }\n    ) {\n      case {\n        ...CaseStep\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation StartApproval($values: JSONObject!, $idempotencyKey: ID) {\n    startCase(\n      input: { process: \"purchase-approval\", values: $values, idempotencyKey: $idempotencyKey }\n    ) {\n      case {\n        ...CaseStep\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation ExecuteActivity($input: ExecuteActivityInput!) {\n    executeActivity(input: $input) {\n      case {\n        ...CaseStep\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation ExecuteActivity($input: ExecuteActivityInput!) {\n    executeActivity(input: $input) {\n      case {\n        ...CaseStep\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CreateRequest($input: CreatePurchaseRequestInput!) {\n    createPurchaseRequest(input: $input) {\n      instance {\n        instanceId\n        ...RequestValues\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation CreateRequest($input: CreatePurchaseRequestInput!) {\n    createPurchaseRequest(input: $input) {\n      instance {\n        instanceId\n        ...RequestValues\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment EditedRequest on PurchaseRequest {\n    instanceId\n    ...RequestValues\n  }\n"): (typeof documents)["\n  fragment EditedRequest on PurchaseRequest {\n    instanceId\n    ...RequestValues\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation UpdateRequest($input: UpdatePurchaseRequestInput!) {\n    updatePurchaseRequest(input: $input) {\n      instance {\n        ...RequestValues\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation UpdateRequest($input: UpdatePurchaseRequestInput!) {\n    updatePurchaseRequest(input: $input) {\n      instance {\n        ...RequestValues\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment RequestFacts on PurchaseRequest {\n    amount\n    quantity\n    status\n    neededBy\n    urgent\n    notes\n    supplier {\n      ...SupplierFacts\n    }\n    requester {\n      ...RequesterFacts\n    }\n  }\n"): (typeof documents)["\n  fragment RequestFacts on PurchaseRequest {\n    amount\n    quantity\n    status\n    neededBy\n    urgent\n    notes\n    supplier {\n      ...SupplierFacts\n    }\n    requester {\n      ...RequesterFacts\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment RequesterFacts on Employee {\n    id\n    name\n    jobTitle\n    manager {\n      id\n      name\n    }\n  }\n"): (typeof documents)["\n  fragment RequesterFacts on Employee {\n    id\n    name\n    jobTitle\n    manager {\n      id\n      name\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment ControlField on FormField {\n    graphqlName\n    label\n    description\n    type\n    required\n    unit\n    min\n    max\n    maxLength\n    default\n    options {\n      value\n      label\n      enumValue\n    }\n    reference {\n      typeName\n    }\n  }\n"): (typeof documents)["\n  fragment ControlField on FormField {\n    graphqlName\n    label\n    description\n    type\n    required\n    unit\n    min\n    max\n    maxLength\n    default\n    options {\n      value\n      label\n      enumValue\n    }\n    reference {\n      typeName\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query FormDefinition {\n    form(formId: \"purchase-request\") {\n      id\n      can {\n        create\n      }\n      fields {\n        ...ControlField\n      }\n    }\n    suppliers(orderBy: [{ field: NAME, direction: ASC }], first: 100) {\n      nodes {\n        ...SupplierFacts\n      }\n    }\n    employees(orderBy: [{ field: NAME, direction: ASC }], first: 100) {\n      nodes {\n        ...RequesterFacts\n      }\n    }\n  }\n"): (typeof documents)["\n  query FormDefinition {\n    form(formId: \"purchase-request\") {\n      id\n      can {\n        create\n      }\n      fields {\n        ...ControlField\n      }\n    }\n    suppliers(orderBy: [{ field: NAME, direction: ASC }], first: 100) {\n      nodes {\n        ...SupplierFacts\n      }\n    }\n    employees(orderBy: [{ field: NAME, direction: ASC }], first: 100) {\n      nodes {\n        ...RequesterFacts\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Request($instanceId: ID!) {\n    purchaseRequest(instanceId: $instanceId) {\n      ...RequestDetail\n    }\n  }\n"): (typeof documents)["\n  query Request($instanceId: ID!) {\n    purchaseRequest(instanceId: $instanceId) {\n      ...RequestDetail\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  subscription LiveRequest($instanceId: ID!) {\n    purchaseRequest(instanceId: $instanceId) {\n      ...RequestDetail\n    }\n  }\n"): (typeof documents)["\n  subscription LiveRequest($instanceId: ID!) {\n    purchaseRequest(instanceId: $instanceId) {\n      ...RequestDetail\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment RequestDetail on PurchaseRequest {\n    id\n    title\n    amount\n    can {\n      update\n    }\n    ...RequestFacts\n    ...EditedRequest\n  }\n"): (typeof documents)["\n  fragment RequestDetail on PurchaseRequest {\n    id\n    title\n    amount\n    can {\n      update\n    }\n    ...RequestFacts\n    ...EditedRequest\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment RequestValues on PurchaseRequest {\n    id\n    title\n    amount\n    quantity\n    status\n    supplier {\n      id\n    }\n    requester {\n      id\n    }\n    neededBy\n    urgent\n    notes\n  }\n"): (typeof documents)["\n  fragment RequestValues on PurchaseRequest {\n    id\n    title\n    amount\n    quantity\n    status\n    supplier {\n      id\n    }\n    requester {\n      id\n    }\n    neededBy\n    urgent\n    notes\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation BulkChange($input: UpdatePurchaseRequestsInput!) {\n    updatePurchaseRequests(input: $input) {\n      results {\n        status\n        instance {\n          id\n          status\n        }\n        error {\n          code\n          message\n          current {\n            ... on PurchaseRequest {\n              id\n              status\n            }\n          }\n        }\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation BulkChange($input: UpdatePurchaseRequestsInput!) {\n    updatePurchaseRequests(input: $input) {\n      results {\n        status\n        instance {\n          id\n          status\n        }\n        error {\n          code\n          message\n          current {\n            ... on PurchaseRequest {\n              id\n              status\n            }\n          }\n        }\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Export($where: PurchaseRequestFilterInput, $orderBy: [PurchaseRequestOrder!], $first: Int, $after: String) {\n    purchaseRequests(where: $where, orderBy: $orderBy, first: $first, after: $after) {\n      totalCount\n      pageInfo {\n        endCursor\n        hasNextPage\n      }\n      nodes {\n        ...RequestRow\n      }\n    }\n  }\n"): (typeof documents)["\n  query Export($where: PurchaseRequestFilterInput, $orderBy: [PurchaseRequestOrder!], $first: Int, $after: String) {\n    purchaseRequests(where: $where, orderBy: $orderBy, first: $first, after: $after) {\n      totalCount\n      pageInfo {\n        endCursor\n        hasNextPage\n      }\n      nodes {\n        ...RequestRow\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Requests(\n    $where: PurchaseRequestFilterInput\n    $orderBy: [PurchaseRequestOrder!]\n    $first: Int\n    $after: String\n  ) {\n    purchaseRequests(where: $where, orderBy: $orderBy, first: $first, after: $after) {\n      ...RequestPage\n    }\n  }\n"): (typeof documents)["\n  query Requests(\n    $where: PurchaseRequestFilterInput\n    $orderBy: [PurchaseRequestOrder!]\n    $first: Int\n    $after: String\n  ) {\n    purchaseRequests(where: $where, orderBy: $orderBy, first: $first, after: $after) {\n      ...RequestPage\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  subscription LiveRequests(\n    $where: PurchaseRequestFilterInput\n    $orderBy: [PurchaseRequestOrder!]\n    $first: Int\n  ) {\n    purchaseRequests(where: $where, orderBy: $orderBy, first: $first) {\n      ...RequestPage\n    }\n  }\n"): (typeof documents)["\n  subscription LiveRequests(\n    $where: PurchaseRequestFilterInput\n    $orderBy: [PurchaseRequestOrder!]\n    $first: Int\n  ) {\n    purchaseRequests(where: $where, orderBy: $orderBy, first: $first) {\n      ...RequestPage\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment RequestPage on PurchaseRequestConnection {\n    totalCount\n    pageInfo {\n      endCursor\n      hasNextPage\n    }\n    edges {\n      node {\n        id\n        ...RequestRow\n      }\n    }\n  }\n"): (typeof documents)["\n  fragment RequestPage on PurchaseRequestConnection {\n    totalCount\n    pageInfo {\n      endCursor\n      hasNextPage\n    }\n    edges {\n      node {\n        id\n        ...RequestRow\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment RequestRow on PurchaseRequest {\n    id\n    instanceId\n    title\n    amount\n    neededBy\n    urgent\n    status\n    supplier {\n      id\n      name\n      country\n    }\n    requester {\n      id\n      name\n    }\n  }\n"): (typeof documents)["\n  fragment RequestRow on PurchaseRequest {\n    id\n    instanceId\n    title\n    amount\n    neededBy\n    urgent\n    status\n    supplier {\n      id\n      name\n      country\n    }\n    requester {\n      id\n      name\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation SignIn($input: SignInInput!) {\n    signIn(input: $input) {\n      viewer {\n        name\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation SignIn($input: SignInInput!) {\n    signIn(input: $input) {\n      viewer {\n        name\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Viewer {\n    viewer {\n      name\n    }\n  }\n"): (typeof documents)["\n  query Viewer {\n    viewer {\n      name\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation SignOut {\n    signOut {\n      viewer {\n        name\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation SignOut {\n    signOut {\n      viewer {\n        name\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment SupplierFacts on Supplier {\n    id\n    instanceId\n    name\n    category\n    country\n    contactEmail\n    rating\n    paymentDays\n  }\n"): (typeof documents)["\n  fragment SupplierFacts on Supplier {\n    id\n    instanceId\n    name\n    category\n    country\n    contactEmail\n    rating\n    paymentDays\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Supplier($instanceId: ID!) {\n    supplier(instanceId: $instanceId) {\n      ...SupplierFacts\n      purchaseRequests(orderBy: [{ field: NEEDED_BY, direction: DESC }], first: 50) {\n        nodes {\n          ...RequestRow\n        }\n      }\n    }\n  }\n"): (typeof documents)["\n  query Supplier($instanceId: ID!) {\n    supplier(instanceId: $instanceId) {\n      ...SupplierFacts\n      purchaseRequests(orderBy: [{ field: NEEDED_BY, direction: DESC }], first: 50) {\n        nodes {\n          ...RequestRow\n        }\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Suppliers {\n    suppliers(orderBy: [{ field: NAME, direction: ASC }], first: 100) {\n      nodes {\n        ...SupplierFacts\n      }\n    }\n  }\n"): (typeof documents)["\n  query Suppliers {\n    suppliers(orderBy: [{ field: NAME, direction: ASC }], first: 100) {\n      nodes {\n        ...SupplierFacts\n      }\n    }\n  }\n"];

export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}

export type DocumentType<TDocumentNode extends DocumentNode<any, any>> = TDocumentNode extends DocumentNode<  infer TType,  any>  ? TType  : never;