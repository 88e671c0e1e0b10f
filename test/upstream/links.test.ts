import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import * as decoders from '../../src/upstream/decoders.ts';

const linksOf = (record: JsonObject, header?: string) =>
  decoders.linksOf({ record, header }, 'getForm');
const methodsOf = (record: JsonObject) => decoders.methodsOf({ record }, 'getFormIntance');

describe('links', () => {
  it.each<[record: JsonObject, header?: string]>([
    [{ links: [{ rel: 'edit', href: '/1', method: 'PUT' }] }],
    [{ links: [{ rel: 'edit', href: '/1', methods: ['put'] }] }],
    [{ _links: { edit: { href: '/1', method: 'put' } } }],
    [{ _links: { edit: [{ href: '/1', methods: ['PUT'] }] } }],
    [{}, '</1>; rel="edit"; method="PUT"'],
    [{}, '</1>;rel=edit;method=put'],
  ])('are read from %j, %s', (record, header) => {
    expect(linksOf(record, header)).toEqual([{ rel: 'edit', href: '/1', method: 'PUT' }]);
  });

  it('with several methods become one for each', () => {
    const links = linksOf({
      links: [{ rel: 'self', href: '/1', methods: ['GET', 'PUT', 'DELETE'] }],
    });

    expect(links.map(({ method }) => method)).toEqual(['GET', 'PUT', 'DELETE']);
  });

  it('with several rels become one for each', () => {
    expect(linksOf({}, '</2>; title="a, b"; rel="next last"')).toEqual([
      { rel: 'next', href: '/2' },
      { rel: 'last', href: '/2' },
    ]);
  });

  it('have no method unless the platform names one', () => {
    expect(linksOf({ _links: { self: { href: '/1' }, up: '/0' } })).toEqual([
      { rel: 'self', href: '/1' },
      { rel: 'up', href: '/0' },
    ]);
  });

  it('are read from all three places, in order', () => {
    const record = { links: [{ rel: 'a', href: '/a' }], _links: { b: { href: '/b' } } };

    expect(linksOf(record, '</c>; rel="c"').map(({ rel }) => rel)).toEqual(['a', 'b', 'c']);
  });

  it('without a target are dropped', () => {
    const record = {
      links: ['/a', null, { rel: 'b' }, { href: 1 }],
      _links: { c: null, d: 1, e: {} },
    };

    expect(linksOf(record, 'nonsense; rel="x", <>, </y>')).toEqual([]);
  });

  it('are at most a thousand', () => {
    const many = (count: number) => Array(count).fill({ rel: 'a', href: '/a' });

    expect(linksOf({ links: many(1_000) })).toHaveLength(1_000);
    expect(() => linksOf({ links: many(1_001) })).toThrow('getForm: malformed');
    expect(() => linksOf({ _links: { a: many(1_001) } })).toThrow('getForm: malformed');
    expect(() => methodsOf({ _links: { a: many(1_001) } })).toThrow('getFormIntance: malformed');
  });

  it('have each method once', () => {
    const methods = Array(1_000).fill('GET, GET');

    expect(linksOf({ links: [{ rel: 'self', href: '/1', methods }] })).toEqual([
      { rel: 'self', href: '/1', method: 'GET' },
    ]);
  });

  it('without a rel are related', () => {
    expect(linksOf({ links: [{ href: '/a' }] })).toEqual([{ rel: 'related', href: '/a' }]);
  });
});

describe('the allowed methods of a record', () => {
  it.each<JsonObject>([
    { methods: ['GET', 'PUT'] },
    { methods: 'get, put' },
    { links: [{ rel: 'self', href: '/1', methods: ['GET', 'PUT'] }] },
    // Another link to the address of `self`.
    {
      links: [
        { rel: 'self', href: '/1', method: 'GET' },
        { rel: 'update', href: '/1', method: 'PUT' },
      ],
    },
  ])('are read from %j', (record) => {
    expect(methodsOf(record)).toEqual(['GET', 'PUT']);
  });

  it('come from self only: another link names the methods of its own target', () => {
    const links = [
      { rel: 'self', href: '/forms/a/instances/1', methods: ['GET', 'PATCH'] },
      { rel: 'collection', href: '/forms/a/instances', methods: ['GET', 'POST'] },
      { rel: 'form', href: '/forms/a', methods: ['DELETE'] },
    ];

    expect(methodsOf({ links })).toEqual(['GET', 'PATCH']);
  });

  it('are unknown unless the platform names one', () => {
    expect(methodsOf({ links: [{ rel: 'self', href: '/1' }] })).toBeUndefined();
    expect(methodsOf({})).toBeUndefined();
  });

  it('are not read from a value of the same name', () => {
    expect(methodsOf({ amount: 3, method: 'card' })).toBeUndefined();
    expect(methodsOf({ method: `we get it by post, ${'or not '.repeat(30)}` })).toBeUndefined();
  });
});
