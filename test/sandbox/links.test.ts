import { describe, expect, it } from 'vitest';

import { openCalls, openSandbox } from './support.ts';

const link = (rel: string, path: string, ...methods: string[]) => ({
  rel,
  href: `/v1.0/forms/${path}`,
  methods,
});

describe('links', () => {
  it('of an instance lead to itself, to its form and to every instance it refers to, by field', async () => {
    const call = await openCalls();
    expect((await call('GET', '/forms/expense/instances/15')).body.links).toEqual([
      link('self', 'expense/instances/15', 'GET', 'PUT', 'PATCH', 'DELETE'),
      link('form', 'expense', 'GET'),
      link('employee', 'employee/instances/7', 'GET', 'PUT', 'PATCH', 'DELETE'),
      link('purchaseRequest', 'purchase-request/instances/7', 'GET', 'PUT', 'PATCH', 'DELETE'),
    ]);
  });

  it('list the methods that the caller may use, and no others', async () => {
    const call = await openCalls('clerk');
    expect((await call('GET', '/forms/expense/instances/15')).body.links).toEqual([
      link('self', 'expense/instances/15', 'GET', 'PUT', 'PATCH'),
      link('form', 'expense', 'GET'),
      link('employee', 'employee/instances/7'),
      link('purchaseRequest', 'purchase-request/instances/7', 'GET'),
    ]);
  });

  it('omit empty references', async () => {
    const call = await openCalls();
    const { links } = (await call('GET', '/forms/employee/instances/1')).body;
    expect(links.map(({ rel }) => rel)).toEqual(['self', 'form']);
  });

  it('of a form lead to its instances, and show whether one may be created', async () => {
    const sandbox = await openSandbox();
    const linksOf = async (user: string) =>
      (await (await sandbox.as(user))('GET', '/forms/supplier')).body.links;
    expect(await linksOf('demo')).toEqual([
      link('self', 'supplier', 'GET'),
      link('instances', 'supplier/instances', 'GET', 'POST'),
    ]);
    expect(await linksOf('reader')).toContainEqual(link('instances', 'supplier/instances', 'GET'));
  });
});
