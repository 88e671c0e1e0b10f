import { describe, expect, it } from 'vitest';

import { USERS } from './folder.ts';
import { FORM, PROCESS, problemsOf, RULE } from './samples.ts';

const form = (field: string) => `${FORM}  - ${field}\n`;

describe('definitions', () => {
  it.each<[string, string, string, string]>([
    ['broken YAML', 'forms/x.yaml', 'idForm: [', 'forms/x.yaml:1: '],
    ['a missing member', 'forms/x.yaml', FORM.replace('name: Thing\n', ''), 'forms/x.yaml:1: name: is missing'],
    ['an unknown member', 'forms/x.yaml', `${FORM}colour: red\n`, 'forms/x.yaml:6: Unrecognized key: "colour"'],
    [
      'an unknown field type',
      'forms/x.yaml',
      form('{ name: a, label: A, type: money }'),
      'forms/x.yaml:6: fields.1.type: ',
    ],
    [
      'a field twice',
      'forms/x.yaml',
      form('{ name: title, label: A, type: text }'),
      'forms/x.yaml:6: the field "title" is already defined at forms/x.yaml:5',
    ],
    [
      'a reserved field',
      'forms/x.yaml',
      form('{ name: idInstance, label: A, type: text }'),
      'forms/x.yaml:6: the field "idInstance" is a reserved name',
    ],
    [
      'a choice without options',
      'forms/x.yaml',
      form('{ name: a, label: A, type: choice }'),
      'forms/x.yaml:6: the field "a" is a choice without options',
    ],
    [
      'a reference to nowhere',
      'forms/x.yaml',
      form('{ name: a, label: A, type: reference, reference: moon }'),
      'forms/x.yaml:6: the field "a" refers to the form "moon", which is not defined',
    ],
    [
      'a min above its max',
      'forms/x.yaml',
      form('{ name: a, label: A, type: integer, min: 2, max: 1 }'),
      'forms/x.yaml:6: the field "a" has a min above its max',
    ],
    [
      'a name that no JSON path could carry',
      'forms/x.yaml',
      form(`{ name: 'a"b', label: A, type: text }`),
      'forms/x.yaml:6: fields.1.name: ',
    ],
    [
      'a version without quotes',
      'rules/x.yaml',
      RULE.replace('"b-1"', '1.0'),
      'rules/x.yaml:2: cdVersion: must be a text: write it in quotes',
    ],
    [
      'broken FEEL in a rule',
      'rules/x.yaml',
      RULE.replace('amount + 1', 'amount +'),
      'rules/x.yaml:9: the expression of "level" is invalid: ',
    ],
    [
      'FEEL over an unknown name',
      'rules/x.yaml',
      RULE.replace('amount + 1', 'price + 1'),
      'rules/x.yaml:9: the expression of "level" is invalid: ',
    ],
    [
      'broken FEEL in a process',
      'processes/x.yaml',
      PROCESS.replace('{ to: 2 }', '{ when: amount >, to: 2 }'),
      'processes/x.yaml:9: the condition "amount >" is invalid: ',
    ],
    [
      'a way to no activity',
      'processes/x.yaml',
      PROCESS.replace('to: 2', 'to: 9007199254740993'),
      'processes/x.yaml:9: the next activity 9007199254740993 is not defined',
    ],
    [
      'no way out',
      'processes/x.yaml',
      PROCESS.replace('{ to: 2 }', '{ when: amount > 1, to: 2 }'),
      'the last "next" of "First" must have no condition',
    ],
    [
      'an activity twice',
      'processes/x.yaml',
      PROCESS.replace('cdActivity: 2', 'cdActivity: 1'),
      'processes/x.yaml:10: the activity "1" is already defined at processes/x.yaml:6',
    ],
    [
      'a permission for nothing',
      'users/more.yaml',
      USERS.replaceAll('demo', 'x').replace('forms: { "*"', 'forms: { moon'),
      'users/more.yaml:7: "moon" is not defined under forms',
    ],
    ['a user twice', 'users/more.yaml', USERS, 'users/more.yaml:3: the user "demo" is already defined at users.yaml:3'],
    [
      'rows of no form',
      'data/x.yaml',
      'idForm: moon\ninstances: []\n',
      'data/x.yaml:1: the form "moon" is not defined',
    ],
  ])('report %s by file and line', (_what, file, text, problem) => {
    expect(problemsOf({ [file]: text })).toContainEqual(expect.stringContaining(problem));
  });
});
