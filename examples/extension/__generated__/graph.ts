// The types of this graph for modules of EXTENSIONS. Printed by "extension-types"; do not edit.
import type * as caseway from 'caseway/extension';

declare module 'caseway/extension' {
  interface Graph extends CasewayGraph {}
}

interface CasewayGraph {
  readonly platform: { readonly query: Query; readonly mutation: Mutation };
  readonly services: { readonly "rates": caseway.Service; };
  readonly resolvers: {
    readonly PurchaseRequest: {
      readonly ageDays: caseway.FieldResolver<PurchaseRequest, { }, number | null | undefined>;
      readonly amountIn: caseway.FieldResolver<PurchaseRequest, { readonly currency: string; }, string | null | undefined>;
    };
    readonly Query: {
      readonly exchangeRate: caseway.FieldResolver<undefined, { readonly currency: string; }, string>;
    };
    readonly Mutation: {
      readonly submitPurchaseRequest: caseway.FieldResolver<undefined, { readonly input: SubmitPurchaseRequestInput; }, SubmitPurchaseRequestPayload>;
    };
    readonly SubmitPurchaseRequestPayload: {
      readonly purchaseRequest: caseway.FieldResolver<SubmitPurchaseRequestPayload, { }, PurchaseRequest>;
      readonly case: caseway.FieldResolver<SubmitPurchaseRequestPayload, { }, Case>;
    };
  };
}

