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

/** Names forms by their ids, with titles and choices. */
const nameAll = (
  forms: Readonly<Record<string, { readonly title?: string; readonly choices?: string[] }>>,
  aliases: Aliases = new Map(),
) =>
  nameForms(
    Object.entries(forms).map(([formId, { title, choices = [] }]) => ({ formId, title, choices })),
    aliases,
    OWN,
  );

/** The names of types, by the forms' ids. */
const typesOf = (ids: readonly string[], aliases?: Aliases) => {
  const { names } = nameAll(Object.fromEntries(ids.map((id) => [id, {}])), aliases);
  return Object.fromEntries([...names].map(([formId, { type }]) => [formId, type]));
};

const aliasesOf = (names: Readonly<Record<string, string>>): Aliases =>
  new Map(Object.entries(names).map(([formId, name]) => [formId, { name, fields: new Map() }]));

const withSuffix = (name: string) => expect.stringMatching(new RegExp(`^${name}_[0-9a-f]{8}$`));

describe('a form', () => {
  it.each<[formId: string, type: string, many: string, title?: string]>([
    ['purchase-request', 'PurchaseRequest', 'purchaseRequests'],
    ['PurchaseOrder', 'PurchaseOrder', 'purchaseOrders'],
    ['FRM_001', 'Frm001', 'frm001s', 'Travel'],
    ['HR.Leave', 'HrLeave', 'hrLeaves'],
    ['contrato-de-prestação', 'ContratoDePrestacao', 'contratoDePrestacaos'],
    ['2024 plan', 'Form2024Plan', 'form2024Plans'],
    ['1042', 'CreditNote', 'creditNotes', 'Credit note'],
    ['8a6e0804-2bd0-4672-b79d-d97027f9071a', 'Asset', 'assets', 'Asset'],
    ['company', 'Company', 'companies'],
    ['box', 'Box', 'boxes'],
    ['news', 'News', 'newsInstances'],
  ])('%s is %s, queried as a list by %s', (formId, type, many, title) => {
    const { names } = nameAll({ [formId]: title === undefined ? {} : { title } });

    const one = type.charAt(0).toLowerCase() + type.slice(1);
    expect(names.get(formId)).toMatchObject({ type, one, many });
  });

  it.each([
    ['query', 'Query'],
    ['Rule', 'Rule'],
    ['viewer', 'Viewer'],
    ['漢字', 'Form'],
    ['text-filter-input', 'TextFilterInput'],
  ])('%s, whose name the graph already has, gets a suffix', (formId, type) => {
    expect(typesOf([formId])).toEqual({ [formId]: withSuffix(type) });
  });

  it('gets a suffix where another form claims its name, and so does that', () => {
    const types = typesOf(['FRM_001', 'frm-001', 'supplier']);

    expect(types).toEqual({
      supplier: 'Supplier',
      FRM_001: withSuffix('Frm001'),
      'frm-001': withSuffix('Frm001'),
    });
    expect(types['frm-001']).not.toBe(types['FRM_001']);
  });

  it('keeps its names where a derived name is taken, which alone gets a suffix', () => {
    const { names } = nameAll({
      request: { choices: ['status', 'kind'] },
      requests: {},
      'request-status': {},
      'request-connection': {},
      'create-request': {},
    });

    const { request, ...others } = Object.fromEntries(names);
    expect(request).toMatchObject({
      type: 'Request',
      one: 'request',
      many: withSuffix('requests'),
      connection: withSuffix('RequestConnection'),
      edge: 'RequestEdge',
      filter: 'RequestFilterInput',
      // A mutation and a query may have one name.
      changes: { create: { field: 'createRequest', input: 'CreateRequestInput' } },
    });
    expect(request?.enums.get('status')?.type).toEqual(withSuffix('RequestStatus'));
    expect(request?.enums.get('kind')).toEqual({
      type: 'RequestKind',
      filter: 'RequestKindFilterInput',
    });
    for (const { type } of Object.values(others)) expect(type).not.toContain('_');
  });

  it('has a suffix in each derived name that two forms derive', () => {
    const { names } = nameAll({
      purchase: { choices: ['requestStatus'] },
      'purchase-request': { choices: ['status'] },
    });

    for (const { enums } of names.values())
      expect([...enums.values()]).toMatchObject([{ type: withSuffix('PurchaseRequestStatus') }]);
  });
});

