import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { readConfig } from '../../../src/app.ts';
import { writeFolder } from '../../support/folder.ts';
import { runMain } from '../../support/run.ts';
import { scriptPlatform } from '../../support/scripted-platform.ts';
import { writeDialect } from '../../support/write-dialect.ts';
import { codesOf, ROLES, startWithRoles, withKeys, writeRoles } from './support.ts';

const problemsOf = (roles: object, env: Readonly<Record<string, string>> = {}): readonly string[] => {
  try {
    readConfig({ ...withKeys('web'), ROLES: writeRoles(roles), ...env });
    return [];
  } catch (error) {
    return (error as { problems: readonly string[] }).problems;
  }
};

describe('the file of roles', () => {
  it.each([
    ['claims', { claims: 'roles', roles: {} }, 'the whole'],
    ['roles.web.form', { roles: { web: { form: {} } } }, 'roles.web'],
    ['a verb', { roles: { web: { forms: { supplier: ['read', 'write'] } } } }, 'roles.web.forms.supplier.1'],
    ['callers.web', { callers: { web: 'nobody' }, roles: {} }, 'callers.web'],
    ['a rule', { roles: { web: { rules: ['discount'] } } }, 'roles.web.rules.0'],
    ['too few calls', { roles: { web: { callsPerMinute: 5 } } }, 'roles.web.callsPerMinute'],
    ['a number as a name', { roles: { 10: {} } }, 'roles.10'],
  ])('ends the start for %s, with its path', (_what, roles, path) => {
    expect(problemsOf(roles)).toEqual([expect.stringMatching(`^ROLES: \\S+roles\\.json: ${path}: `)]);
  });

  it('says why a name is none', () => {
    expect(problemsOf({ roles: { 10: {} } })).toEqual([expect.stringContaining('must not be a number alone')]);
    expect(problemsOf({ claim: '', roles: {} })).toEqual([expect.stringContaining('Too small')]);
  });

  it('ends the start for a member that stands twice, of which the parser takes the last', () => {
    const file = writeRoles();
    writeFileSync(file, '{ "roles": { "web": { "forms": { "*": ["read"], "a\\"b": [], "a\\u0022b": ["read"] } } } }');
    const once =
      '{ "roles": { "web": { "forms": { "execute": ["read"] }, "execute": true }, "a": { "execute": false } } }';

    expect(() => readConfig({ ...withKeys('web'), ROLES: file })).toThrow(/"a\\u0022b" stands twice/);
    writeFileSync(file, once);
    expect(() => readConfig({ ...withKeys('web'), ROLES: file })).not.toThrow();
  });

  it.each([
    ['a role', '{ "roles": { "__proto__": { "forms": { "*": ["read"] } } } }'],
    ['a form', '{ "roles": { "web": { "forms": { "*": ["read"], "__proto__": [] } } } }'],
    ['a key', '{ "callers": { "__pr\\u006fto__": "web" }, "roles": { "web": {} } }'],
  ])('ends the start for %s named __proto__, which checks of objects leave out', (_what, text) => {
    const file = writeRoles();
    writeFileSync(file, text);

    expect(() => readConfig({ ...withKeys('web'), ROLES: file })).toThrow(
      /roles\.json: no member may be named __proto__/,
    );
  });

  it('names roles, forms and keys by the words that every object has', () => {
    const roles = { callers: { constructor: 'toString' }, roles: { toString: { forms: { constructor: ['read'] } } } };

    expect(problemsOf(roles)).toEqual([]);
    expect(problemsOf({ callers: { web: 'constructor' }, roles: {} })).toHaveLength(1);
  });

  it('may begin with the mark of UTF-8', () => {
    const file = writeRoles();
    writeFileSync(file, `\uFEFF${readFileSync(file, 'utf8')}`);

    expect(() => readConfig({ ...withKeys('web'), ROLES: file })).not.toThrow();
  });

  it('ends the start where nobody knows whose role it is', () => {
    expect(problemsOf(ROLES, { CALLER_AUTH: 'none' })).toHaveLength(1);
    expect(problemsOf(ROLES, { IDENTITY: 'user' })).toHaveLength(1);
    expect(problemsOf(ROLES)).toEqual([]);
  });

  it('ends the start where it is lost and a mode is set', () => {
    for (const ROLES_MODE of ['enforce', 'log']) {
      expect(problemsOf(ROLES, { ROLES: '', ROLES_MODE })).toEqual([
        expect.stringContaining('is needed with ROLES_MODE'),
      ]);
    }
  });

  it('is warned of where a part has no effect', async () => {
    const roles = { callers: { ghost: 'buyer' }, roles: { buyer: { forms: { nothing: ['read'] } }, idle: {} } };
    const lines: string[] = [];
    const { metricsUrl } = await startWithRoles({ METRICS_PORT: '0', LOG_LEVEL: 'warn' }, roles, (line) =>
      lines.push(line),
    );
    const response = await fetch(new URL('/status', metricsUrl), { headers: { accept: 'application/json' } });
    const status = (await response.json()) as { readonly lines: readonly { title: string; text: string }[] };
    const texts = status.lines.filter(({ title }) => title === 'Roles').map(({ text }) => text);

    expect(texts).toEqual([
      expect.stringContaining('nothing'),
      expect.stringContaining('ghost'),
      expect.stringContaining('idle'),
    ]);
    expect(lines.filter((line) => /ghost|idle/.test(line))).toHaveLength(2);
  });
});

