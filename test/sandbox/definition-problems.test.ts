import { expect, it } from 'vitest';

import { FORM, PROCESS, problemsOf, RULE, USERS } from './samples.ts';

type File = readonly [name: string, text: string];
const form = (text: string): File => ['forms/x.yaml', text];
const field = (text: string): File => form(`${FORM}  - { ${text} }\n`);
const rule = (right: string, wrong: string): File => ['rules/x.yaml', RULE.replace(right, wrong)];
const process = (right: string, wrong: string): File => [
  'processes/x.yaml',
  PROCESS.replace(right, wrong),
];
const users = (text: string): File => ['users/more.yaml', text];
const MOON = USERS.replaceAll('demo', 'x').replace('forms: { "*"', 'forms: { moon');

it.each<[string, File, string]>([
  ['broken YAML', form('idForm: ['), ':1: '],
  ['a missing member', form(FORM.replace('name: Thing\n', '')), ':1: name: is missing'],
  ['an unknown member', form(`${FORM}colour: red\n`), ':6: Unrecognized key: "colour"'],
  ['an unknown type', field('name: a, label: A, type: money'), ':6: fields.1.type: '],
  [
    'a field twice',
    field('name: title, label: A, type: text'),
    ':6: the field "title" is already defined at forms/x.yaml:5',
  ],
  [
    'a reserved field',
    field('name: idInstance, label: A, type: text'),
    ':6: the field "idInstance" is a reserved name',
  ],
  [
    'a choice without options',
    field('name: a, label: A, type: choice'),
    ':6: the field "a" is a choice without options',
  ],
  [
    'a reference to nowhere',
    field('name: a, label: A, type: reference, reference: moon'),
    ':6: the field "a" refers to the form "moon", which is not defined',
  ],
  [
    'a min above its max',
    field('name: a, label: A, type: integer, min: 2, max: 1'),
    ':6: the field "a" has a min above its max',
  ],
  [
    'a name that no JSON path could carry',
    field(`name: 'a"b', label: A, type: text`),
    ':6: fields.1.name: ',
  ],
  [
    'a version without quotes',
    rule('"b-1"', '1.0'),
    ':2: cdVersion: must be a text: write it in quotes',
  ],
  [
    'broken FEEL in a rule',
    rule('amount + 1', 'amount +'),
    ':9: the expression of "level" is invalid: ',
  ],
  [
    'FEEL over an unknown name',
    rule('amount + 1', 'price + 1'),
    ':9: the expression of "level" is invalid: ',
  ],
  [
    'broken FEEL in a process',
    process('{ to: 2 }', '{ when: amount >, to: 2 }'),
    ':9: the condition "amount >" is invalid: ',
  ],
  [
    'a way to no activity',
    process('to: 2', 'to: 9007199254740993'),
    ':9: the next activity 9007199254740993 is not defined',
  ],
  [
    'no way out',
    process('{ to: 2 }', '{ when: amount > 1, to: 2 }'),
    ':9: the last "next" of "First" must have no condition',
  ],
  [
    'an activity twice',
    process('cdActivity: 2', 'cdActivity: 1'),
    ':10: the activity "1" is already defined at processes/x.yaml:6',
  ],
  ['a permission for nothing', users(MOON), ':7: "moon" is not defined under forms'],
  ['a user twice', users(USERS), ':3: the user "demo" is already defined at users.yaml:3'],
  [
    'rows of no form',
    ['data/x.yaml', 'idForm: moon\ninstances: []\n'],
    ':1: the form "moon" is not defined',
  ],
])('definitions report %s by file and line', (_what, [name, text], problem) => {
  expect(problemsOf({ [name]: text })).toContainEqual(expect.stringContaining(name + problem));
});