describe('an alias', () => {
  it('is used unchanged, and a form with that derived name gets a suffix', () => {
    const types = typesOf(['FRM_001', 'supplier'], aliasesOf({ FRM_001: 'Supplier' }));

    expect(types).toEqual({ FRM_001: 'Supplier', supplier: withSuffix('Supplier') });
  });

  it('may have a plural of its own', () => {
    const alias = { name: 'Contrato', plural: 'contratos', fields: new Map() };
    const { names } = nameAll({ form: {} }, new Map([['form', alias]]));

    expect(names.get('form')).toMatchObject({
      type: 'Contrato',
      one: 'contrato',
      many: 'contratos',
    });
  });

  it.each(['Query', 'viewer', 'Bad-Name', 'Viewer'])('%s is rejected, with the reason', (name) => {
    const { names, refused } = nameAll({ a: {}, b: {} }, aliasesOf({ a: name }));

    expect([...names.keys()]).toEqual(['b']);
    expect(refused.get('a')).toContain(name);
  });

  it('of two forms is rejected for both', () => {
    const { refused } = nameAll({ a: {}, b: {}, c: {} }, aliasesOf({ a: 'C', b: 'C' }));

    expect([...refused.keys()]).toEqual(['a', 'b']);
  });
});

describe('a field', () => {
  it.each<[name: string, expected: string, label?: string]>([
    ['amount', 'amount'],
    ['Needed_By', 'neededBy'],
    ['needed by', 'neededBy'],
    ['URLOfOrder', 'urlOfOrder'],
    ['2nd try', 'field2ndTry'],
    ['été', 'ete'],
    ['1001', 'totalAmount', 'Total amount'],
    ['金額', 'amount', 'Amount'],
    ['金額', 'field'],
    ['value', 'value_'],
    ['__typename', 'typename'],
    ['constructor', 'constructor_'],
  ])('%s is %s', (name, expected, label) => {
    expect(nameFields([{ name, label }], { own: new Set(['value']) }).get(name)).toBe(expected);
  });

  it('gets a suffix where another one claims its name, and so does that', () => {
    const names = nameFields(['needed by', 'needed-by', 'amount'].map((name) => ({ name })));

    expect(Object.fromEntries(names)).toEqual({
      amount: 'amount',
      'needed by': withSuffix('neededBy'),
      'needed-by': withSuffix('neededBy'),
    });
    expect(new Set(names.values()).size).toBe(3);
  });

  it('gives way to an alias', () => {
    const chosen = new Map([['betrag', 'amount']]);
    const names = nameFields([{ name: 'amount' }, { name: 'betrag' }], { chosen });

    expect(Object.fromEntries(names)).toEqual({ betrag: 'amount', amount: withSuffix('amount') });
  });
});

describe('an enum value', () => {
  it.each<[text: string, expected: string, label?: string]>([
    ['in progress', 'IN_PROGRESS'],
    ['inProgress', 'IN_PROGRESS'],
    ['AT', 'AT'],
    ['1st', '_1ST'],
    ['1', '_1'],
    ['1', 'LOW', 'Low'],
    ['true', 'TRUE', 'Yes'],
  ])('%s is %s', (text, expected, label) => {
    expect(nameChoices([{ text, label }]).get(text)).toBe(expected);
  });

  it('gets a suffix if another value has its name or if it has no letters', () => {
    const texts = ['draft', 'Draft', 'done', '下書き', '完成'];
    const names = [...nameChoices(texts.map((text) => ({ text }))).values()];

    expect(names).toEqual([
      withSuffix('DRAFT'),
      withSuffix('DRAFT'),
      'DONE',
      withSuffix('VALUE'),
      withSuffix('VALUE'),
    ]);
    expect(new Set(names).size).toBe(5);
  });
});