describe('a caller without a role', () => {
  it('is refused before the body is read', async () => {
    const { url, calls } = await startWithRoles();
    const { port, hostname } = new URL(url);
    const socket = connect(Number(port), hostname);
    // The body never comes.
    socket.write(
      `POST /graphql HTTP/1.1\r\nHost: ${hostname}:${port}\r\nx-api-key: guest\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n`,
    );
    const answer = await new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data))));
    socket.destroy();

    expect(answer).toContain('403 Forbidden');
    expect(answer).toContain('"FORBIDDEN"');
    expect(calls).toEqual([]);
  });
});

describe('ROLES_MODE=log', () => {
  it('refuses nothing, and counts and logs what it would refuse', async () => {
    const lines: string[] = [];
    const { ask, metricsUrl } = await startWithRoles(
      { ROLES_MODE: 'log', METRICS_PORT: '0', LOG_LEVEL: 'warn' },
      ROLES,
      (line) => lines.push(line),
    );
    const answers = [
      await ask(
        'web',
        '{ employee(instanceId: "1") { name manager { name } } forms { totalCount } __schema { types { name } } }',
      ),
      await ask('web', 'mutation { deleteSupplier(input: { instanceId: "1" }) { deletedId } }'),
      await ask('guest', '{ suppliers { totalCount } }'),
      await ask('web', '{ purchaseRequests(where: { requester: { eq: 1 } }) { totalCount } }'),
    ];
    const metrics = await (await fetch(String(metricsUrl))).text();

    expect(answers.map(codesOf)).toEqual([[], [], [], []]);
    expect(answers[0]?.data.forms.totalCount).toBe(4);
    expect(metrics).toContain('caseway_role_refusals_total{right="buyer: read employee"}');
    expect(metrics).toContain('caseway_role_refusals_total{right="buyer: delete supplier"} 1');
    expect(metrics).toContain('caseway_role_refusals_total{right="buyer: schema"} 1');
    expect(metrics).toContain('caseway_role_refusals_total{right="buyer: search purchase-request"} 1');
    expect(metrics).toContain('caseway_role_refusals_total{right="(none): read supplier"} 1');
    expect(lines.some((line) => line.includes('"role":"buyer"') && line.includes('"what":"delete"'))).toBe(true);
  });
});

