import { describe, expect, it } from 'vitest';

import { createSandbox } from '../../sandbox/index.ts';
import { writeFolder } from '../support/folder.ts';
import { FORM, problemsOf, RULE, USERS } from './samples.ts';
import { openSandbox } from './support.ts';

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
    const files = {
      'users.yaml': USERS,
      'forms/x.yaml': FORM.replace('idForm: thing', `idForm: "${idForm}"`),
      'rules/x.yaml': RULE.replace('cdComponent: a', 'cdComponent: a/b c'),
    };
    const call = await (await openSandbox({ definitions: writeFolder(files) })).as();

    const path = `/forms/${encodeURIComponent(idForm)}`;
    const { headers, body } = await call('POST', `${path}/instances`, { values: { title: 'x' } });
    expect([headers.get('location'), body.idForm]).toEqual([`/v1.0${path}/instances/1`, idForm]);
    expect((await call('GET', body.links[0]?.href.replace('/v1.0', '') ?? '')).body).toEqual(body);
    expect(
      (await call('PUT', `/rules/${encodeURIComponent('a/b c-b-1')}/get-parameters`)).body.name,
    ).toBe('a/b c');
  });
});
