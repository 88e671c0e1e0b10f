import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { startPlatform } from '../identity/support.ts';
import { writeFolder } from '../support/folder.ts';
import { runCommand, runMain } from '../support/run.ts';

const LIST = `query Suppliers($first: Int!, $full: Boolean!) {
  instances(formId: "supplier", first: $first) { nodes { values form @include(if: $full) { name } } }
}`;
const explain = (...args: string[]) => runCommand(['explain', ...args]);

describe('npm run explain', () => {
  it('lists for every operation its calls and the assumptions', async () => {
    const folder = writeFolder({
      'list.graphql': LIST,
      'two.graphql': 'query A { forms { totalCount } } mutation B { signOut { viewer { name } } }',
      'node.graphql': 'query Node($id: ID!) { node(id: $id) { id } }',
      'manifest.json': { x: '{ rule(component: "a", version: "1") { name } }' },
    });

    const { code, stdout, stderr } = await explain(folder);

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(
      `${folder}/list.graphql: query Suppliers\n  at most 2 calls, 120 are allowed;`,
    );
    expect(stdout).toMatch(
      / 1 × getForm +instances\.nodes\.form, in 100 objects\n {2}assumed: \$first = 100\n/,
    );
    expect(stdout).toContain(`${folder}/two.graphql: query A\n  at most 1 calls`);
    expect(stdout).toContain(`${folder}/two.graphql: mutation B\n  at most 0 calls`);
    expect(stdout).toContain(`${folder}/node.graphql: query Node\n  at most 1 calls`);
    expect(stdout).toContain(
      `${folder}/manifest.json: "x": query (without a name)\n  at most 1 calls`,
    );
  });

  it('accepts variables, patterns and a maximum, and exits with 1 above it', async () => {
    const folder = writeFolder({
      'a/list.graphql': LIST,
      'b/deep.graphql':
        'query Deep($n: Int!) { forms(first: $n) { nodes { instances { totalCount } } } }',
      'variables.json.txt': { n: 4, first: 2, full: false },
    });
    const given = [join(folder, '**/*.graphql'), '--variables', join(folder, 'variables.json.txt')];

    const within = await explain(...given, '--max-calls', '5');
    const above = await explain(...given, '--max-calls', '4');

    expect(within).toMatchObject({ code: 0, stderr: '' });
    expect(within.stdout).toMatch(/Suppliers\n {2}at most 1 calls, 5 are allowed/);
    expect(above.code).toBe(1);
    expect(above.stdout).toMatch(/Deep\n {2}at most 5 calls, 4 are allowed[^\n]*\n {2}TOO MUCH/);
    expect(above.stderr).toBe(
      `1 of 2 operations may cost too much:\n  ${folder}/b/deep.graphql: Deep, 5 calls\n`,
    );
  });

  it('knows the types of forms in a snapshot', async () => {
    const folder = writeFolder({
      'typed.graphql': `query Dearest { purchaseRequests(orderBy: [{ field: AMOUNT, direction: DESC }]) {
        nodes { amount supplier { name } requester { manager { name } } }
      } }`,
    });
    const file = join(folder, 'typed.graphql');
    const snapshot = join(folder, 'forms.snapshot');
    await runCommand(['schema'], { TYPED_SNAPSHOT: snapshot });

    const known = await explain(file, '--snapshot', snapshot);
    const unknown = await explain(file, '--generic');

    expect(known.stdout).toContain('query Dearest\n  at most 4 calls');
    expect(unknown).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Cannot query field "purchaseRequests"'),
    });
  });

  it.each([
    ['query A($by: SupplierCountField!) { supplierCounts(by: $by) { count } }', 13],
    [
      `query A($a: ID!, $b: ID!, $no: Boolean!) {
        a: instance(formId: $a, instanceId: 1) { values }
        b: instance(formId: $b, instanceId: 1) { values }
        forms @skip(if: $no) { totalCount }
      }`,
      3,
    ],
    ['query A($a: PurchaseRequestFilterInput) { purchaseRequests(where: $a) { totalCount } }', 3],
    [
      'query A($a: SupplierReferenceFilterInput) { purchaseRequests(where: { supplier: $a }) { totalCount } }',
      2,
    ],
    ['query A($a: SupplierFilterInput) { suppliers(where: $a) { totalCount } }', 1],
    [
      'query A($a: PurchaseRequestFilterInput = {}) { purchaseRequests(where: $a) { totalCount } }',
      1,
    ],
    ['mutation A($a: UpdateSupplierInput!) { updateSupplier(input: $a) { __typename } }', 2],
    [
      'mutation A($a: JSONObject) { deleteInstance(input: { formId: "supplier", instanceId: 1, expected: $a }) { __typename } }',
      2,
    ],
    ['mutation A($a: CreateSuppliersInput!) { createSuppliers(input: $a) { done } }', 100],
    [
      'mutation A($a: [UpdateSuppliersItem!]!) { updateSuppliers(input: { items: $a }) { done } }',
      102,
    ],
  ])('takes the dearest value for a variable without a value: %s', async (document, calls) => {
    const { stdout } = await explain(writeFolder({ 'a.graphql': document }));

    expect(stdout).toContain(` A\n  at most ${calls} calls`);
  });

  it('knows the types of the sandbox’s forms, so that the query of the README is explained', async () => {
    const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');
    const [, query = ''] = /^```graphql\n(.*?)^```$/ms.exec(readme) ?? [];

    const { code, stdout, stderr } = await explain(writeFolder({ 'readme.graphql': query }));

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.match(/^ +\d+ × .*$/gm)?.map((line) => line.trim().replace(/ +/g, ' '))).toEqual([
      '1 × getFormIntances purchaseRequests',
      '1 × getFormIntances purchaseRequests.nodes.supplier, in 2 objects',
      '1 × getFormIntances purchaseRequests.nodes.requester, in 2 objects',
    ]);
  });

  it('knows the types of the platform’s forms, and reads nothing else there', async () => {
    const { url, calls } = await startPlatform();
    const folder = writeFolder({ 'a.graphql': '{ suppliers(first: 3) { nodes { name } } }' });
    const login = { UPSTREAM_USERNAME: 'demo', UPSTREAM_PASSWORD: 'demo' };

    const { code, stdout } = await runCommand(['explain', folder], { UPSTREAM_URL: url, ...login });
    const down = await runCommand(['explain', folder], {
      UPSTREAM_URL: 'http://127.0.0.1:9',
      ...login,
    });

    expect(code).toBe(0);
    expect(stdout).toContain('1 × getFormIntances');
    expect(calls.filter((call) => !/getToken|getForms? /.test(call))).toEqual([]);
    expect(down).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('unavailable'),
    });
  });

  it('prints JSON', async () => {
    const folder = writeFolder({
      'a.graphql': 'query A { forms(first: 3) { nodes { instances { totalCount } } } }',
    });

    const { stdout, code } = await explain(join(folder, 'a.graphql'), '--json', '--max-calls=3');

    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toEqual({
      operations: [
        {
          file: `${folder}/a.graphql`,
          operation: 'A',
          kind: 'query',
          isWithin: false,
          calls: { most: 4, allowed: 3 },
          fields: { most: 8, allowed: 20_000 },
          steps: [
            { field: 'forms', operation: 'getForms', calls: 1, objects: 1 },
            { field: 'forms.nodes.instances', operation: 'getFormIntances', calls: 3, objects: 3 },
          ],
          assumed: {},
        },
      ],
    });
  });

  it('reports every invalid document with line and column, and exits with 2', async () => {
    const folder = writeFolder({
      'a.graphql': 'query A {\n  nothing\n}',
      'b.graphql': '{ forms {',
      'c.graphql': LIST,
    });

    const { code, stdout, stderr } = await explain(folder);

    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(`${folder}/a.graphql:2:3: Cannot query field "nothing"`);
    expect(stderr).toContain(`${folder}/b.graphql:1:10: Syntax Error`);
  });

  it.each([
    ['no document', []],
    ['a missing file', ['/nowhere']],
    ['a maximum that is not a number', ['./LIST', '--max-calls', 'many']],
    ['a missing variables file', ['./LIST', '--variables', '/nowhere']],
    ['variables of another type', ['./LIST', '--variables', './WRONG']],
    ['an unknown option', ['--maximum', '1']],
  ])('exits with 2 for %s', async (_what, args) => {
    const folder = writeFolder({ LIST, WRONG: { first: 'many' } });

    const { code, stderr } = await explain(...args.map((arg) => arg.replace('.', folder)));

    expect(code).toBe(2);
    expect(stderr).not.toBe('');
    expect(stderr).not.toMatch(/ {4}at /);
  });

  it('exits with the same code when its output is closed early', async () => {
    const folder = writeFolder({
      'a.graphql': 'query A { forms(first: 3) { nodes { instances { totalCount } } } }',
    });
    const { stopReading, ended } = runMain(['explain', folder, '--max-calls', '3']);
    stopReading();

    expect((await ended).code).toBe(1);
  });

  it('needs no platform settings for the generic graph, and respects COST_MAX_CALLS', async () => {
    const folder = writeFolder({ 'a.graphql': LIST });
    const env = { UPSTREAM_URL: 'nonsense', COST_MAX_CALLS: '1' };

    const { code, stdout } = await runCommand(['explain', folder, '--generic'], env);

    expect(code).toBe(1);
    expect(stdout).toContain('assumed: $first = 100');
  });
});
