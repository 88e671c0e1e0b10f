import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';

import { callerKeys, executeAs } from '../../identity/support.ts';
import { writeFolder } from '../../support/folder.ts';
import {
  type Env,
  shareGateway,
  startCountedGateway,
  startGateway,
} from '../../support/gateway.ts';
import { type ScriptedAnswer, scriptPlatform } from '../../support/scripted-platform.ts';
import { connect, EXAMPLES, REQUEST } from '../mcp/support.ts';
import { auditFile, codesOf, readLines, sha256, UPDATE } from './support.ts';

const folder = mkdtempSync(join(tmpdir(), 'audit-'));
afterAll(() => rmSync(folder, { recursive: true }));
/** The audit of the shared gateway, which is emptied before each test. */
const file = join(folder, 'audit.jsonl');
const gateway = shareGateway({ AUDIT_FILE: file, TYPED_FORMS: '*' });
beforeEach(() => void (existsSync(file) && truncateSync(file)));
const lines = () => readLines(file);

const SECRET = 'a value that nobody should read';

/** Starts another gateway with an audit, in front of a sandbox. */
async function startAudited(env: Env) {
  const file = auditFile();
  const gateway = await startCountedGateway({ AUDIT_FILE: file, TYPED_FORMS: '*', ...env });
  return { ...gateway, lines: () => readLines(file) };
}

/** Starts it in front of a platform that gives these responses to changes, one after the other. */
async function startScripted(...answers: readonly ScriptedAnswer[]) {
  const file = auditFile();
  const left = [...answers];
  const platform = await scriptPlatform(() => left.shift() ?? { status: 204 });
  const gateway = await startGateway({ ...platform.env, AUDIT_FILE: file });
  return { ...gateway, ...platform, lines: () => readLines(file) };
}

const DELETE =
  'mutation { deleteInstance(input: { formId: "supplier", instanceId: "1" }) { deletedId } }';

