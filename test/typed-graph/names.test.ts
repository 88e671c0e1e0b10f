import { describe, expect, it } from 'vitest';
import { nameChoices, nameEnums, nameFields, nameForm } from '../../src/typed-graph/names.ts';

const nameOf = (formId: string) => nameForm(formId, (name) => ['Query', 'Form', 'Rule'].includes(name));

describe('a form', () => {
  it.each([
    ['supplier', 'Supplier', 'supplier', 'suppliers'],
    ['purchase-request', 'PurchaseRequest', 'purchaseRequest', 'purchaseRequests'],
    ['purchase_request', 'Purchase_request', 'purchase_request', 'purchase_requests'],
    ['company', 'Company', 'company', 'companies'],
    ['box', 'Box', 'box', 'boxes'],
    ['news', 'News', 'newsInstance', 'newsInstances'],
    ['movie', 'Movie', 'movie', 'movieInstances'],
    ['FORM7', 'FORM7', 'FORM7', 'FORM7s'],
  ])('%s is %s, asked as %s and %s', (formId, type, one, many) => {
    expect(nameOf(formId)).toEqual({ type, one, many });
  });

  it.each([
    ['PurchaseRequest', 'PurchaseRequest_'],
    ['Purchase request', 'PurchaseRequest_'],
    ['2024 plan', 'Form2024Plan_'],
    ['Übergabe', 'Ubergabe_'],
    ['請求書', 'Form_'],
    ['query', 'Query_'],
    ['price-connection', 'PriceConnection_'],
    ['a', 'A_'],
    ['form_1a2b3c4d', 'Form1a2b3c4d_'],
  ])('%s, whose plain name is not its own, has a mark that its id alone decides', (formId, stem) => {
    expect(nameOf(formId).type).toMatch(new RegExp(`^${stem}[0-9a-f]{8}$`));
    expect(nameOf(formId)).toEqual(nameOf(formId));
  });
});

describe('a field', () => {
  it.each([
    ['amount', 'amount'],
    ['Needed_By', 'Needed_By'],
    ['needed by', 'neededBy'],
    ['needed-by', 'neededBy'],
    ['2nd try', 'field2ndTry'],
    ['été', 'ete'],
    ['金額', 'field'],
    ['value', 'value_'],
    ['__typename', 'typename'],
  ])('%s is %s', (field, name) => {
    expect(nameFields([field]).get(field)).toBe(name);
  });

  it('keeps a name that GraphQL can say, before others that would have it too', () => {
    const names = nameFields(['needed by', 'needed-by', 'neededBy']);

    expect(names.get('neededBy')).toBe('neededBy');
    expect(names.get('needed by')).toMatch(/^neededBy_[0-9a-f]{8}$/);
    expect(new Set(names.values()).size).toBe(3);
  });
});

describe('a choice', () => {
  it('is an enum named after the form and the field', () => {
    expect([...nameEnums('PurchaseRequest', ['status', 'Status', 'risk_level']).values()]).toEqual([
      'PurchaseRequest_Status',
      expect.stringMatching(/^PurchaseRequest_Status_[0-9a-f]{8}$/),
      'PurchaseRequest_RiskLevel',
    ]);
  });

  it.each([
    ['in progress', 'IN_PROGRESS'],
    ['inProgress', 'IN_PROGRESS'],
    ['AT', 'AT'],
    ['1st', '_1ST'],
    ['true', 'TRUE'],
  ])('names its value %s %s', (value, name) => {
    expect(nameChoices([value]).get(value)).toBe(name);
  });

  it('gives marks to values that read alike, or not at all', () => {
    const names = [...nameChoices(['draft', 'Draft', '下書き', '完成']).values()];

    expect(names[0]).toBe('DRAFT');
    expect(new Set(names).size).toBe(4);
    expect(names[2]).toMatch(/^VALUE_[0-9a-f]{8}$/);
  });
});
