import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/app/index.ts';
import { callerKeys } from '../../identity/support.ts';
import { writeFolder } from '../../support/folder.ts';
import type { Env, GraphqlAnswer } from '../../support/gateway.ts';
import { runCommand } from '../../support/run.ts';
import { scriptPlatform } from '../../support/scripted-platform.ts';
import { writeDialect } from '../../support/write-dialect.ts';
import { auditFile, readLines } from '../audit/support.ts';
import { connect as connectTools, writeDocuments } from '../mcp/support.ts';
import { codesOf, EXPENSE, ROLES, startWithRoles, withBuyer, writeRoles } from './support.ts';

const problemsOf = (roles: object | string, env: Env = {}): readonly string[] => {
  const file = writeRoles(roles);
  try {
    readConfig({ ...callerKeys('web'), ROLES: file, ...env });
    return [];
  } catch (error) {
    return (error as { problems: readonly string[] }).problems;
  }
};

describe('the file of roles', () => {
  it.each([
    ['claims', { claims: 'roles', roles: {} }, 'the whole'],
    ['roles.web.form', { roles: { web: { form: {} } } }, 'roles.web'],
    [
      'a verb',
      { roles: { web: { forms: { supplier: ['read', 'write'] } } } },
      'roles.web.forms.supplier.1',
    ],
    ['callers.web', { callers: { web: 'nobody' }, roles: {} }, 'callers.web'],
    ['a rule', { roles: { web: { rules: ['discount'] } } }, 'roles.web.rules.0'],
    ['too few calls', { roles: { web: { callsPerMinute: 5 } } }, 'roles.web.callsPerMinute'],
    [
      'a number as a name',
      { roles: { 10: {} } },
      'roles.10: the name of a role must not be a number alone',
    ],
    ['an empty claim', { claim: '', roles: {} }, 'claim: .*Too small'],
    [
      'a form taken away from all forms',
      { roles: { web: { forms: { '*': ['read'], employee: [] } } } },
      'roles.web.forms.employee',
    ],
  ])('ends the start for %s, with its path', (_what, roles, path) => {
    expect(problemsOf(roles)).toEqual([expect.stringMatching(`^ROLES: \\S+roles\\.json: ${path}`)]);
  });

  it('ends the start for a duplicate member: the parser would take the last one', () => {
    const twice =
      '{ "roles": { "web": { "forms": { "*": ["read"], "a\\"b": [], "a\\u0022b": ["read"] } } } }';
    const once =
      '{ "roles": { "web": { "forms": { "execute": ["read"] }, "execute": true }, "a": { "execute": false } } }';

    expect(problemsOf(twice)).toEqual([expect.stringContaining('"a\\u0022b" stands twice')]);
    expect(problemsOf(once)).toEqual([]);
  });

  it.each([
    ['a role', '{ "roles": { "__proto__": { "forms": { "*": ["read"] } } } }'],
    ['a form', '{ "roles": { "web": { "forms": { "*": ["read"], "__proto__": [] } } } }'],
    ['a key', '{ "callers": { "__pr\\u006fto__": "web" }, "roles": { "web": {} } }'],
  ])('ends the start for %s named __proto__, which checks of objects leave out', (_what, text) => {
    expect(problemsOf(text)).toEqual([
      expect.stringContaining('roles.json: cannot be read: no member may be named __proto__'),
    ]);
  });

  it('names roles, forms and keys by the words that every object has', () => {
    const roles = {
      callers: { constructor: 'toString' },
      roles: { toString: { forms: { constructor: ['read'] } } },
    };

    expect(problemsOf(roles)).toEqual([]);
    expect(problemsOf({ callers: { web: 'constructor' }, roles: {} })).toHaveLength(1);
  });

  it('may begin with the mark of UTF-8', () => {
    expect(problemsOf(`\uFEFF${JSON.stringify(ROLES)}`)).toEqual([]);
  });

  it('ends the start if callers are not known', () => {
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
    const roles = {
      callers: { ghost: 'buyer' },
      roles: { buyer: { forms: { nothing: ['read'] } }, idle: {} },
    };
    const { lines } = await startWithRoles({ LOG_LEVEL: 'warn' }, roles);

    expect(lines.filter((line) => line.includes('ROLES'))).toEqual([
      expect.stringContaining('the form nothing is not there yet'),
      expect.stringContaining('the caller ghost has no key'),
      expect.stringContaining('the role idle has no callers'),
    ]);
  });
});

it('a caller without a role is refused before the body is read', async () => {
  const { url, calls } = await startWithRoles();
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname);
  // The body never comes.
  socket.write(
    `POST /graphql HTTP/1.1\r\nHost: ${hostname}:${port}\r\nx-api-key: guest\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n`,
  );
  const answer = await new Promise<string>((resolve) =>
    socket.once('data', (data) => resolve(String(data))),
  );
  socket.destroy();

  expect(answer).toContain('403 Forbidden');
  expect(answer).toContain('"FORBIDDEN"');
  expect(calls).toEqual([]);
});

