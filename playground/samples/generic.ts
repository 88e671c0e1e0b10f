import createInstance from './create-instance.graphql';
import createInstances from './create-instances.graphql';
import deleteInstance from './delete-instance.graphql';
import executeActivity from './execute-activity.graphql';
import executeRule from './execute-rule.graphql';
import listForms from './list-forms.graphql';
import listInstances from './list-instances.graphql';
import readForm from './read-form.graphql';
import readInstance from './read-instance.graphql';
import readRule from './read-rule.graphql';
import replaceInstance from './replace-instance.graphql';
import type { Fill, Sample } from './sample.ts';
import anyPurchaseRequest from './sources/any-purchase-request.graphql';
import newCase from './sources/new-case.graphql';
import newExpense from './sources/new-expense.graphql';
import newPurchaseRequest from './sources/new-purchase-request.graphql';
import samplePurchaseRequest from './sources/sample-purchase-request.graphql';
import startCase from './start-case.graphql';
import token from './token.graphql';
import updateInstance from './update-instance.graphql';
import watchInstances from './watch-instances.graphql';

const FIRST_REQUEST: Fill = {
  variables: ['instanceId'],
  note: 'Run looks up the first purchase request.',
  sources: [anyPurchaseRequest, newPurchaseRequest],
};
const SAMPLE_REQUEST: Fill = {
  variables: ['instanceId'],
  note: 'Run looks up "Standing desks (sample)", or makes it.',
  sources: [samplePurchaseRequest, newPurchaseRequest],
};
const NEW_EXPENSE: Fill = {
  variables: ['instanceId'],
  note: 'Run first makes an expense, to have one to delete.',
  sources: [newExpense],
};
const NEW_CASE: Fill = {
  variables: ['caseId', 'activityId'],
  note: 'Run first starts a case, then advances it.',
  sources: [newCase],
};

/**
 * The samples of the generic graph: at least one for each operation of the platform, in the
 * interface's order.
 */
export const GENERIC_SAMPLES: readonly Sample[] = [
  { name: 'Token', operation: 'getToken', group: 'Generic: forms', kind: 'query', query: token },
  {
    name: 'ListForms',
    operation: 'getForms',
    group: 'Generic: forms',
    kind: 'query',
    query: listForms,
  },
  {
    name: 'ReadForm',
    operation: 'getForm',
    group: 'Generic: forms',
    kind: 'query',
    query: readForm,
  },
  {
    name: 'ListInstances',
    operation: 'getFormIntances',
    group: 'Generic: instances',
    kind: 'query',
    query: listInstances,
  },
  {
    name: 'WatchInstances',
    operation: 'getFormIntances',
    group: 'Generic: instances',
    kind: 'subscription',
    query: watchInstances,
  },
  {
    name: 'ReadInstance',
    operation: 'getFormIntance',
    group: 'Generic: instances',
    kind: 'query',
    query: readInstance,
    fill: FIRST_REQUEST,
  },
  {
    name: 'CreateInstance',
    operation: 'createFormIntance',
    group: 'Generic: instances',
    kind: 'mutation',
    query: createInstance,
  },
  {
    name: 'CreateInstances',
    operation: 'createFormIntance',
    group: 'Generic: instances',
    kind: 'mutation',
    query: createInstances,
  },
  {
    name: 'ReplaceInstance',
    operation: 'updateFormIntance',
    group: 'Generic: instances',
    kind: 'mutation',
    query: replaceInstance,
    fill: SAMPLE_REQUEST,
  },
  {
    name: 'UpdateInstance',
    operation: 'updateValuesOfFormIntance',
    group: 'Generic: instances',
    kind: 'mutation',
    query: updateInstance,
    fill: SAMPLE_REQUEST,
  },
  {
    name: 'DeleteInstance',
    operation: 'deleteFormIntance',
    group: 'Generic: instances',
    kind: 'mutation',
    query: deleteInstance,
    fill: NEW_EXPENSE,
  },
  { name: 'StartCase', operation: 'startCase', group: 'Cases', kind: 'mutation', query: startCase },
  {
    name: 'ExecuteActivity',
    operation: 'executeCurrentActivity',
    group: 'Cases',
    kind: 'mutation',
    query: executeActivity,
    fill: NEW_CASE,
  },
  { name: 'ReadRule', operation: 'getParameters', group: 'Rules', kind: 'query', query: readRule },
  {
    name: 'ExecuteRule',
    operation: 'execute',
    group: 'Rules',
    kind: 'mutation',
    query: executeRule,
  },
];
