import { describe, expect, it } from 'vitest';

import { createSandbox, DefinitionError } from '../../sandbox/index.ts';
import { writeFolder } from '../support/folder.ts';
import { openSandbox, USERS } from './support.ts';

/** The smallest valid definitions, which the tests make invalid. */
const FORM = `idForm: thing
name: Thing
version: "1"
fields:
  - { name: title, label: Title, type: text, required: true }
`;
const RULE = `cdComponent: a
cdVersion: "b-1"
descriptiveName: A rule
published: true
publishedForRest: true
inputs:
  - { name: amount, type: decimal }
outputs:
  - { name: level, type: integer, expression: amount + 1 }
`;
const PROCESS = `idProcess: p
name: P
variables:
  - { name: amount, type: decimal }
activities:
  - cdActivity: 1
    name: First
    next:
      - { to: 2 }
  - { cdActivity: 2, name: Last }
`;

/** Returns the problems of a folder of definitions. */
function problemsOf(files: Readonly<Record<string, string>>): readonly string[] {
  const definitions = writeFolder({ 'users.yaml': USERS, ...files });
  try {
    createSandbox({ file: ':memory:', definitions });
    return [];
  } catch (error) {
    if (error instanceof DefinitionError) return error.problems;
    throw error;
  }
}

describe('definitions', () => {
  it('may contain only users', () => {
    expect(problemsOf({})).toEqual([]);
  });

  it('validate every seed row like a created instance', () => {
    const data =
      'idForm: thing\ninstances:\n  - idInstance: 1\n    title: 7\n  - { idInstance: 1 }\n';
    expect(problemsOf({ 'forms/x.yaml': FORM, 'data/x.yaml': data })).toEqual([
      expect.stringMatching(
        /^data\/x.yaml:5: the instance .* is already defined at data\/x.yaml:3$/,
      ),
      'data/x.yaml:4: thing 1: "title" must be a text',
      'data/x.yaml:5: thing 1: "title" is required',
    ]);
  });

  it('reject two rules with the same path segment, and name both', () => {
    const other = RULE.replace('cdComponent: a', 'cdComponent: a-b').replace('"b-1"', '"1"');
    expect(problemsOf({ 'rules/one.yaml': RULE, 'rules/two.yaml': other })).toEqual([
      'rules/two.yaml:1: the rule "a-b" version "1" and the rule "a" version "b-1", defined at rules/one.yaml:1, have the same path segment "a-b-1"',
    ]);
  });

  it('report every problem at once', () => {
    const files = {
      'forms/x.yaml': FORM.replace('Thing', '""'),
      'rules/x.yaml': RULE.replace('true', 'maybe'),
    };
    expect(problemsOf(files)).toHaveLength(2);
    expect(() => createSandbox({ file: ':memory:', definitions: writeFolder(files) })).toThrow(
      /forms\/x.yaml:2.*\n.*rules\/x.yaml:4/,
    );
  });

  it('reject a missing folder', () => {
    expect(() => createSandbox({ file: ':memory:', definitions: '/nowhere/at/all' })).toThrow(
      'the folder does not exist',
    );
  });

  it('may have ids with slashes, spaces and any letter, each one segment of a path', async () => {
    const idForm = 'é/ü ?#%';
    const definitions = writeFolder({
      'users.yaml': USERS,
      'forms/x.yaml': FORM.replace('idForm: thing', `idForm: "${idForm}"`),
      'rules/x.yaml': RULE.replace('cdComponent: a', 'cdComponent: a/b c'),
    });
    const call = await (await openSandbox({ definitions })).as();
    const path = `/forms/${encodeURIComponent(idForm)}/instances`;

    const { headers, body } = await call('POST', path, { values: { title: 'x' } });
    const again = await call('GET', body.links[0]?.href.replace('/v1.0', '') ?? '');
    const rule = await call('PUT', `/rules/${encodeURIComponent('a/b c-b-1')}/get-parameters`);

    expect([headers.get('location'), body.idForm]).toEqual([`/v1.0${path}/1`, idForm]);
    expect(again.body).toEqual(body);
    expect(rule.body.name).toBe('a/b c');
  });
});