describe('ROLES_MODE=log', () => {
  it('refuses nothing, and logs the refusals', async () => {
    const UPSTREAM_DIALECT = writeDialect({ search: { operators: { IN: null } } });
    const env = { ROLES_MODE: 'log', METRICS_PORT: '0', LOG_LEVEL: 'warn', UPSTREAM_DIALECT };
    const { ask, metrics, logged } = await startWithRoles(env);
    const employee = '{ employee(instanceId: "1") { name manager { name } } ';
    const form =
      '{ forms(where: [{ field: "name", operator: EQ, value: "Employee" }]) { totalCount } }';
    const answers = [
      await ask(
        'web',
        `${employee} expenses { totalCount } forms { totalCount } __schema { types { name } } }`,
      ),
      await ask('web', 'mutation { deleteSupplier(input: { instanceId: "1" }) { deletedId } }'),
      await ask('guest', '{ suppliers { totalCount } }'),
      await ask('web', '{ purchaseRequests(where: { requester: { eq: 1 } }) { totalCount } }'),
      await ask('web', form),
    ];
    const page = await metrics();
    const notes = logged().filter(({ msg }) => msg === 'a role would not allow this');

    expect(answers.map(codesOf)).toEqual([[], [], [], [], []]);
    expect(answers[0]?.data.forms.totalCount).toBe(4);
    expect(notes.map(({ role, what, form, caller }) => [role, what, form, caller])).toEqual([
      ['buyer', 'read', 'employee', 'web'],
      ['buyer', 'read', 'expense', 'web'],
      ['buyer', 'schema', undefined, 'web'],
      ['buyer', 'search', undefined, 'web'],
      ['buyer', 'delete', 'supplier', 'web'],
      ['(none)', 'read', 'supplier', 'guest'],
      ['buyer', 'search', 'purchase-request', 'web'],
      ['buyer', 'search', undefined, 'web'],
    ]);
    expect(page).toContain('caseway_role_refusals_total{right="buyer: delete"} 1');
  });

  it('returns the content of a new instance to a caller who may only create', async () => {
    const { ask } = await startWithRoles({ ROLES_MODE: 'log' });
    const input = { values: EXPENSE, idempotencyKey: 'key' };
    const query =
      'mutation ($input: CreateExpenseInput!) { createExpense(input: $input) { instance { description } } }';

    for (const _turn of ['sent', 'known']) {
      const { data } = await ask('web', query, { input });
      expect(data.createExpense.instance.description).toBe('Train');
    }
  });

  it('does not count the definitions for checking filters as calls of the operation', async () => {
    const { ask } = await startWithRoles({
      ROLES_MODE: 'log',
      TYPED_FORMS: 'none',
      COST_MAX_CALLS: '2',
    });
    const where = (field: string) =>
      `first: 1, where: [{ field: "${field}", operator: EQ, value: "x" }]`;
    const query = `{
      a: instances(formId: "supplier", ${where('name')}) { totalCount }
      b: instances(formId: "purchase-request", ${where('title')}) { totalCount }
    }`;

    expect(codesOf(await ask('web', query))).toEqual([]);
  });

  it('answers where a definition cannot be read', async () => {
    const { env } = await scriptPlatform(({ url }) =>
      url.includes('/instances') ? { body: { items: [], total: 0 } } : { status: 500 },
    );
    const { ask } = await startWithRoles({ ...env, ROLES_MODE: 'log', TYPED_FORMS: 'none' });
    const where = '[{ field: "name", operator: EQ, value: "x" }]';

    const query = `{ instances(formId: "supplier", where: ${where}) { totalCount } }`;
    expect(codesOf(await ask('web', query))).toEqual([]);
  });

  it('leaves the documents of all callers enforced', async () => {
    const roles = withBuyer({ documents: 'own' });
    const COUNT = 'query Count { suppliers { totalCount } }';
    const { ask } = await startWithRoles({
      ROLES: writeRoles(roles, { 'own/a.graphql': 'query A { forms { totalCount } }' }),
      ROLES_MODE: 'log',
      DOCUMENTS: writeFolder({ 'count.graphql': COUNT }),
      DOCUMENTS_MODE: 'enforce',
    });

    expect(codesOf(await ask('web', COUNT))).toEqual([]);
    expect(codesOf(await ask('web', '{ employees { totalCount } }'))).toEqual([
      ['DOCUMENT_NOT_TRUSTED', undefined],
    ]);
  });

  it('limits no calls', async () => {
    const roles = { callers: { web: 'few' }, roles: { few: { callsPerMinute: 6 } } };
    const { ask } = await startWithRoles({ ROLES_MODE: 'log' }, roles);
    const read = () => ask('web', '{ suppliers(first: 1) { totalCount } }');

    expect([await read(), await read(), await read()].map(codesOf)).toEqual([[], [], []]);
  });
});

