import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { startPlatform } from '../identity/support.ts';
import { writeFolder } from '../support/folder.ts';
import type { Env } from '../support/gateway.ts';
import { runCommand } from '../support/run.ts';

const runSchema = (args: readonly string[], env?: Env) => runCommand(['schema', ...args], env);
/** Prints the generic schema. */
const schema = (...args: string[]) => runSchema(['--generic', ...args]);

describe('npm run schema', () => {
  it.each([
    [['--format', 'json'], /--format is one of sdl, introspection, possible-types, and not "json"/],
    [['--aginst', 'x'], /Unknown option '--aginst'; see --help/],
    [['--snapshot', 'x'], /--generic needs no --snapshot/],
  ])('exits with 2 for invalid arguments: %j', async (args, message) => {
    const { code, stdout, stderr } = await schema(...args);

    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
  });

  it('prints which types each interface stands for, and introspection, as JSON for clients', async () => {
    const possible = await schema('--format', 'possible-types');
    const introspection = await schema('--format=introspection');

    expect(JSON.parse(possible.stdout)).toEqual({
      Instance: ['GenericInstance'],
      Node: ['Form', 'GenericInstance'],
    });
    expect(JSON.parse(introspection.stdout).__schema.queryType).toEqual({
      name: 'Query',
      kind: 'OBJECT',
    });
  });
});

describe('npm run schema with a platform’s forms', () => {
  const LOGIN = { UPSTREAM_USERNAME: 'demo', UPSTREAM_PASSWORD: 'demo' };
  const ofPlatform = (UPSTREAM_URL: string): Env => ({ UPSTREAM_URL, ...LOGIN });

  it('prints the sandbox’s types without platform settings, even beside a running sandbox', async () => {
    const { code, stdout, stderr } = await runSchema([]);

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('\ntype PurchaseRequest implements Instance & Node {\n');
  });

  it('reads them through the adapter of the dialect', async () => {
    const { url } = await startPlatform();
    const adapter = `export default { response: (_, { body }) =>
      body?.items ? { body: body.items.map((form) => ({ ...form, fields: [...form.fields, { name: 'added' }] })) } : {} };`;
    const folder = writeFolder({
      'dialect.json': { adapter: './adapter.mjs' },
      'adapter.mjs': adapter,
    });
    const UPSTREAM_DIALECT = join(folder, 'dialect.json');

    const { code, stdout, stderr } = await runSchema([], { ...ofPlatform(url), UPSTREAM_DIALECT });

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^type Supplier implements [^}]+\n {2}added: JSON\n/m);
  });

  it('reads only the forms from the platform', async () => {
    const { url, calls } = await startPlatform();

    const others = { TYPED_FORMS: 's*', IDENTITY: 'user', NODE_ENV: 'production' };

    const { stdout } = await runSchema([], { ...ofPlatform(url), ...others });

    expect(stdout.match(/^type \w+ implements Instance/gm)).toEqual([
      'type GenericInstance implements Instance',
      'type Supplier implements Instance',
    ]);
    expect(calls.filter((call) => !/getToken|getForms? /.test(call))).toEqual([]);
  });

  it('prints the same from a snapshot, without a call', async () => {
    const { url, calls } = await startPlatform();
    const file = join(writeFolder({}), 'forms.json');
    const live = await runSchema([], { ...ofPlatform(url), TYPED_SNAPSHOT: file });
    const before = calls.length;

    const kept = await runSchema(['--snapshot', file], ofPlatform(url));

    expect(kept).toEqual({ code: 0, stdout: live.stdout, stderr: '' });
    expect(calls).toHaveLength(before);
  });

  it('exits with 1 and prints no schema when the forms are unavailable', async () => {
    const extension =
      'export default { typeDefs: "extend type Query { one: Int }", resolvers: { Query: { one: () => 1 } } };';
    const EXTENSIONS = writeFolder({ 'own.js': extension });
    const down = await runSchema([], { ...ofPlatform('http://127.0.0.1:9'), EXTENSIONS });
    const none = await runSchema(['--snapshot', import.meta.filename]);

    expect([down, none]).toMatchObject([
      { code: 1, stdout: '' },
      { code: 1, stdout: '' },
    ]);
    expect(down.stderr).toMatch(
      /^Warning: the form definitions .*cannot be read from the platform: .*ECONNREFUSED.*\nThe platform’s form definitions are unavailable/,
    );
    expect(none.stderr).toContain('is not a snapshot');
  });

  it.each([{}, { TYPED_FORMS: 'none' }])(
    'exits with 2 for a snapshot that is not there, also with %o',
    async (env) => {
      const { code, stdout, stderr } = await runSchema(['--snapshot', 'nowhere.json'], env);

      expect([code, stdout, stderr]).toEqual([
        2,
        '',
        '--snapshot: cannot read nowhere.json: ENOENT\n',
      ]);
    },
  );

  it('warns of generic forms, and prints the rest', async () => {
    const definitions = writeFolder({
      'forms/odd.yaml':
        'idForm: odd\nname: Odd\nversion: "1"\nfields:\n  - { name: a, label: A, type: text }\n',
      'users.yaml':
        'users:\n  - { username: u, password: p, about: all, permissions: { forms: { "*": [read] } } }\n',
      'aliases.json': { odd: { name: 'query' } },
    });
    const env = {
      SANDBOX_DEFINITIONS: definitions,
      TYPED_ALIASES: join(definitions, 'aliases.json'),
    };

    const { code, stdout, stderr } = await runSchema([], env);

    expect(code).toBe(0);
    expect(stdout).toContain('type GenericInstance');
    expect(stderr).toMatch(/^Warning: a form stays generic \(odd\): its alias/);
  });
});
