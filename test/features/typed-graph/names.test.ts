import { describe, expect, it } from 'vitest';
import {
  type Aliases,
  nameChoices,
  nameFields,
  nameForms,
} from '../../../src/features/typed-graph/names.ts';

const OWN = {
  types: new Set(['Query', 'Form', 'Rule', 'Instance', 'Node', 'TextFilterInput']),
  queries: new Set(['form', 'forms', 'rule', 'node', 'viewer']),
  mutations: new Set(['createInstance', 'signIn']),
};

interface Given {
  readonly formId: string;
  readonly title?: string;
  readonly choices?: readonly string[];
}

const nameAll = (forms: readonly (string | Given)[], aliases: Aliases = new Map()) =>
  nameForms(
    forms
      .map((form) => (typeof form === 'string' ? { formId: form } : form))
      .map(({ formId, title, choices = [] }: Given) => ({ formId, title, choices })),
    aliases,
    OWN,
  );

const alias = (name: string, plural?: string) => ({ name, plural, fields: new Map() });

/** The names of types, by the forms' ids. */
const typesOf = (...given: Parameters<typeof nameAll>) =>
  Object.fromEntries([...nameAll(...given).names].map(([formId, { type }]) => [formId, type]));

/** Form ids of all kinds, each with its names if no other form claims them. */
const IDS: readonly (readonly [
  formId: string,
  title: string | undefined,
  type: string,
  one: string,
  many: string,
])[] = [
  ['purchase-request', undefined, 'PurchaseRequest', 'purchaseRequest', 'purchaseRequests'],
  ['PurchaseOrder', undefined, 'PurchaseOrder', 'purchaseOrder', 'purchaseOrders'],
  ['FRM_001', 'Travel', 'Frm001', 'frm001', 'frm001s'],
  ['HR.Leave', undefined, 'HrLeave', 'hrLeave', 'hrLeaves'],
  [
    'contrato-de-prestação',
    undefined,
    'ContratoDePrestacao',
    'contratoDePrestacao',
    'contratoDePrestacaos',
  ],
  ['2024 plan', undefined, 'Form2024Plan', 'form2024Plan', 'form2024Plans'],
  ['1042', 'Credit note', 'CreditNote', 'creditNote', 'creditNotes'],
  ['8a6e0804-2bd0-4672-b79d-d97027f9071a', 'Asset', 'Asset', 'asset', 'assets'],
  ['company', undefined, 'Company', 'company', 'companies'],
  ['box', undefined, 'Box', 'box', 'boxes'],
  ['news', undefined, 'News', 'news', 'newsInstances'],
];

describe('a form', () => {
  it.each(IDS)('%s (%s) is %s, queried as %s and %s', (formId, title, type, one, many) => {
    const { names } = nameAll([{ formId, ...(title !== undefined && { title }) }]);

    expect(names.get(formId)).toMatchObject({ type, one, many });
  });

  it.each([
    ['query', 'Query_'],
    ['Rule', 'Rule_'],
    ['viewer', 'Viewer_'],
    ['漢字', 'Form_'],
    ['text-filter-input', 'TextFilterInput_'],
  ])('%s, whose name the graph already has, gets a suffix', (formId, stem) => {
    expect(typesOf([formId])[formId]).toMatch(new RegExp(`^${stem}[0-9a-f]{8}$`));
  });

  it('gets a suffix where another form claims its name, and so does that', () => {
    const types = typesOf(['FRM_001', 'frm-001', 'supplier']);

    expect(types['supplier']).toBe('Supplier');
    expect(types['FRM_001']).toMatch(/^Frm001_[0-9a-f]{8}$/);
    expect(types['frm-001']).toMatch(/^Frm001_[0-9a-f]{8}$/);
    expect(types['frm-001']).not.toBe(types['FRM_001']);
  });

  it('keeps its names where a derived name is taken, which alone gets a suffix', () => {
    const { names } = nameAll([
      { formId: 'request', choices: ['status', 'kind'] },
      'requests',
      'request-status',
      'request-connection',
      'create-request',
    ]);

    const request = names.get('request');
    expect(request).toMatchObject({
      type: 'Request',
      one: 'request',
      edge: 'RequestEdge',
      filter: 'RequestFilterInput',
    });
    expect(request?.many).toMatch(/^requests_[0-9a-f]{8}$/);
    expect(request?.connection).toMatch(/^RequestConnection_[0-9a-f]{8}$/);
    expect(request?.enums.get('status')?.type).toMatch(/^RequestStatus_[0-9a-f]{8}$/);
    expect(request?.enums.get('kind')).toEqual({
      type: 'RequestKind',
      filter: 'RequestKindFilterInput',
    });
    // A mutation and a query may have one name.
    expect(request?.changes.create).toMatchObject({
      field: 'createRequest',
      input: 'CreateRequestInput',
    });
    for (const id of ['requests', 'request-status', 'request-connection', 'create-request'])
      expect(names.get(id)?.type).not.toContain('_');
  });

  it('has a suffix in each derived name that two forms derive', () => {
    const { names } = nameAll([
      { formId: 'purchase', choices: ['requestStatus'] },
      { formId: 'purchase-request', choices: ['status'] },
    ]);

    for (const [id, field] of [
      ['purchase', 'requestStatus'],
      ['purchase-request', 'status'],
    ] as const)
      expect(names.get(id)?.enums.get(field)?.type).toMatch(/^PurchaseRequestStatus_[0-9a-f]{8}$/);
  });
});