describe('the audit', () => {
  it('has each change on one line, for readers who end lines at other separators as well', async () => {
    const process = 'p\u2028{"event":"done"}\u2029';
    const query =
      'mutation ($process: ID!) { startCase(input: { process: $process }) { case { caseId } } }';
    await gateway.execute(query, { process });

    const text = readFileSync(file, 'utf8');

    expect(lines()[0]).toMatchObject({ event: 'sent', process });
    expect(text.split(/[\n\r\u0085\u2028\u2029]/).filter(Boolean)).toHaveLength(lines().length);
  });

  it.each([
    [
      'a creation',
      `createSupplier(input: { values: { name: "${SECRET}", country: CH, active: true } }) { instance { id } }`,
      {
        change: 'createFormIntance',
        formId: 'supplier',
        fields: ['name', 'country', 'active'],
        otherFields: 0,
      },
    ],
    [
      'a creation by the generic graph, with a field that the form does not have',
      `createInstance(input: { formId: "supplier", values: {
        name: "x", country: "CH", active: true, ssn_756123456789: 1
      } }) { instance { id } }`,
      {
        change: 'createFormIntance',
        formId: 'supplier',
        fields: ['name', 'country', 'active'],
        otherFields: 1,
      },
    ],
    [
      'a deletion',
      'deleteInstance(input: { formId: "supplier", instanceId: "3" }) { deletedId }',
      { change: 'deleteFormIntance', formId: 'supplier', instanceId: '3', fields: [] },
    ],
    [
      'the start of a case',
      `startCase(input: { process: "purchase-approval", values: { title: "${SECRET}", amount: 1 } }) { case { caseId } }`,
      { change: 'startCase', process: 'purchase-approval', fields: [], otherFields: 2 },
    ],
    [
      'a rule',
      `executeRule(input: { component: "discount-rate-eu", version: "2.1", parameters: [{ name: "amount", value: 756123456789 }] }) { outputs { name } }`,
      {
        change: 'execute',
        component: 'discount-rate-eu',
        version: '2.1',
        fields: [],
        otherFields: 1,
      },
    ],
  ])(
    'has a line before %s and one with its outcome, and no value',
    async (_what, mutation, described) => {
      const [code] = codesOf(await gateway.execute(`mutation Change { ${mutation} }`));

      const [sent, ended, ...more] = lines();
      const common = { audit: 1, event: 'sent', attempt: 1, way: 'graphql', operation: 'Change' };
      expect(sent).toMatchObject({ ...common, ...described });
      expect(ended).toMatchObject({ audit: 1, event: code ? 'failed' : 'done', id: sent?.['id'] });
      expect(ended?.['code']).toBe(code);
      expect(more).toEqual([]);
      expect(JSON.stringify(lines())).not.toMatch(/nobody|756123456789/);
    },
  );

  it('has the ids of created records', async () => {
    const data = await gateway.dataOf(`mutation {
      createSupplier(input: { values: { name: "x", country: CH, active: true } }) { instance { instanceId } }
      startCase(input: { process: "purchase-approval", values: { title: "x", amount: 1 } }) { case { caseId } }
    }`);

    const done = lines().filter(({ event }) => event === 'done');
    expect(done).toMatchObject([
      { instanceId: data.createSupplier.instance.instanceId },
      { caseId: data.startCase.case.caseId },
    ]);
  });

  it('has the caller, the client, the request id and the hash of the idempotency key', async () => {
    const { url, lines } = await startAudited(callerKeys('web'));
    const own = {
      'x-api-key': 'web',
      'apollographql-client-name': 'shop',
      'x-request-id': 'request-7',
    };

    const { headers } = await executeAs(url, UPDATE, own, { key: 'k', name: 'x' });

    const [sent] = lines();
    expect(sent).toMatchObject({
      caller: 'web',
      client: 'shop',
      operation: 'Rename',
      keySha256: sha256('k'),
      requestId: headers.get('x-request-id'),
    });
    expect(Date.parse(sent?.['time'])).toBeGreaterThan(Date.now() - 60_000);
  });

  it('has a line for each item of a bulk write that is sent, with its position and the key of the whole', async () => {
    const { updateSuppliers } =
      await gateway.dataOf(`mutation { updateSuppliers(input: { idempotencyKey: "all", items: [
      { instanceId: 1, values: { name: "x" } }, { instanceId: 999, values: { name: "x" } }, { instanceId: 2, values: { country: null } }
    ] }) { results { status } } }`);

    expect(updateSuppliers.results).toEqual([
      { status: 'DONE' },
      { status: 'FAILED' },
      { status: 'FAILED' },
    ]);
    const sent = lines().filter(({ event }) => event === 'sent');
    const keySha256 = sha256('all');
    expect(sent).toMatchObject([
      { item: 0, instanceId: '1', keySha256 },
      { item: 1, instanceId: '999', keySha256 },
    ]);
    expect(lines().filter(({ event }) => event === 'failed')).toMatchObject([
      { code: 'NOT_FOUND' },
    ]);
  });

  it('names MCP as the way of a tool', async () => {
    const { url, lines } = await startAudited({ MCP: 'all', DOCUMENTS: EXAMPLES });
    const client = await connect(url);

    await client.callTool({ name: 'RequestPurchase', arguments: REQUEST });

    expect(lines()).toMatchObject([
      {
        event: 'sent',
        way: 'mcp',
        client: 'mcp',
        operation: 'RequestPurchase',
        formId: 'purchase-request',
      },
      { event: 'done' },
    ]);
  });

  it('names the extension that makes a change', async () => {
    const modules = writeFolder({
      'rename.mjs': `export default {
        typeDefs: 'extend type Mutation { rename: Boolean }',
        resolvers: { Mutation: { rename: { calls: 1, resolve: async (_source, _args, { query }) => {
          await query('mutation { updateSupplier(input: { instanceId: "1", values: { name: "x" } }) { __typename } }');
          return true;
        } } } },
      }`,
    });
    const { dataOf, lines } = await startAudited({ EXTENSIONS: modules });

    await dataOf(
      'mutation { updateSupplier(input: { instanceId: "3", values: { name: "x" } }) { instance { name } } rename }',
    );

    const sent = lines().filter(({ event }) => event === 'sent');
    expect(sent).toMatchObject([
      { instanceId: '3', way: 'graphql' },
      { instanceId: '1', way: 'extension', extension: 'rename.mjs' },
    ]);
    expect(sent[0]?.['extension']).toBeUndefined();
  });

  it.each([
    ['fails', { status: 500 }, 'failed', 'UPSTREAM_ERROR'],
    ['is refused', { status: 403 }, 'failed', 'FORBIDDEN'],
    ['has a lost answer', { status: 302 }, 'unknown', 'OUTCOME_UNKNOWN'],
  ])('has the outcome of a change that %s', async (_what, answer, event, code) => {
    const { execute, lines } = await startScripted(answer);

    expect(codesOf(await execute(DELETE))).toEqual([code]);

    expect(lines()).toMatchObject([{ event: 'sent' }, { event, code }]);
  });

  it('counts a repeat after a 401 as a second attempt of the same change', async () => {
    const { execute, lines } = await startScripted({ status: 401 });

    expect(codesOf(await execute(DELETE))).toEqual([]);

    const [first, second, ended] = lines();
    expect([first, second, ended]).toMatchObject([
      { attempt: 1 },
      { event: 'sent', attempt: 2 },
      { event: 'done' },
    ]);
    expect(new Set(lines().map(({ id }) => id)).size).toBe(1);
  });

  it('has no line for a repeat with a known key, a read or an unsent change', async () => {
    const change = { key: 'known', name: 'x' };

    await gateway.execute(UPDATE, change);
    await gateway.execute(UPDATE, change);
    await gateway.execute(UPDATE, { ...change, name: 'y' });
    await gateway.execute(
      'mutation { updateSupplier(input: { instanceId: "1", values: { name: null } }) { instance { name } } }',
    );
    await gateway.execute('{ suppliers { totalCount } }');

    expect(lines().map(({ event }) => event)).toEqual(['sent', 'done']);
  });

  it('has no line for a change that finds no connection', async () => {
    const { execute, lines, close, seen } = await startScripted({ status: 204 });
    await execute(DELETE);
    close();

    expect(codesOf(await execute(DELETE))).toEqual(['UPSTREAM_UNAVAILABLE']);

    expect(seen).toHaveLength(1);
    expect(lines().map(({ event }) => event)).toEqual(['sent', 'done']);
  });

  it('is readable for its owner alone', async () => {
    await gateway.execute(UPDATE, { name: 'x' });

    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it.each([
    ['a folder that is not there', '/nowhere/audit'],
    ['a folder in place of a file', import.meta.dirname],
  ])('ends the start with %s', async (_what, AUDIT_FILE) => {
    const problem = /AUDIT_FILE: must be a writable file/;

    await expect(startGateway({ AUDIT_FILE })).rejects.toThrow(problem);
  });
});