describe('ROLES_MODE=log', () => {
  const countRefusals = async (env: Readonly<Record<string, string>>, query: string) => {
    const { ask, metricsUrl } = await startWithRoles({
      ROLES_MODE: 'log',
      METRICS_PORT: '0',
      TYPED_FORMS: 'none',
      ...env,
    });
    const answer = await ask('web', query);
    const metrics = await (await fetch(String(metricsUrl))).text();
    return { codes: codesOf(answer), refusals: metrics.match(/^caseway_role_refusals_total\{.*/gm) };
  };

  it('counts no search whose form cannot be read', async () => {
    const { env } = await scriptPlatform(({ url }) =>
      url.includes('/instances') ? { body: { items: [], total: 0 } } : { status: 500 },
    );
    const where = '[{ field: "name", operator: EQ, value: "x" }]';

    expect(await countRefusals(env, `{ instances(formId: "supplier", where: ${where}) { totalCount } }`)).toEqual({
      codes: [],
      refusals: null,
    });
  });

  it('takes none of the calls of an operation for the definitions by which filters are looked at', async () => {
    const where = (field: string) => `first: 1, where: [{ field: "${field}", operator: EQ, value: "x" }]`;
    const query = `{
      a: instances(formId: "supplier", ${where('name')}) { totalCount }
      b: instances(formId: "purchase-request", ${where('title')}) { totalCount }
    }`;

    expect(await countRefusals({ COST_MAX_CALLS: '2' }, query)).toEqual({ codes: [], refusals: null });
  });

  it('counts searches among forms that would be read one by one', async () => {
    const UPSTREAM_DIALECT = writeDialect({ search: { operators: { IN: null } } });
    const query = '{ forms(where: [{ field: "name", operator: EQ, value: "Supplier" }]) { totalCount } }';

    expect(await countRefusals({ UPSTREAM_DIALECT }, query)).toEqual({
      codes: [],
      refusals: ['caseway_role_refusals_total{right="buyer: search"} 1'],
    });
  });
});

describe('what ROLES_MODE=log notes', () => {
  it('is what is read of a new instance by who may create alone', async () => {
    const { ask, metricsUrl } = await startWithRoles({ ROLES_MODE: 'log', METRICS_PORT: '0' });
    const values = { description: 'Train', amount: '10', category: 'TRAVEL', employee: '6', spentOn: '2026-03-01' };
    const create = (selection: string, idempotencyKey?: string) =>
      ask(
        'web',
        `mutation ($input: CreateExpenseInput!) { createExpense(input: $input) { instance { ${selection} } } }`,
        {
          input: { values, idempotencyKey },
        },
      );
    const refusals = async () => (await (await fetch(String(metricsUrl))).text()).match(/^caseway_role_refusals.*/gm);

    await create('id formId instanceId');
    for (const selection of ['id', 'id instanceId']) await create(selection, 'key');
    expect(await refusals()).toBeNull();
    expect((await create('description')).data.createExpense.instance.description).toBe('Train');
    expect(await refusals()).toEqual(['caseway_role_refusals_total{right="buyer: read expense"} 1']);
  });

  it('leaves the documents of all callers enforced', async () => {
    const { buyer } = ROLES.roles;
    const roles = { ...ROLES, roles: { ...ROLES.roles, buyer: { ...buyer, documents: 'own' } } };
    const COUNT = 'query Count { suppliers { totalCount } }';
    const { ask } = await startWithRoles({
      ROLES: writeRoles(roles, { 'own/a.graphql': 'query A { forms { totalCount } }' }),
      ROLES_MODE: 'log',
      DOCUMENTS: writeFolder({ 'count.graphql': COUNT }),
      DOCUMENTS_MODE: 'enforce',
    });

    expect(codesOf(await ask('web', COUNT))).toEqual([]);
    expect(codesOf(await ask('web', '{ employees { totalCount } }'))).toEqual([['DOCUMENT_NOT_TRUSTED', undefined]]);
  });
});

describe('refusals', () => {
  it('are counted by role and form, and name no form of a client', async () => {
    const { ask, metricsUrl } = await startWithRoles({ METRICS_PORT: '0' });
    await ask('web', '{ instances(formId: "my-secret-text") { totalCount } }');
    await ask('web', '{ instances(formId: "*") { totalCount } }');
    await ask('web', '{ employees { totalCount } }');
    const metrics = await (await fetch(String(metricsUrl))).text();

    expect(metrics).toContain('caseway_role_refusals_total{right="buyer: read another form"} 2');
    expect(metrics).toContain('caseway_role_refusals_total{right="buyer: read employee"} 1');
    expect(metrics).not.toContain('my-secret-text');
  });
});

describe('callsPerMinute', () => {
  it('limits the calls of a role, and those of no other', async () => {
    const roles = {
      callers: { web: 'few', desk: 'many' },
      roles: { few: { forms: { '*': ['read'] }, callsPerMinute: 12 }, many: { forms: { '*': ['read'] } } },
    };
    const { ask } = await startWithRoles({}, roles);
    const read = (caller: string) => ask(caller, '{ suppliers(first: 1) { totalCount } }');
    const answers = [await read('web'), await read('web'), await read('web')];

    expect(answers.map(codesOf)).toEqual([[], [], [['RATE_LIMITED', 'suppliers']]]);
    expect(answers[2]?.errors?.[0]?.message).toContain('few');
    expect(answers[2]?.errors?.[0]?.extensions['retryAfterMs']).toBeGreaterThan(0);
    expect(codesOf(await read('desk'))).toEqual([]);
  });

  it('counts the definition by which a filter is checked', async () => {
    const roles = { callers: { web: 'few' }, roles: { few: { forms: { '*': ['read'] }, callsPerMinute: 12 } } };
    const { ask, calls } = await startWithRoles({}, roles);
    const find = '{ suppliers(first: 1, where: { name: { eq: "A" } }) { totalCount } }';

    expect(codesOf(await ask('web', find))).toEqual([]);
    expect(codesOf(await ask('web', '{ suppliers(first: 1) { totalCount } }'))).toEqual([
      ['RATE_LIMITED', 'suppliers'],
    ]);
    expect(calls).toEqual(['getForm', 'getFormIntances']);
  });

  it('limits nothing with ROLES_MODE=log', async () => {
    const roles = { callers: { web: 'few' }, roles: { few: { callsPerMinute: 6 } } };
    const { ask } = await startWithRoles({ ROLES_MODE: 'log' }, roles);
    const read = () => ask('web', '{ suppliers(first: 1) { totalCount } }');

    expect([await read(), await read(), await read()].map(codesOf)).toEqual([[], [], []]);
  });
});

describe('the command roles', () => {
  it('prints who may do what, and what nobody has done', async () => {
    const { ask, metricsUrl } = await startWithRoles({ METRICS_PORT: '0' });
    await ask('web', '{ suppliers { totalCount } }');
    const run = runMain(['roles', writeRoles(), '--status', String(metricsUrl)], {});
    const { code, stdout } = await run.ended;

    expect(code).toBe(0);
    expect(stdout).toContain('buyer: the key web\n  form purchase-request: read, create, update\n');
    expect(stdout).toContain('  all other forms: read\n  form employee: nothing\n');
    expect(stdout).toMatch(/buyer[\s\S]*not used yet: .*update purchase-request/);
    expect(stdout).not.toMatch(/not used yet: .*read supplier/);
  });

  it('says what is wrong with a file', async () => {
    const { code, stderr } = await runMain(['roles', writeRoles({ roles: { web: { form: {} } } })], {}).ended;

    expect(code).toBe(2);
    expect(stderr).toContain('roles.web');
  });
});

describe('the audit', () => {
  it('has the role of a change, and a line for what is refused', async () => {
    const file = join(writeFolder({}), 'audit.jsonl');
    const { ask } = await startWithRoles({ AUDIT_FILE: file });
    const remove = 'deleteSupplier(input: { instanceId: "1" }) { deletedId }';
    // Once in a request: else a role that may do nothing fills the disk with a hundred lines by each.
    await ask('web', `mutation { ${remove} b: ${remove} c: ${remove} }`);
    await ask(
      'web',
      'mutation { updatePurchaseRequest(input: { instanceId: "1", values: { title: "A" } }) { instance { id } } }',
    );
    const lines = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));

    expect(lines).toMatchObject([
      { audit: 1, event: 'refused', role: 'buyer', caller: 'web', what: 'delete', formId: 'supplier' },
      { event: 'sent', role: 'buyer', caller: 'web', change: 'updateValuesOfFormIntance' },
      { event: 'done' },
    ]);
  });
});