describe('an alias', () => {
  it('is used unchanged, and a form with that derived name gets a suffix', () => {
    const types = typesOf(['FRM_001', 'supplier'], new Map([['FRM_001', alias('Supplier')]]));

    expect(types['FRM_001']).toBe('Supplier');
    expect(types['supplier']).toMatch(/^Supplier_[0-9a-f]{8}$/);
  });

  it('may have a plural of its own', () => {
    const { names } = nameAll(
      ['contrato'],
      new Map([['contrato', alias('Contrato', 'contratos')]]),
    );

    expect(names.get('contrato')).toMatchObject({
      type: 'Contrato',
      one: 'contrato',
      many: 'contratos',
    });
  });

  it.each(['Query', 'viewer', 'Bad-Name', 'Viewer'])('%s is rejected, with the reason', (name) => {
    const { names, refused } = nameAll(['a', 'b'], new Map([['a', alias(name)]]));

    expect([...names.keys()]).toEqual(['b']);
    expect(refused.get('a')).toContain(name);
  });

  it('of two forms is rejected for both', () => {
    const { refused } = nameAll(
      ['a', 'b', 'c'],
      new Map([
        ['a', alias('C')],
        ['b', alias('C')],
      ]),
    );

    expect([...refused.keys()]).toEqual(['a', 'b']);
  });
});

describe('a field', () => {
  it.each([
    ['amount', undefined, 'amount'],
    ['Needed_By', undefined, 'neededBy'],
    ['needed by', undefined, 'neededBy'],
    ['URLOfOrder', undefined, 'urlOfOrder'],
    ['2nd try', undefined, 'field2ndTry'],
    ['été', undefined, 'ete'],
    ['1001', 'Total amount', 'totalAmount'],
    ['金額', 'Amount', 'amount'],
    ['金額', undefined, 'field'],
    ['value', undefined, 'value_'],
    ['__typename', undefined, 'typename'],
    ['constructor', undefined, 'constructor_'],
  ])('%s (%s) is %s', (name, label, given) => {
    expect(nameFields([{ name, label }], { own: new Set(['value']) }).get(name)).toBe(given);
  });

  it('gets a suffix where another one claims its name, and so does that', () => {
    const names = nameFields(['needed by', 'needed-by', 'amount'].map((name) => ({ name })));

    expect(names.get('amount')).toBe('amount');
    expect(names.get('needed by')).toMatch(/^neededBy_[0-9a-f]{8}$/);
    expect(names.get('needed-by')).toMatch(/^neededBy_[0-9a-f]{8}$/);
    expect(new Set(names.values()).size).toBe(3);
  });

  it('gives way to an alias', () => {
    const names = nameFields([{ name: 'amount' }, { name: 'betrag' }], {
      chosen: new Map([['betrag', 'amount']]),
    });

    expect(names.get('betrag')).toBe('amount');
    expect(names.get('amount')).toMatch(/^amount_[0-9a-f]{8}$/);
  });
});

describe('an enum value', () => {
  it.each([
    ['in progress', undefined, 'IN_PROGRESS'],
    ['inProgress', undefined, 'IN_PROGRESS'],
    ['AT', undefined, 'AT'],
    ['1st', undefined, '_1ST'],
    ['1', undefined, '_1'],
    ['1', 'Low', 'LOW'],
    ['true', 'Yes', 'TRUE'],
  ])('%s (%s) is %s', (text, label, name) => {
    expect(nameChoices([{ text, label }]).get(text)).toBe(name);
  });

  it('gets a suffix if another value has its name or if it has no letters', () => {
    const names = [
      ...nameChoices(
        ['draft', 'Draft', 'done', '下書き', '完成'].map((text) => ({ text })),
      ).values(),
    ];

    expect(names.map((name) => name.replace(/_[0-9a-f]{8}$/, '_'))).toEqual([
      'DRAFT_',
      'DRAFT_',
      'DONE',
      'VALUE_',
      'VALUE_',
    ]);
    expect(new Set(names).size).toBe(5);
  });
});