const MOON = USERS.replaceAll('demo', 'x').replace('forms: { "*"', 'forms: { moon');

describe.each<[file: string, rows: [what: string, text: string, problem: string][]]>([
  [
    'forms/x.yaml',
    [
      ['broken YAML', 'idForm: [', ':1: '],
      ['a missing member', FORM.replace('name: Thing\n', ''), ':1: name: is missing'],
      ['an unknown member', `${FORM}colour: red\n`, ':6: Unrecognized key: "colour"'],
    ],
  ],
  [
    'rules/x.yaml',
    [
      [
        'a version without quotes',
        RULE.replace('"b-1"', '1.0'),
        ':2: cdVersion: must be a text: write it in quotes',
      ],
      [
        'broken FEEL in a rule',
        RULE.replace('amount + 1', 'amount +'),
        ':9: the expression of "level" is invalid: ',
      ],
      [
        'FEEL over an unknown name',
        RULE.replace('amount + 1', 'price + 1'),
        ':9: the expression of "level" is invalid: ',
      ],
    ],
  ],
  [
    'processes/x.yaml',
    [
      [
        'broken FEEL in a process',
        PROCESS.replace('{ to: 2 }', '{ when: amount >, to: 2 }'),
        ':9: the condition "amount >" is invalid: ',
      ],
      [
        'a way to no activity',
        PROCESS.replace('to: 2', 'to: 9007199254740993'),
        ':9: the next activity 9007199254740993 is not defined',
      ],
      [
        'no way out',
        PROCESS.replace('{ to: 2 }', '{ when: amount > 1, to: 2 }'),
        ':9: the last "next" of "First" must have no condition',
      ],
      [
        'an activity twice',
        PROCESS.replace('cdActivity: 2', 'cdActivity: 1'),
        ':10: the activity "1" is already defined at processes/x.yaml:6',
      ],
    ],
  ],
  [
    'users/more.yaml',
    [
      ['a permission for nothing', MOON, ':7: "moon" is not defined under forms'],
      ['a user twice', USERS, ':3: the user "demo" is already defined at users.yaml:3'],
    ],
  ],
  [
    'data/x.yaml',
    [['rows of no form', 'idForm: moon\ninstances: []\n', ':1: the form "moon" is not defined']],
  ],
])('%s', (file, rows) => {
  it.each(rows)('with %s is reported by its name and line', (_what, text, problem) => {
    expect(problemsOf({ [file]: text })).toContainEqual(expect.stringContaining(file + problem));
  });
});

it.each([
  ['an unknown type', 'name: a, label: A, type: money', 'fields.1.type: '],
  [
    'a field twice',
    'name: title, label: A, type: text',
    'the field "title" is already defined at forms/x.yaml:5',
  ],
  [
    'a reserved field',
    'name: idInstance, label: A, type: text',
    'the field "idInstance" is a reserved name',
  ],
  [
    'a choice without options',
    'name: a, label: A, type: choice',
    'the field "a" is a choice without options',
  ],
  [
    'a reference to nowhere',
    'name: a, label: A, type: reference, reference: moon',
    'the field "a" refers to the form "moon", which is not defined',
  ],
  [
    'a min above its max',
    'name: a, label: A, type: integer, min: 2, max: 1',
    'the field "a" has a min above its max',
  ],
  ['a name that no JSON path could carry', `name: 'a"b', label: A, type: text`, 'fields.1.name: '],
])('a form with %s is reported by its file and line', (_what, field, problem) => {
  expect(problemsOf({ 'forms/x.yaml': `${FORM}  - { ${field} }\n` })).toContainEqual(
    expect.stringContaining(`forms/x.yaml:6: ${problem}`),
  );
});