export interface Node {
  readonly id: string;
}
export interface Link {
  readonly rel: string;
  readonly href: string;
  readonly method: string | null;
}
export interface PageInfo {
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  readonly startCursor: string | null;
  readonly endCursor: string | null;
}
export type SearchOperator = 'EQ' | 'NE' | 'GT' | 'GE' | 'LT' | 'LE' | 'LIKE' | 'CONTAINS' | 'STARTS_WITH' | 'IN';
export type SortDirection = 'ASC' | 'DESC';
export interface CriterionInput {
  readonly field: string;
  readonly operator?: SearchOperator;
  readonly value: unknown;
}
export interface OrderInput {
  readonly field: string;
  readonly direction?: SortDirection;
}
export interface Case {
  readonly caseId: string;
  readonly activity: Activity | null;
  readonly record: { readonly [name: string]: unknown };
}
export interface Activity {
  readonly activityId: string;
  readonly name: string | null;
}
export interface StartCaseInput {
  readonly process: string;
  readonly values?: { readonly [name: string]: unknown } | null;
  readonly attributes?: { readonly [name: string]: unknown } | null;
  readonly idempotencyKey?: string | null;
}
export interface StartCasePayload {
  readonly case: Case;
}
export interface ExecuteActivityInput {
  readonly caseId: string;
  readonly activityId: string;
  readonly values?: { readonly [name: string]: unknown } | null;
  readonly attributes?: { readonly [name: string]: unknown } | null;
  readonly idempotencyKey?: string | null;
}
export interface ExecuteActivityPayload {
  readonly case: Case;
}
export interface Form {
  readonly id: string;
  readonly formId: string;
  readonly name: string | null;
  readonly description: string | null;
  readonly version: string | null;
  fields(): globalThis.Promise<readonly (FormField)[] | null>;
  readonly links: readonly (Link)[];
  readonly definition: { readonly [name: string]: unknown };
  instances(args?: { readonly where?: readonly (CriterionInput)[] | null; readonly orderBy?: readonly (OrderInput)[] | null; readonly first?: number | null; readonly after?: string | null; readonly page?: number | null; }): globalThis.Promise<InstanceConnection | null>;
  instance(args: { readonly instanceId: string; }): globalThis.Promise<Instance | null>;
}
export interface FormField {
  readonly name: string;
  readonly label: string | null;
  readonly type: string | null;
  readonly required: boolean | null;
  readonly options: readonly (unknown)[] | null;
  readonly reference: string | null;
}
export interface FormConnection {
  readonly edges: readonly (FormEdge)[];
  readonly nodes: readonly (Form)[];
  readonly pageInfo: PageInfo;
  readonly totalCount: number | null;
}
export interface FormEdge {
  readonly cursor: string;
  readonly node: Form;
}
export interface Instance {
  readonly id: string;
  readonly formId: string;
  readonly instanceId: string;
  readonly form: Form | null;
  readonly values: { readonly [name: string]: unknown } | null;
  value(args: { readonly field: string; }): globalThis.Promise<unknown | null>;
  reference(args: { readonly field: string; }): globalThis.Promise<Instance | null>;
  readonly links: readonly (Link)[] | null;
  readonly can: InstanceCapabilities | null;
}
export interface GenericInstance {
  readonly id: string;
  readonly formId: string;
  readonly instanceId: string;
  form(): globalThis.Promise<Form | null>;
  readonly values: { readonly [name: string]: unknown } | null;
  value(args: { readonly field: string; }): globalThis.Promise<unknown | null>;
  reference(args: { readonly field: string; }): globalThis.Promise<Instance | null>;
  links(): globalThis.Promise<readonly (Link)[] | null>;
  can(): globalThis.Promise<InstanceCapabilities | null>;
}
export interface InstanceCapabilities {
  readonly replace: boolean;
  readonly update: boolean;
  readonly delete: boolean;
}
export interface InstanceConnection {
  readonly edges: readonly (InstanceEdge)[];
  readonly nodes: readonly (Instance)[];
  readonly pageInfo: PageInfo;
  readonly totalCount: number | null;
}
export interface InstanceEdge {
  readonly cursor: string;
  readonly node: Instance;
}
export interface CreateInstanceInput {
  readonly formId: string;
  readonly values: { readonly [name: string]: unknown };
  readonly idempotencyKey?: string | null;
}
export interface CreateInstancePayload {
  readonly instance: Instance;
}
export interface ReplaceInstanceInput {
  readonly formId: string;
  readonly instanceId: string;
  readonly values: { readonly [name: string]: unknown };
  readonly idempotencyKey?: string | null;
}
export interface ReplaceInstancePayload {
  instance(): globalThis.Promise<Instance | null>;
}
export interface UpdateInstanceInput {
  readonly formId: string;
  readonly instanceId: string;
  readonly values: { readonly [name: string]: unknown };
  readonly idempotencyKey?: string | null;
}
export interface UpdateInstancePayload {
  instance(): globalThis.Promise<Instance | null>;
}
export interface DeleteInstanceInput {
  readonly formId: string;
  readonly instanceId: string;
  readonly idempotencyKey?: string | null;
}
export interface DeleteInstancePayload {
  readonly deletedId: string;
}
export interface Rule {
  readonly component: string;
  readonly version: string;
  readonly name: string | null;
  readonly descriptiveName: string | null;
  readonly parameters: readonly (RuleParameter)[];
}
export interface RuleParameter {
  readonly name: string;
  readonly type: string | null;
  readonly value: unknown | null;
}
export interface ExecuteRuleInput {
  readonly component: string;
  readonly version: string;
  readonly parameters: readonly (RuleParameterInput)[];
  readonly idempotencyKey?: string | null;
}
export interface RuleParameterInput {
  readonly name: string;
  readonly type?: string | null;
  readonly value?: unknown | null;
}
export interface ExecuteRulePayload {
  readonly outputs: readonly (RuleParameter)[];
}
export interface Viewer {
  readonly name: string;
  readonly since: globalThis.Date | null;
  readonly until: globalThis.Date | null;
}
export interface SignInInput {
  readonly username: string;
  readonly password: string;
}
export interface SignInPayload {
  readonly viewer: Viewer;
  readonly sessionToken: string | null;
  readonly expiresAt: globalThis.Date;
}
export interface SignOutPayload {
  readonly viewer: Viewer | null;
}
export interface Employee {
  readonly id: string;
  readonly formId: string;
  readonly instanceId: string;
  form(): globalThis.Promise<Form | null>;
  readonly values: { readonly [name: string]: unknown } | null;
  value(args: { readonly field: string; }): globalThis.Promise<unknown | null>;
  reference(args: { readonly field: string; }): globalThis.Promise<Employee | null>;
  links(): globalThis.Promise<readonly (Link)[] | null>;
  can(): globalThis.Promise<InstanceCapabilities | null>;
  readonly name: string | null;
  readonly email: string | null;
  readonly department: EmployeeDepartment | null;
  readonly jobTitle: string | null;
  manager(): globalThis.Promise<Employee | null>;
  readonly approvalLimit: string | null;
  readonly hiredOn: string | null;
  readonly active: boolean | null;
  employees(args?: { readonly where?: EmployeeFilterInput | null; readonly orderBy?: readonly (EmployeeOrder)[] | null; readonly first?: number | null; readonly after?: string | null; readonly page?: number | null; }): globalThis.Promise<EmployeeConnection | null>;
  expenses(args?: { readonly where?: ExpenseFilterInput | null; readonly orderBy?: readonly (ExpenseOrder)[] | null; readonly first?: number | null; readonly after?: string | null; readonly page?: number | null; }): globalThis.Promise<ExpenseConnection | null>;
  purchaseRequests(args?: { readonly where?: PurchaseRequestFilterInput | null; readonly orderBy?: readonly (PurchaseRequestOrder)[] | null; readonly first?: number | null; readonly after?: string | null; readonly page?: number | null; }): globalThis.Promise<PurchaseRequestConnection | null>;
}
export type EmployeeDepartment = 'PROCUREMENT' | 'FINANCE' | 'ENGINEERING' | 'OPERATIONS' | 'SALES' | 'PEOPLE';
export interface EmployeeConnection {
  readonly edges: readonly (EmployeeEdge)[];
  readonly nodes: readonly (Employee)[];
  readonly pageInfo: PageInfo;
  readonly totalCount: number | null;
}
export interface EmployeeEdge {
  readonly cursor: string;
  readonly node: Employee;
}
export interface EmployeeFilterInput {
  readonly instanceId?: IDFilterInput | null;
  readonly name?: TextFilterInput | null;
  readonly email?: TextFilterInput | null;
  readonly department?: EmployeeDepartmentFilterInput | null;
  readonly jobTitle?: TextFilterInput | null;
  readonly manager?: IDFilterInput | null;
  readonly approvalLimit?: DecimalFilterInput | null;
  readonly hiredOn?: DateFilterInput | null;
  readonly active?: BooleanFilterInput | null;
}
export interface IDFilterInput {
  readonly eq?: string | null;
  readonly ne?: string | null;
  readonly in?: readonly (string)[] | null;
}
export interface TextFilterInput {
  readonly eq?: string | null;
  readonly ne?: string | null;
  readonly contains?: string | null;
  readonly startsWith?: string | null;
  readonly like?: string | null;
  readonly in?: readonly (string)[] | null;
}
export interface EmployeeDepartmentFilterInput {
  readonly eq?: EmployeeDepartment | null;
  readonly ne?: EmployeeDepartment | null;
  readonly in?: readonly (EmployeeDepartment)[] | null;
}
export interface DecimalFilterInput {
  readonly eq?: string | number | null;
  readonly ne?: string | number | null;
  readonly gt?: string | number | null;
  readonly gte?: string | number | null;
  readonly lt?: string | number | null;
  readonly lte?: string | number | null;
  readonly in?: readonly (string | number)[] | null;
}
export interface DateFilterInput {
  readonly eq?: string | null;
  readonly ne?: string | null;
  readonly gt?: string | null;
  readonly gte?: string | null;
  readonly lt?: string | null;
  readonly lte?: string | null;
  readonly in?: readonly (string)[] | null;
}
export interface BooleanFilterInput {
  readonly eq?: boolean | null;
  readonly ne?: boolean | null;
}
export interface EmployeeOrder {
  readonly name?: SortDirection | null;
  readonly email?: SortDirection | null;
  readonly department?: SortDirection | null;
  readonly jobTitle?: SortDirection | null;
  readonly manager?: SortDirection | null;
  readonly approvalLimit?: SortDirection | null;
  readonly hiredOn?: SortDirection | null;
  readonly active?: SortDirection | null;
}
export interface ExpenseConnection {
  readonly edges: readonly (ExpenseEdge)[];
  readonly nodes: readonly (Expense)[];
  readonly pageInfo: PageInfo;
  readonly totalCount: number | null;
}
export interface ExpenseEdge {
  readonly cursor: string;
  readonly node: Expense;
}
export interface ExpenseFilterInput {
  readonly instanceId?: IDFilterInput | null;
  readonly description?: TextFilterInput | null;
  readonly amount?: DecimalFilterInput | null;
  readonly category?: ExpenseCategoryFilterInput | null;
  readonly employee?: IDFilterInput | null;
  readonly purchaseRequest?: IDFilterInput | null;
  readonly spentOn?: DateFilterInput | null;
  readonly reimbursed?: BooleanFilterInput | null;
  readonly notes?: TextFilterInput | null;
}
export interface ExpenseCategoryFilterInput {
  readonly eq?: ExpenseCategory | null;
  readonly ne?: ExpenseCategory | null;
  readonly in?: readonly (ExpenseCategory)[] | null;
}
export type ExpenseCategory = 'TRAVEL' | 'LODGING' | 'MEALS' | 'OFFICE' | 'TRAINING' | 'EQUIPMENT';
export interface ExpenseOrder {
  readonly description?: SortDirection | null;
  readonly amount?: SortDirection | null;
  readonly category?: SortDirection | null;
  readonly employee?: SortDirection | null;
  readonly purchaseRequest?: SortDirection | null;
  readonly spentOn?: SortDirection | null;
  readonly reimbursed?: SortDirection | null;
  readonly notes?: SortDirection | null;
}
export interface PurchaseRequestConnection {
  readonly edges: readonly (PurchaseRequestEdge)[];
  readonly nodes: readonly (PurchaseRequest)[];
  readonly pageInfo: PageInfo;
  readonly totalCount: number | null;
}
export interface PurchaseRequestEdge {
  readonly cursor: string;
  readonly node: PurchaseRequest;
}
export interface PurchaseRequestFilterInput {
  readonly instanceId?: IDFilterInput | null;
  readonly title?: TextFilterInput | null;
  readonly amount?: DecimalFilterInput | null;
  readonly quantity?: LongFilterInput | null;
  readonly status?: PurchaseRequestStatusFilterInput | null;
  readonly supplier?: IDFilterInput | null;
  readonly requester?: IDFilterInput | null;
  readonly neededBy?: DateFilterInput | null;
  readonly urgent?: BooleanFilterInput | null;
  readonly createdAt?: DateTimeFilterInput | null;
  readonly notes?: TextFilterInput | null;
}
export interface LongFilterInput {
  readonly eq?: string | number | null;
  readonly ne?: string | number | null;
  readonly gt?: string | number | null;
  readonly gte?: string | number | null;
  readonly lt?: string | number | null;
  readonly lte?: string | number | null;
  readonly in?: readonly (string | number)[] | null;
}
export interface PurchaseRequestStatusFilterInput {
  readonly eq?: PurchaseRequestStatus | null;
  readonly ne?: PurchaseRequestStatus | null;
  readonly in?: readonly (PurchaseRequestStatus)[] | null;
}
export type PurchaseRequestStatus = 'DRAFT' | 'SUBMITTED' | 'APPROVED' | 'REJECTED';
export interface DateTimeFilterInput {
  readonly gte?: string | null;
  readonly lt?: string | null;
}
export interface PurchaseRequestOrder {
  readonly title?: SortDirection | null;
  readonly amount?: SortDirection | null;
  readonly quantity?: SortDirection | null;
  readonly status?: SortDirection | null;
  readonly supplier?: SortDirection | null;
  readonly requester?: SortDirection | null;
  readonly neededBy?: SortDirection | null;
  readonly urgent?: SortDirection | null;
  readonly createdAt?: SortDirection | null;
  readonly notes?: SortDirection | null;
}
export interface Expense {
  readonly id: string;
  readonly formId: string;
  readonly instanceId: string;
  form(): globalThis.Promise<Form | null>;
  readonly values: { readonly [name: string]: unknown } | null;
  value(args: { readonly field: string; }): globalThis.Promise<unknown | null>;
  reference(args: { readonly field: string; }): globalThis.Promise<Instance | null>;
  links(): globalThis.Promise<readonly (Link)[] | null>;
  can(): globalThis.Promise<InstanceCapabilities | null>;
  readonly description: string | null;
  readonly amount: string | null;
  readonly category: ExpenseCategory | null;
  employee(): globalThis.Promise<Employee | null>;
  purchaseRequest(): globalThis.Promise<PurchaseRequest | null>;
  readonly spentOn: string | null;
  readonly reimbursed: boolean | null;
  readonly notes: string | null;
}
export interface PurchaseRequest {
  readonly id: string;
  readonly formId: string;
  readonly instanceId: string;
  form(): globalThis.Promise<Form | null>;
  readonly values: { readonly [name: string]: unknown } | null;
  value(args: { readonly field: string; }): globalThis.Promise<unknown | null>;
  reference(args: { readonly field: string; }): globalThis.Promise<Instance | null>;
  links(): globalThis.Promise<readonly (Link)[] | null>;
  can(): globalThis.Promise<InstanceCapabilities | null>;
  readonly title: string | null;
  readonly amount: string | null;
  readonly quantity: string | null;
  readonly status: PurchaseRequestStatus | null;
  supplier(): globalThis.Promise<Supplier | null>;
  requester(): globalThis.Promise<Employee | null>;
  readonly neededBy: string | null;
  readonly urgent: boolean | null;
  readonly createdAt: globalThis.Date | null;
  readonly notes: string | null;
  expenses(args?: { readonly where?: ExpenseFilterInput | null; readonly orderBy?: readonly (ExpenseOrder)[] | null; readonly first?: number | null; readonly after?: string | null; readonly page?: number | null; }): globalThis.Promise<ExpenseConnection | null>;
}
export interface Supplier {
  readonly id: string;
  readonly formId: string;
  readonly instanceId: string;
  form(): globalThis.Promise<Form | null>;
  readonly values: { readonly [name: string]: unknown } | null;
  value(args: { readonly field: string; }): globalThis.Promise<unknown | null>;
  reference(args: { readonly field: string; }): globalThis.Promise<GenericInstance | null>;
  links(): globalThis.Promise<readonly (Link)[] | null>;
  can(): globalThis.Promise<InstanceCapabilities | null>;
  readonly name: string | null;
  readonly country: SupplierCountry | null;
  readonly category: string | null;
  readonly contactEmail: string | null;
  readonly locationNumber: string | null;
  readonly rating: string | null;
  readonly paymentDays: number | null;
  readonly active: boolean | null;
  purchaseRequests(args?: { readonly where?: PurchaseRequestFilterInput | null; readonly orderBy?: readonly (PurchaseRequestOrder)[] | null; readonly first?: number | null; readonly after?: string | null; readonly page?: number | null; }): globalThis.Promise<PurchaseRequestConnection | null>;
}
export type SupplierCountry = 'AT' | 'CH' | 'DE' | 'ES' | 'FR' | 'GB' | 'IT' | 'NL' | 'PL' | 'PT' | 'SE' | 'US';
export interface Query {
  node(args: { readonly id: string; }): globalThis.Promise<Node | null>;
  form(args: { readonly formId: string; }): globalThis.Promise<Form | null>;
  forms(args?: { readonly where?: readonly (CriterionInput)[] | null; readonly orderBy?: readonly (OrderInput)[] | null; readonly first?: number | null; readonly after?: string | null; readonly page?: number | null; }): globalThis.Promise<FormConnection | null>;
  instance(args: { readonly formId: string; readonly instanceId: string; }): globalThis.Promise<Instance | null>;
  instances(args: { readonly formId: string; readonly where?: readonly (CriterionInput)[] | null; readonly orderBy?: readonly (OrderInput)[] | null; readonly first?: number | null; readonly after?: string | null; readonly page?: number | null; }): globalThis.Promise<InstanceConnection | null>;
  rule(args: { readonly component: string; readonly version: string; }): globalThis.Promise<Rule | null>;
  employee(args: { readonly instanceId: string; }): globalThis.Promise<Employee | null>;
  employees(args?: { readonly where?: EmployeeFilterInput | null; readonly orderBy?: readonly (EmployeeOrder)[] | null; readonly first?: number | null; readonly after?: string | null; readonly page?: number | null; }): globalThis.Promise<EmployeeConnection | null>;
  expense(args: { readonly instanceId: string; }): globalThis.Promise<Expense | null>;
  expenses(args?: { readonly where?: ExpenseFilterInput | null; readonly orderBy?: readonly (ExpenseOrder)[] | null; readonly first?: number | null; readonly after?: string | null; readonly page?: number | null; }): globalThis.Promise<ExpenseConnection | null>;
  purchaseRequest(args: { readonly instanceId: string; }): globalThis.Promise<PurchaseRequest | null>;
  purchaseRequests(args?: { readonly where?: PurchaseRequestFilterInput | null; readonly orderBy?: readonly (PurchaseRequestOrder)[] | null; readonly first?: number | null; readonly after?: string | null; readonly page?: number | null; }): globalThis.Promise<PurchaseRequestConnection | null>;
  supplier(args: { readonly instanceId: string; }): globalThis.Promise<Supplier | null>;
  suppliers(args?: { readonly where?: SupplierFilterInput | null; readonly orderBy?: readonly (SupplierOrder)[] | null; readonly first?: number | null; readonly after?: string | null; readonly page?: number | null; }): globalThis.Promise<SupplierConnection | null>;
}
export interface SupplierConnection {
  readonly edges: readonly (SupplierEdge)[];
  readonly nodes: readonly (Supplier)[];
  readonly pageInfo: PageInfo;
  readonly totalCount: number | null;
}
export interface SupplierEdge {
  readonly cursor: string;
  readonly node: Supplier;
}
export interface SupplierFilterInput {
  readonly instanceId?: IDFilterInput | null;
  readonly name?: TextFilterInput | null;
  readonly country?: SupplierCountryFilterInput | null;
  readonly category?: TextFilterInput | null;
  readonly contactEmail?: TextFilterInput | null;
  readonly locationNumber?: LongFilterInput | null;
  readonly rating?: DecimalFilterInput | null;
  readonly paymentDays?: IntFilterInput | null;
  readonly active?: BooleanFilterInput | null;
}
export interface SupplierCountryFilterInput {
  readonly eq?: SupplierCountry | null;
  readonly ne?: SupplierCountry | null;
  readonly in?: readonly (SupplierCountry)[] | null;
}
export interface IntFilterInput {
  readonly eq?: number | null;
  readonly ne?: number | null;
  readonly gt?: number | null;
  readonly gte?: number | null;
  readonly lt?: number | null;
  readonly lte?: number | null;
  readonly in?: readonly (number)[] | null;
}
export interface SupplierOrder {
  readonly name?: SortDirection | null;
  readonly country?: SortDirection | null;
  readonly category?: SortDirection | null;
  readonly contactEmail?: SortDirection | null;
  readonly locationNumber?: SortDirection | null;
  readonly rating?: SortDirection | null;
  readonly paymentDays?: SortDirection | null;
  readonly active?: SortDirection | null;
}
export interface Mutation {
  startCase(args: { readonly input: StartCaseInput; }): globalThis.Promise<StartCasePayload | null>;
  executeActivity(args: { readonly input: ExecuteActivityInput; }): globalThis.Promise<ExecuteActivityPayload | null>;
  createInstance(args: { readonly input: CreateInstanceInput; }): globalThis.Promise<CreateInstancePayload | null>;
  replaceInstance(args: { readonly input: ReplaceInstanceInput; }): globalThis.Promise<ReplaceInstancePayload | null>;
  updateInstance(args: { readonly input: UpdateInstanceInput; }): globalThis.Promise<UpdateInstancePayload | null>;
  deleteInstance(args: { readonly input: DeleteInstanceInput; }): globalThis.Promise<DeleteInstancePayload | null>;
  executeRule(args: { readonly input: ExecuteRuleInput; }): globalThis.Promise<ExecuteRulePayload | null>;
  createEmployee(args: { readonly input: CreateEmployeeInput; }): globalThis.Promise<CreateEmployeePayload | null>;
  replaceEmployee(args: { readonly input: ReplaceEmployeeInput; }): globalThis.Promise<ReplaceEmployeePayload | null>;
  updateEmployee(args: { readonly input: UpdateEmployeeInput; }): globalThis.Promise<UpdateEmployeePayload | null>;
  deleteEmployee(args: { readonly input: DeleteEmployeeInput; }): globalThis.Promise<DeleteEmployeePayload | null>;
  createExpense(args: { readonly input: CreateExpenseInput; }): globalThis.Promise<CreateExpensePayload | null>;
  replaceExpense(args: { readonly input: ReplaceExpenseInput; }): globalThis.Promise<ReplaceExpensePayload | null>;
  updateExpense(args: { readonly input: UpdateExpenseInput; }): globalThis.Promise<UpdateExpensePayload | null>;
  deleteExpense(args: { readonly input: DeleteExpenseInput; }): globalThis.Promise<DeleteExpensePayload | null>;
  createPurchaseRequest(args: { readonly input: CreatePurchaseRequestInput; }): globalThis.Promise<CreatePurchaseRequestPayload | null>;
  replacePurchaseRequest(args: { readonly input: ReplacePurchaseRequestInput; }): globalThis.Promise<ReplacePurchaseRequestPayload | null>;
  updatePurchaseRequest(args: { readonly input: UpdatePurchaseRequestInput; }): globalThis.Promise<UpdatePurchaseRequestPayload | null>;
  deletePurchaseRequest(args: { readonly input: DeletePurchaseRequestInput; }): globalThis.Promise<DeletePurchaseRequestPayload | null>;
  createSupplier(args: { readonly input: CreateSupplierInput; }): globalThis.Promise<CreateSupplierPayload | null>;
  replaceSupplier(args: { readonly input: ReplaceSupplierInput; }): globalThis.Promise<ReplaceSupplierPayload | null>;
  updateSupplier(args: { readonly input: UpdateSupplierInput; }): globalThis.Promise<UpdateSupplierPayload | null>;
  deleteSupplier(args: { readonly input: DeleteSupplierInput; }): globalThis.Promise<DeleteSupplierPayload | null>;
}
export interface CreateEmployeePayload {
  readonly instance: Employee;
}
export interface CreateEmployeeInput {
  readonly idempotencyKey?: string | null;
  readonly values: CreateEmployeeValues;
}
export interface CreateEmployeeValues {
  readonly name: string;
  readonly email: string;
  readonly department: EmployeeDepartment;
  readonly jobTitle?: string | null;
  readonly manager?: string | null;
  readonly approvalLimit?: string | number | null;
  readonly hiredOn?: string | null;
  readonly active: boolean;
}
export interface ReplaceEmployeePayload {
  instance(): globalThis.Promise<Employee | null>;
}
export interface ReplaceEmployeeInput {
  readonly instanceId: string;
  readonly idempotencyKey?: string | null;
  readonly values: ReplaceEmployeeValues;
}
export interface ReplaceEmployeeValues {
  readonly name?: string | null;
  readonly email?: string | null;
  readonly department?: EmployeeDepartment | null;
  readonly jobTitle?: string | null;
  readonly manager?: string | null;
  readonly approvalLimit?: string | number | null;
  readonly hiredOn?: string | null;
  readonly active?: boolean | null;
}
export interface UpdateEmployeePayload {
  instance(): globalThis.Promise<Employee | null>;
}
export interface UpdateEmployeeInput {
  readonly instanceId: string;
  readonly idempotencyKey?: string | null;
  readonly values: UpdateEmployeeValues;
}
export interface UpdateEmployeeValues {
  readonly name?: string | null;
  readonly email?: string | null;
  readonly department?: EmployeeDepartment | null;
  readonly jobTitle?: string | null;
  readonly manager?: string | null;
  readonly approvalLimit?: string | number | null;
  readonly hiredOn?: string | null;
  readonly active?: boolean | null;
}
export interface DeleteEmployeePayload {
  readonly deletedId: string;
}
export interface DeleteEmployeeInput {
  readonly instanceId: string;
  readonly idempotencyKey?: string | null;
}
export interface CreateExpensePayload {
  readonly instance: Expense;
}
export interface CreateExpenseInput {
  readonly idempotencyKey?: string | null;
  readonly values: CreateExpenseValues;
}
export interface CreateExpenseValues {
  readonly description: string;
  readonly amount: string | number;
  readonly category: ExpenseCategory;
  readonly employee: string;
  readonly purchaseRequest?: string | null;
  readonly spentOn: string;
  readonly reimbursed?: boolean | null;
  readonly notes?: string | null;
}
export interface ReplaceExpensePayload {
  instance(): globalThis.Promise<Expense | null>;
}
export interface ReplaceExpenseInput {
  readonly instanceId: string;
  readonly idempotencyKey?: string | null;
  readonly values: ReplaceExpenseValues;
}
export interface ReplaceExpenseValues {
  readonly description?: string | null;
  readonly amount?: string | number | null;
  readonly category?: ExpenseCategory | null;
  readonly employee?: string | null;
  readonly purchaseRequest?: string | null;
  readonly spentOn?: string | null;
  readonly reimbursed?: boolean | null;
  readonly notes?: string | null;
}
export interface UpdateExpensePayload {
  instance(): globalThis.Promise<Expense | null>;
}
export interface UpdateExpenseInput {
  readonly instanceId: string;
  readonly idempotencyKey?: string | null;
  readonly values: UpdateExpenseValues;
}
export interface UpdateExpenseValues {
  readonly description?: string | null;
  readonly amount?: string | number | null;
  readonly category?: ExpenseCategory | null;
  readonly employee?: string | null;
  readonly purchaseRequest?: string | null;
  readonly spentOn?: string | null;
  readonly reimbursed?: boolean | null;
  readonly notes?: string | null;
}
export interface DeleteExpensePayload {
  readonly deletedId: string;
}
export interface DeleteExpenseInput {
  readonly instanceId: string;
  readonly idempotencyKey?: string | null;
}
export interface CreatePurchaseRequestPayload {
  readonly instance: PurchaseRequest;
}
export interface CreatePurchaseRequestInput {
  readonly idempotencyKey?: string | null;
  readonly values: CreatePurchaseRequestValues;
}
export interface CreatePurchaseRequestValues {
  readonly title: string;
  readonly amount: string | number;
  readonly quantity: string | number;
  readonly status: PurchaseRequestStatus;
  readonly supplier?: string | null;
  readonly requester: string;
  readonly neededBy?: string | null;
  readonly urgent?: boolean | null;
  readonly createdAt?: globalThis.Date | string | null;
  readonly notes?: string | null;
}
export interface ReplacePurchaseRequestPayload {
  instance(): globalThis.Promise<PurchaseRequest | null>;
}
export interface ReplacePurchaseRequestInput {
  readonly instanceId: string;
  readonly idempotencyKey?: string | null;
  readonly values: ReplacePurchaseRequestValues;
}
export interface ReplacePurchaseRequestValues {
  readonly title?: string | null;
  readonly amount?: string | number | null;
  readonly quantity?: string | number | null;
  readonly status?: PurchaseRequestStatus | null;
  readonly supplier?: string | null;
  readonly requester?: string | null;
  readonly neededBy?: string | null;
  readonly urgent?: boolean | null;
  readonly createdAt?: globalThis.Date | string | null;
  readonly notes?: string | null;
}
export interface UpdatePurchaseRequestPayload {
  instance(): globalThis.Promise<PurchaseRequest | null>;
}
export interface UpdatePurchaseRequestInput {
  readonly instanceId: string;
  readonly idempotencyKey?: string | null;
  readonly values: UpdatePurchaseRequestValues;
}
export interface UpdatePurchaseRequestValues {
  readonly title?: string | null;
  readonly amount?: string | number | null;
  readonly quantity?: string | number | null;
  readonly status?: PurchaseRequestStatus | null;
  readonly supplier?: string | null;
  readonly requester?: string | null;
  readonly neededBy?: string | null;
  readonly urgent?: boolean | null;
  readonly createdAt?: globalThis.Date | string | null;
  readonly notes?: string | null;
}
export interface DeletePurchaseRequestPayload {
  readonly deletedId: string;
}
export interface DeletePurchaseRequestInput {
  readonly instanceId: string;
  readonly idempotencyKey?: string | null;
}
export interface CreateSupplierPayload {
  readonly instance: Supplier;
}
export interface CreateSupplierInput {
  readonly idempotencyKey?: string | null;
  readonly values: CreateSupplierValues;
}
export interface CreateSupplierValues {
  readonly name: string;
  readonly country: SupplierCountry;
  readonly category?: string | null;
  readonly contactEmail?: string | null;
  readonly locationNumber?: string | number | null;
  readonly rating?: string | number | null;
  readonly paymentDays?: number | null;
  readonly active: boolean;
}
export interface ReplaceSupplierPayload {
  instance(): globalThis.Promise<Supplier | null>;
}
export interface ReplaceSupplierInput {
  readonly instanceId: string;
  readonly idempotencyKey?: string | null;
  readonly values: ReplaceSupplierValues;
}
export interface ReplaceSupplierValues {
  readonly name?: string | null;
  readonly country?: SupplierCountry | null;
  readonly category?: string | null;
  readonly contactEmail?: string | null;
  readonly locationNumber?: string | number | null;
  readonly rating?: string | number | null;
  readonly paymentDays?: number | null;
  readonly active?: boolean | null;
}
export interface UpdateSupplierPayload {
  instance(): globalThis.Promise<Supplier | null>;
}
export interface UpdateSupplierInput {
  readonly instanceId: string;
  readonly idempotencyKey?: string | null;
  readonly values: UpdateSupplierValues;
}
export interface UpdateSupplierValues {
  readonly name?: string | null;
  readonly country?: SupplierCountry | null;
  readonly category?: string | null;
  readonly contactEmail?: string | null;
  readonly locationNumber?: string | number | null;
  readonly rating?: string | number | null;
  readonly paymentDays?: number | null;
  readonly active?: boolean | null;
}
export interface DeleteSupplierPayload {
  readonly deletedId: string;
}
export interface DeleteSupplierInput {
  readonly instanceId: string;
  readonly idempotencyKey?: string | null;
}
export interface SubmitPurchaseRequestPayload {
  readonly purchaseRequest: PurchaseRequest;
  readonly case: Case;
}
export interface SubmitPurchaseRequestInput {
  readonly title: string;
  readonly amount: string | number;
  readonly requester: string;
}