it('refusals are counted by role and verb, and name no form of a client', async () => {
  const { ask, metrics } = await startWithRoles({ METRICS_PORT: '0' });
  await ask('web', '{ instances(formId: "my-secret-text") { totalCount } }');
  await ask('web', '{ instances(formId: "*") { totalCount } }');
  await ask('web', '{ employees { totalCount } }');
  const page = await metrics();

  expect(page).toContain('caseway_role_refusals_total{right="buyer: read"} 3');
  expect(page).not.toContain('my-secret-text');
});

describe('callsPerMinute', () => {
  it('limits the calls of one role alone', async () => {
    const roles = {
      callers: { web: 'few', desk: 'many' },
      roles: {
        few: { forms: { '*': ['read'] }, callsPerMinute: 12 },
        many: { forms: { '*': ['read'] } },
      },
    };
    const { ask } = await startWithRoles({}, roles);
    const read = (caller: string) => ask(caller, '{ suppliers(first: 1) { totalCount } }');
    expect([await read('web'), await read('web')].map(codesOf)).toEqual([[], []]);

    const refused = await read('web');

    expect(codesOf(refused)).toEqual([['RATE_LIMITED', 'suppliers']]);
    expect(refused.errors?.[0]?.message).toContain('few');
    expect(refused.errors?.[0]?.extensions['retryAfterMs']).toBeGreaterThan(0);
    expect(codesOf(await read('desk'))).toEqual([]);
  });

  it('counts the definition by which a filter is checked', async () => {
    const roles = {
      callers: { web: 'few' },
      roles: { few: { forms: { '*': ['read'] }, callsPerMinute: 12 } },
    };
    const { ask, calls } = await startWithRoles({}, roles);
    const find = '{ suppliers(first: 1, where: { name: { eq: "A" } }) { totalCount } }';

    expect(codesOf(await ask('web', find))).toEqual([]);
    expect(codesOf(await ask('web', '{ suppliers(first: 1) { totalCount } }'))).toEqual([
      ['RATE_LIMITED', 'suppliers'],
    ]);
    expect(calls).toEqual(['getForm', 'getFormIntances']);
  });
});

describe('callsReserved', () => {
  const reserving = (callsReserved: number) => ({
    callers: { web: 'portal', nightly: 'export' },
    roles: {
      portal: { forms: { '*': ['read', 'create'] }, callsReserved },
      export: { forms: { '*': ['read'] } },
    },
  });
  const BUDGET = { UPSTREAM_CALLS_PER_MINUTE: '120' };
  const READ = '{ suppliers(first: 1) { totalCount } }';
  const CREATE =
    'mutation { createInstance(input: { formId: "supplier", values: { name: "New", country: "PT", active: true } }) { instance { id } } }';

  it('keeps calls for the frontend beside a batch that takes all the others', async () => {
    const { ask } = await startWithRoles(BUDGET, reserving(54));
    const batch: GraphqlAnswer[] = [];
    for (let count = 0; count < 40; count++) batch.push(await ask('nightly', READ));
    const answers: GraphqlAnswer[] = [];
    for (const query of [READ, READ, READ, READ, CREATE]) answers.push(await ask('web', query));

    const [refusal] = batch.flatMap(({ errors = [] }) => errors);
    expect(refusal?.extensions).toMatchObject({ code: 'RATE_LIMITED', limitOf: 'gateway' });
    expect(answers.map(codesOf)).toEqual([[], [], [], [], []]);
  });

  it('keeps no calls with ROLES_MODE=log', async () => {
    const { ask } = await startWithRoles({ ...BUDGET, ROLES_MODE: 'log' }, reserving(54));
    for (let count = 0; count < 40; count++) await ask('nightly', READ);

    expect(codesOf(await ask('web', CREATE))).toEqual([]);
    const answers = [await ask('web', READ), await ask('web', READ), await ask('web', READ)];
    expect(answers.map(codesOf)).toContainEqual([['RATE_LIMITED', 'suppliers']]);
  });

  it.each<[string, object, Env, RegExp]>([
    ['half of the budget', reserving(61), BUDGET, /61 calls a minute, and .* allows 60:/],
    [
      'half of the stricter budget',
      reserving(60),
      { ...BUDGET, UPSTREAM_CALLS_PER_HOUR: '3600' },
      /60 calls a minute, and .* allows 30:/,
    ],
    [
      'half of the budget for all roles together',
      {
        callers: { web: 'a', nightly: 'b' },
        roles: { a: { callsReserved: 40 }, b: { callsReserved: 40 } },
      },
      BUDGET,
      /80 calls a minute, and .* allows 60:/,
    ],
    [
      'the budget without a burst for others',
      reserving(9),
      { UPSTREAM_CALLS_PER_MINUTE: '20' },
      /9 calls a minute, and .* allows 8:/,
    ],
    ['the budget, and not less than a burst', reserving(5), BUDGET, /roles\.portal/],
  ])('is not more than %s', async (_what, roles, env, problem) => {
    const { code, stderr } = await runCommand(['start', '--check'], {
      ...callerKeys('web'),
      ...env,
      ROLES: writeRoles(roles),
    });
    expect(code).toBe(2);
    expect(stderr).toMatch(problem);
  });

  it('may be half of the budget', () => {
    expect(problemsOf(reserving(60), BUDGET)).toEqual([]);
  });

  it('is warned of where there is no budget', async () => {
    const { lines } = await startWithRoles({ LOG_LEVEL: 'warn' }, reserving(60));

    expect(lines.filter((line) => line.includes('ROLES'))).toEqual([
      expect.stringContaining('callsReserved has no effect without a call budget'),
    ]);
  });
});

describe('the command roles', () => {
  it('prints the permissions', async () => {
    const { code, stdout } = await runCommand(['roles', writeRoles()]);

    expect(code).toBe(0);
    expect(stdout).toContain('buyer: the key web\n  form purchase-request: read, create, update\n');
    expect(stdout).toContain('  rules: discount-rate-eu@2.1\n');
  });

  it('reports the faults of a file', async () => {
    const { code, stderr } = await runCommand([
      'roles',
      writeRoles({ roles: { web: { form: {} } } }),
    ]);

    expect(code).toBe(2);
    expect(stderr).toContain('roles.web');
  });
});

describe('the audit', () => {
  /** Starts a gateway with an audit, and returns a function that reads its lines. */
  const startAudited = async (env: Env = {}, roles: object = ROLES) => {
    const AUDIT_FILE = auditFile();
    const gateway = await startWithRoles({ AUDIT_FILE, ...env }, roles);
    return { ...gateway, audited: () => readLines(AUDIT_FILE) };
  };
  const remove = 'deleteSupplier(input: { instanceId: "1" }) { deletedId }';

  it('has the role of a change, and one counted line for the refusals of a request', async () => {
    const { ask, audited } = await startAudited();
    const verbs = ['create', 'replace', 'update'].map(
      (word) =>
        `${word}: ${word}Instance(input: { formId: "employee", values: {}, instanceId: "1" }) { __typename }`,
    );
    await ask(
      'web',
      `mutation { ${remove} b: ${remove} ${verbs.join(' ').replace(', instanceId: "1"', '')} }`,
    );
    await ask(
      'web',
      'mutation { updatePurchaseRequest(input: { instanceId: "1", values: { title: "A" } }) { instance { id } } }',
    );

    expect(audited()).toMatchObject([
      {
        audit: 1,
        event: 'refused',
        role: 'buyer',
        caller: 'web',
        what: 'delete',
        formId: 'supplier',
        count: 5,
      },
      { event: 'sent', role: 'buyer', caller: 'web', change: 'updateValuesOfFormIntance' },
      { event: 'done' },
    ]);
  });

  it('has one line for a tool that is refused, and one for the references of a bulk write', async () => {
    const documents = writeDocuments(
      `"Removes two." mutation RemoveTwo { a: ${remove} b: ${remove} }`,
    );
    const expenses = {
      callers: { web: 'clerk' },
      roles: { clerk: { forms: { expense: ['create', 'read'] } } },
    };
    const env = { MCP: 'all', DOCUMENTS: documents, DOCUMENTS_MODE: 'off' };
    const { ask, url, audited } = await startAudited(env, expenses);
    const client = await connectTools(url, { headers: { 'x-api-key': 'web' } });
    await client.callTool({ name: 'RemoveTwo', arguments: {} });
    const values =
      '{ description: "A", amount: 1, category: TRAVEL, employee: "1", spentOn: "2026-01-31" }';
    const item = `{ values: ${values} }`;
    const { data } = await ask(
      'web',
      `mutation { createExpenses(input: { items: [${item}, ${item}, ${item}] }) { done results { instance { employee { name } } } } }`,
    );

    expect(data.createExpenses.done).toBe(3);
    expect(audited().filter(({ event }) => event === 'refused')).toMatchObject([
      { role: 'clerk', what: 'delete', formId: 'supplier', count: 2 },
      { role: 'clerk', what: 'read', formId: 'employee', count: expect.any(Number) },
    ]);
  });
});
