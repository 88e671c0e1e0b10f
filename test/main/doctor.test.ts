import { existsSync, readFileSync } from 'node:fs';
import { createServer as createPlainServer } from 'node:http';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { makeAuthority } from '../faults/support/certificates.ts';
import { storeKey } from '../features/replicas/support.ts';
import { platformToken, startPlatform } from '../identity/support.ts';
import { ownWords } from '../platforms/own-words.ts';
import { type PlatformData, startPlatform as startData } from '../platforms/platform.ts';
import { ChangingList, startChangingPlatform } from '../support/changing-platform.ts';
import { writeFolder } from '../support/folder.ts';
import { listen } from '../support/listen.ts';
import { startRedis } from '../support/redis.ts';
import { runCommand, runMain } from '../support/run.ts';
import {
  type ScriptedAnswer,
  type SeenRequest,
  scriptPlatform,
} from '../support/scripted-platform.ts';
import { writeDialect } from '../support/write-dialect.ts';

type Env = Readonly<Record<string, string>>;
const LOGIN = { UPSTREAM_USERNAME: 'demo', UPSTREAM_PASSWORD: 'demo' };
const SUBJECTS =
  'settings connection token forms form list values instance error conditional operators sort';

interface Check {
  readonly verdict: 'ok' | 'note' | 'FAIL' | 'skip';
  readonly subject: string;
  readonly finding: string;
}

/** Runs the doctor, and returns its checks and the whole dialect that it proposes. */
async function examine(env: Env = {}) {
  const { code, stdout, stderr } = await runCommand(['doctor', '--json'], env);
  const { checks, dialect } = JSON.parse(stdout);
  return {
    code,
    stdout,
    stderr,
    checks: checks as readonly Check[],
    dialect,
    failed: (checks as readonly Check[]).filter(({ verdict }) => verdict === 'FAIL'),
  };
}

/** Matches a check. */
const found = (verdict: Check['verdict'], subject: string, finding: string | RegExp) => ({
  verdict,
  subject,
  finding: expect.stringMatching(finding),
});

/** Starts a sandbox, and returns the settings for it. */
async function startSandbox() {
  const { url } = await startPlatform();
  return { UPSTREAM_URL: url, ...LOGIN };
}

/** The address of the platform's tokens. The doctor cannot find it out. */
const { token: TOKEN } = ownWords.dialect;

/**
 * Starts the platform with its own words. `withoutDialect` has settings with only the address of
 * tokens.
 */
async function startOwnWords(changed: Partial<PlatformData> = {}) {
  const platform = await startData({ ...ownWords, ...changed });
  const UPSTREAM_DIALECT = writeDialect({ token: TOKEN });
  return { ...platform, withoutDialect: { ...platform.settings, UPSTREAM_DIALECT } };
}

/** The changes of the platform with its own words for a variant of the interface. */
const VARIANTS: Readonly<Record<'A' | 'B', Partial<PlatformData>>> = {
  A: {},
  B: { variant: 'B', token: (token) => ({ body: { accessToken: token, expiresIn: 600 } }) },
};

/** Starts a platform with three suppliers. `change` replaces responses. */
const startScripted = (change: (request: SeenRequest) => ScriptedAnswer | undefined) =>
  scriptPlatform((request) => {
    const suppliers = [1, 2, 3].map((idInstance) => ({ idInstance, values: { name: 'x' } }));
    const definition = { idForm: 'supplier', fields: [{ name: 'name', type: 'text' }] };
    const bodies: Readonly<Record<string, unknown>> = {
      '/v1.0/forms': [definition],
      '/v1.0/forms/supplier': definition,
      '/v1.0/forms/supplier/instances': suppliers,
    };
    return change(request) ?? { body: bodies[new URL(request.url, 'http://any').pathname] };
  });

/** The query parameters of a request. */
const searchOf = ({ url }: SeenRequest) => new URL(url, 'http://any').searchParams;

/** Starts a platform whose list of forms has these responses. Its forms have no instances. */
const startForms = (answer: (search: URLSearchParams) => ScriptedAnswer) =>
  scriptPlatform((request) => {
    const [, , , formId] = new URL(request.url, 'http://any').pathname.split('/');
    if (formId === undefined) return answer(searchOf(request));
    return { body: request.url.includes('/instances') ? [] : { idForm: formId, fields: [] } };
  });

/** Returns the rows of a list from `start` on. */
const formsFrom = (start: number, rows: number, total = 120) =>
  Array.from({ length: Math.max(0, Math.min(rows, total - start)) }, (_, n) => ({
    idForm: `f${start + n + 1}`,
    fields: [],
  }));

/** Reads the first row and the number of rows from the parameters of a request. */
function readPage(search: URLSearchParams, firstPage = 1) {
  const rows = Number(search.get('per-page'));
  return { start: (Number(search.get('page-number') ?? firstPage) - firstPage) * rows, rows };
}

/** Starts a proxy before a sandbox that leaves out parameters of requests. */
async function startWithout(isLeftOut: (name: string, value: string) => boolean): Promise<Env> {
  const { UPSTREAM_URL: sandbox } = await startSandbox();
  const authorization = await platformToken(sandbox, 'demo');
  const { env } = await scriptPlatform(async (request) => {
    const target = new URL(request.url, sandbox);
    for (const [name, value] of [...target.searchParams]) {
      if (isLeftOut(name, value)) target.searchParams.delete(name);
    }
    const since = request.headers['if-modified-since'];
    const headers = { authorization, ...(since && { 'if-modified-since': since }) };
    const answer = await fetch(target, { headers });
    const changed = answer.headers.get('last-modified');
    const sent = { ...(changed && { 'last-modified': changed }) };
    return { status: answer.status, headers: sent, body: await answer.text() };
  });
  return env;
}

describe('npm run doctor', () => {
  it('prints its checks as lines, finds nothing wrong, and exits with 0', async () => {
    const { code, stdout, stderr } = await runMain(['doctor'], await startSandbox()).ended;

    const lines = [...stdout.matchAll(/^(ok|note|FAIL|skip) +(\w+) /gm)];
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect([...new Set(lines.map(([, , subject]) => subject))].join(' ')).toBe(SUBJECTS);
    expect(lines.filter(([, verdict]) => verdict !== 'ok')).toEqual([]);
    expect(stdout).toContain('The gateway can work with this platform.');
  });

  it('prints the failed checks, and what the dialect should contain', async () => {
    const settings = await startWithout((_, value) => value.includes('=like:'));
    const UPSTREAM_DIALECT = writeDialect({ list: { maxPageSize: 40 } });

    const { code, stdout, stderr } = await runCommand(['doctor'], {
      ...settings,
      UPSTREAM_DIALECT,
    });

    expect(code).toBe(1);
    expect(stdout).toMatch(/^FAIL +operators .*LIKE/m);
    expect(stderr).toContain('Failed checks: operators');
    const [, json = ''] = /should contain:\n(\{.*?\n\})/s.exec(stdout) ?? [];
    expect(JSON.parse(json)).toEqual({
      list: { maxPageSize: 40, isPagedById: true },
      search: { operators: { LIKE: null } },
    });
  });

  it('prints each check as JSON, and the whole dialect or null', async () => {
    const settings = await startSandbox();
    const good = await examine({ ...settings, UPSTREAM_DIALECT: PAGED_BY_ID() });
    const changed = await examine({
      ...settings,
      UPSTREAM_DIALECT: writeDialect({ search: { operators: { NE: 'ne' } } }),
    });
    const wrong = await examine({ UPSTREAM_URL: 'platform.example' });

    expect(good).toMatchObject({ code: 0, stderr: '', dialect: null });
    expect(good.checks[0]).toEqual(found('ok', 'settings', settings.UPSTREAM_URL));
    expect(changed.dialect).toEqual({
      list: { isPagedById: true },
      search: { operators: { NE: 'ne' } },
    });
    expect(wrong).toMatchObject({ code: 2, dialect: null });
    expect(wrong.checks.at(-1)).toMatchObject({ verdict: 'skip', subject: 'platform' });
  });

  it('checks a sandbox of its own without settings', async () => {
    const { code, checks } = await examine();

    expect(code).toBe(0);
    expect(checks).toContainEqual(found('note', 'settings', 'sandbox'));
  });

  it.each(['A', 'B'] as const)(
    'agrees with the dialect of a platform with words of its own (variant %s)',
    async (variant) => {
      const { settings } = await startOwnWords(VARIANTS[variant]);

      expect(await examine(settings)).toMatchObject({ code: 0, failed: [] });
    },
  );

  it.each([
    ['A', 'basic', 'credentials'],
    ['B', 'credentials', 'basic'],
  ] as const)(
    'tries the other variant where one is refused (variant %s)',
    async (variant, wrong, right) => {
      const { settings } = await startOwnWords(VARIANTS[variant]);

      const { code, failed } = await examine({ ...settings, UPSTREAM_AUTH: wrong });

      expect(code).toBe(1);
      expect(failed).toEqual([found('FAIL', 'token', `set UPSTREAM_AUTH=${right}`)]);
    },
  );
});

/** Writes the dialect that the doctor proposes for the sandbox. */
const PAGED_BY_ID = () => writeDialect({ list: { isPagedById: true } });

describe('the dialect that the doctor proposes', () => {
  it('leaves nothing to change, and is found by reads alone', async () => {
    const { withoutDialect, calls } = await startOwnWords();

    const before = await examine(withoutDialect);
    const after = await examine({
      ...withoutDialect,
      UPSTREAM_DIALECT: writeDialect(before.dialect),
    });

    expect(before.code).toBe(1);
    expect(before.dialect).toMatchObject({
      list: { maxPageSize: 50, firstPage: 0 },
      form: { fieldReference: ['refersTo', 'reference', 'idFormReference'] },
      search: {
        operators: { EQ: 'equals', GE: 'atLeast', LIKE: 'contains' },
        separator: ';',
        formId: 'id',
        instanceId: 'id',
        pattern: { any: null },
      },
    });
    expect(after).toMatchObject({ code: 0, failed: [] });
    expect(calls.filter(({ method, path }) => method !== 'GET' && !path.includes('oauth'))).toEqual(
      [],
    );
  });

  it('omits the search by several ids where it is not supported', async () => {
    const { oneOf: _, ...operators } = ownWords.operators;
    const { withoutDialect } = await startOwnWords({ operators });

    const { dialect } = await examine(withoutDialect);

    expect(dialect.search.operators).toMatchObject({ EQ: 'equals', IN: null });
  });

  it('names the members with items and ids', async () => {
    const { env } = await startScripted(({ url }) =>
      url.startsWith('/v1.0/forms?')
        ? { body: { warnings: [], payload: { records: [{ formCode: 'supplier' }] } } }
        : undefined,
    );

    const { dialect, failed } = await examine(env);

    expect(failed.map(({ subject }) => subject)).toContain('forms');
    expect(dialect).toMatchObject({
      list: { embedded: ['payload', '_embedded'] },
      form: { id: ['formCode', 'idForm', 'id'] },
    });
  });

  it('has no id by which no form can be read', async () => {
    const { env } = await startScripted(({ url }) => {
      if (url.startsWith('/v1.0/forms?')) return { body: [{ code: 'supplier-1' }] };
      return { status: 404, body: { message: 'no such form' } };
    });

    const { dialect, failed } = await examine(env);

    expect(failed).toHaveLength(2);
    expect(failed[1]).toEqual(found('FAIL', 'forms', /HTTP 404: no such form.*docs\/adapter\.md/));
    expect(dialect).toBeNull();
  });

  it('has no search where it is ignored', async () => {
    const { env } = await startScripted(() => undefined);

    const { dialect, failed } = await examine(env);

    expect(failed.map(({ subject }) => subject)).toContain('operators');
    expect(dialect.search.operators.IN).toBeNull();
  });

  it.each([
    ['LIKE', 'like'],
    ['GT', 'gt'],
  ])('has no operator %s where it alone is ignored', async (operator, word) => {
    const settings = await startWithout((_, value) => value.includes(`=${word}:`));

    const { code, dialect, failed, checks } = await examine(settings);

    expect(code).toBe(1);
    expect(dialect).toEqual({
      search: { operators: { [operator]: null } },
      list: { isPagedById: operator === 'LIKE' },
    });
    expect(failed).toEqual([found('FAIL', 'operators', operator)]);
    expect(checks).toContainEqual(found('ok', 'operators', 'EQ, IN, NE'));
  });

  it('has no order where it is ignored', async () => {
    const settings = await startWithout((name) => name === 'sort');

    const { code, checks, dialect } = await examine(settings);
    const after = await examine({ ...settings, UPSTREAM_DIALECT: writeDialect(dialect) });

    expect(code).toBe(0);
    expect(checks).toContainEqual(found('note', 'sort', 'orderBy'));
    expect(dialect).toEqual({ list: { isSorted: false } });
    expect(after.dialect).toBeNull();
    expect(after.checks).toContainEqual(found('ok', 'sort', ''));
  });

  it('has no conditional requests where each of them gets a 304', async () => {
    const { env } = await startScripted(({ headers }) =>
      headers['if-modified-since'] === undefined ? undefined : { status: 304, body: '' },
    );

    expect((await examine(env)).dialect.unchanged).toEqual({ isAsked: false });
  });

  it.each([
    ['are found', 100, {}, { maxPageSize: 100, isPagedById: true }],
    ['are found, and pages are cut', 60, {}, { maxPageSize: 60, isPagedById: true }],
    ['are not found', 100, { criterion: 'ignores' }, { maxPageSize: 100, isPagedById: false }],
  ] as const)(
    'has the largest page, and whether the rows after an id %s',
    async (_what, longestPage, does, list) => {
      const { env, held } = await startChangingPlatform({ tells: 'nothing', longestPage, ...does });
      held.list = new ChangingList(150);

      expect((await examine(env)).dialect).toMatchObject({ list });
    },
  );

  it('has the largest page of forms, also where the page after a short one has more', async () => {
    const depots = Array.from({ length: 68 }, (_, n) => [`depot-${n}`, { id: `depot-${n}` }]);
    const { settings } = await startOwnWords({
      forms: { ...ownWords.forms, ...Object.fromEntries(depots) },
      cutsPages: true,
      list: ({ rows }) => ({ body: rows }),
      dialect: { ...ownWords.dialect, list: { firstPage: 0 } },
    });

    const { dialect, checks } = await examine(settings);

    expect(dialect).toMatchObject({ list: { maxPageSize: 50 } });
    expect(checks).toContainEqual(found('note', 'forms', 'a page has at most 50 rows'));
  });

  it.each<[verdict: Check['verdict'], finding: string, names: { number?: string; size?: string }]>([
    ['FAIL', 'it ignores page-number or per-page', { number: 'page-number' }],
    ['FAIL', 'it ignores page-number or per-page', { size: 'per-page' }],
    ['note', 'its pages follow one another', {}],
  ])('depends on how lists are paged (%s: %s)', async (verdict, finding, { number, size }) => {
    const { env } = await startForms((search) => {
      const rows = Number(search.get(size ?? '') ?? 20);
      const start = (Number(search.get(number ?? '') ?? 1) - 1) * rows;
      return { body: formsFrom(start, rows, 30) };
    });

    expect((await examine(env)).checks).toContainEqual(found(verdict, 'forms', finding));
  });

  it.each<[list: object, firstPage: 0 | 1]>([
    [{}, 0],
    [{ list: { firstPage: 0 } }, 1],
  ])('has the number of the first page where it was %j, and is %i', async (before, firstPage) => {
    const { env } = await startForms((search) => {
      const { start, rows } = readPage(search, firstPage);
      return start < 0 ? { status: 400 } : { body: formsFrom(start, rows) };
    });

    const { dialect, checks } = await examine({ ...env, UPSTREAM_DIALECT: writeDialect(before) });
    const after = await examine({ ...env, UPSTREAM_DIALECT: writeDialect(dialect) });

    expect(dialect).toMatchObject({ list: { firstPage } });
    expect(checks).toContainEqual(found('FAIL', 'forms', /list\.firstPage|HTTP 400/));
    expect(checks).toContainEqual(
      found('ok', 'forms', /^100 on the first page: f1, f2, f3.*list\.firstPage/),
    );
    expect(after).toMatchObject({ code: 0, failed: [] });
  });

  it.each([400, 422])('has a smaller page where a larger one gets %i', async (status) => {
    const { env } = await startForms((search) => {
      const { start, rows } = readPage(search);
      if (rows > 25) return { status, body: { errorCode: 'PAGE' } };
      return { body: formsFrom(start, rows) };
    });

    const { dialect, failed } = await examine(env);

    expect(dialect).toMatchObject({ list: { maxPageSize: 25 } });
    expect(failed).toContainEqual(found('FAIL', 'forms', `HTTP ${status}: PAGE`));
  });

  it.each<[what: string, wrap: (items: readonly object[]) => object, total: object | undefined]>([
    ['another name', (items) => ({ items, rowCount: 120 }), ['rowCount']],
    ['a text', (items) => ({ items, paging: { rows: '120' } }), ['rows']],
    ['beside one of a page', (items) => ({ items, total: items.length, all: 120 }), ['all']],
    ['only one of a page', (items) => ({ items, rowCount: items.length }), undefined],
    ['a default name', (items) => ({ items, total: 120 }), undefined],
  ])('has the member that counts all rows: %s', async (_what, wrap, total) => {
    const { env } = await startForms((search) => {
      const { start, rows } = readPage(search);
      return { body: wrap(formsFrom(start, rows)) };
    });

    expect((await examine(env)).dialect.list.total).toEqual(total);
  });

  it.each([
    [
      'another caller’s token',
      (issued: readonly string[]) => issued.slice(-1),
      'note',
      'REDIS_URL',
    ],
    ['no other token', (issued: readonly string[]) => issued, 'ok', 'leaves the first valid'],
  ] as const)('comes with whether a second token ends %s', async (_what, valid, verdict, text) => {
    const issued: string[] = [];
    const server = createPlainServer(({ url, headers: { authorization = '' } }, response) => {
      const isToken = url === '/v1.0/token';
      if (isToken) issued.push(`token-${issued.length}`);
      const isKnown = valid(issued).includes(authorization.replace('Bearer ', ''));
      const body = isToken ? { access_token: issued.at(-1), expires_in: 3_600 } : [];
      response.writeHead(isToken || isKnown ? 200 : 401, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    });

    const { code, checks } = await examine({ UPSTREAM_URL: await listen(server), ...LOGIN });

    expect(code).toBe(0);
    expect(checks).toContainEqual(found(verdict, 'token', `a second one .*${text}`));
    expect(checks.map(({ subject }) => subject)).toContain('forms');
  });
});

describe('npm run doctor --write', () => {
  const write = (file: string, env: Env = {}) => runCommand(['doctor', '--write', file], env);
  const newFile = () => join(writeFolder({}), 'dialect.json');

  it('writes the whole dialect to a file', async () => {
    const { withoutDialect } = await startOwnWords();
    const UPSTREAM_DIALECT = writeDialect({ error: { retryAfterMs: 5 }, token: TOKEN });
    const file = newFile();

    const { code, stderr } = await write(file, { ...withoutDialect, UPSTREAM_DIALECT });

    expect(code).toBe(1);
    expect(stderr).toContain(`UPSTREAM_DIALECT=${file}`);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
      error: { retryAfterMs: 5 },
      list: { maxPageSize: 50 },
      search: { operators: { EQ: 'equals' } },
    });
  });

  it('refuses a file that exists, before it looks at anything', async () => {
    const file = join(writeFolder({ 'dialect.json': '{}\n' }), 'dialect.json');

    const { code, stdout, stderr } = await write(file);

    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(`${file} exists`)]);
    expect(readFileSync(file, 'utf8')).toBe('{}\n');
  });

  it('names a file that cannot be written, and exits with 2', async () => {
    const { code, stdout, stderr } = await write('/nowhere/dialect.json', await startSandbox());

    expect(code).toBe(2);
    expect(stdout).toContain('"isPagedById": true');
    expect(stderr).toMatch(/cannot write \/nowhere\/dialect\.json: ENOENT/);
  });

  it('writes no file where it proposes nothing', async () => {
    const file = newFile();

    const { code, stderr } = await write(file, { UPSTREAM_DIALECT: PAGED_BY_ID() });

    expect(code).toBe(0);
    expect(stderr).toContain(`${file} is not written`);
    expect(existsSync(file)).toBe(false);
  });
});

describe('a failed check of the doctor', () => {
  it('names the fields with unreadable values, and the kind of a value instead of the value', async () => {
    const fields = [
      { name: 'name', type: 'text' },
      { name: 'due', type: 'date' },
      { name: 'paid', type: 'boolean' },
    ];
    const values = { name: 'x', due: '/Date(1774949400000)/', paid: { isPaid: true } };
    const row = { idInstance: 1, values };
    const { env } = await startScripted(({ url }) => {
      if (url.includes('/instances/')) return { body: row };
      if (url.includes('/instances')) return { body: [row] };
      return url.startsWith('/v1.0/forms/') ? { body: { idForm: 'supplier', fields } } : undefined;
    });

    const { failed, stdout } = await examine(env);

    const kinds =
      /due \(a string as "\/aaaa\(9999999999999\)\/"\), supplier\.paid \(an object of isPaid\)/;
    expect(failed).toContainEqual(found('FAIL', 'values', kinds));
    expect(failed).toContainEqual(found('FAIL', 'values', 'docs/adapter.md'));
    expect(stdout).not.toContain('1774949400000');
  });

  it('is a note for a field that another member may hold, which the graph shows as an error', async () => {
    const { settings } = await startData({
      ...ownWords,
      supplier: (id, { company }) => ({
        ...Object(ownWords.supplier(id, { company })),
        state: 'active',
      }),
    });

    const { code, checks } = await examine(settings);

    expect(code).toBe(0);
    expect(checks).toContainEqual(
      found('note', 'values', /another member may hold them .*: supplier\.state/),
    );
  });

  it('has the status and the reason of a refusal', async () => {
    const { env } = await startScripted(() => ({
      status: 403,
      body: { errorCode: 'NOT_PERMITTED', message: 'Ask an administrator.' },
    }));

    const { code, failed } = await examine(env);

    expect(code).toBe(1);
    expect(failed).toEqual([
      found('FAIL', 'forms', /^HTTP 403: NOT_PERMITTED: Ask an administrator\.$/),
    ]);
  });

  it.each<[what: string, subject: string, finding: RegExp, start: () => Env | Promise<Env>]>([
    [
      'an unknown host',
      'connection',
      /host name is unknown.*UPSTREAM_URL/,
      () => ({ UPSTREAM_URL: 'http://nowhere.invalid' }),
    ],
    [
      'a refused connection',
      'connection',
      /ECONNREFUSED.*port/,
      () => ({ UPSTREAM_URL: 'http://127.0.0.1:9' }),
    ],
    [
      'a certificate from an unknown CA',
      'TLS',
      /not trusted.*UPSTREAM_CA_FILE/,
      async () => ({ UPSTREAM_URL: (await startTls(1)).url }),
    ],
    [
      'a wrong password',
      'token',
      /refuses the credentials.*HTTP 40/,
      async () => ({ ...(await startSandbox()), UPSTREAM_AUTH: 'basic' }),
    ],
    [
      'wrong credentials',
      'token',
      /refuses the credentials.*HTTP 40/,
      async () => ({ ...(await startSandbox()), UPSTREAM_AUTH: 'credentials' }),
    ],
    [
      'a wrong password of Redis',
      'redis',
      /^it refuses the credentials \(WRONGPASS\); check user name and pass/,
      async () => ({
        ...{ ...(await startSandbox()), UPSTREAM_PASSWORD: 'demo', SESSION_KEYS: storeKey() },
        REDIS_URL: (await startRedis({ password: 'right' })).url.replace('right', 'canary'),
      }),
    ],
  ])('names %s, and quotes no secret', async (_what, subject, finding, start) => {
    const settings = { UPSTREAM_USERNAME: 'demo', ...(await start()) };
    const UPSTREAM_PASSWORD = subject === 'redis' ? 'demo' : 'canary';

    const { code, failed, stdout, stderr } = await examine({ ...settings, UPSTREAM_PASSWORD });

    expect(code).toBe(1);
    expect(failed).toEqual([found('FAIL', subject, finding)]);
    expect(stdout + stderr).not.toContain('canary');
  });

  it('names a certificate that has expired', async () => {
    const { url, file } = await startTls(-1);
    // Node reads the extra authority when a process starts.
    const env = { UPSTREAM_URL: url, ...LOGIN, NODE_EXTRA_CA_CERTS: file };

    const { code, stdout } = await runMain(['doctor'], env).ended;

    expect(code).toBe(1);
    expect(stdout).toMatch(/^FAIL +TLS .*has expired/m);
  });

  it('names every invalid setting', async () => {
    const { code, failed } = await examine({ UPSTREAM_URL: 'platform.example', PORT: 'many' });

    expect(code).toBe(2);
    expect(failed.map(({ finding }) => finding.split(':')[0])).toEqual(
      expect.arrayContaining(['UPSTREAM_URL', 'PORT']),
    );
  });

  /** Starts a server with a certificate for `days` days from its own authority. */
  async function startTls(days: number) {
    const authority = makeAuthority();
    const server = createServer(authority.vouch('127.0.0.1', days));
    server.on('tlsClientError', () => undefined);
    return { url: (await listen(server)).replace('http:', 'https:'), file: authority.file };
  }
});

it('the doctor finds that Redis takes writes', async () => {
  const { url: REDIS_URL } = await startRedis();

  const { checks } = await examine({
    ...(await startSandbox()),
    REDIS_URL,
    SESSION_KEYS: storeKey(),
  });

  expect(checks).toContainEqual(found('ok', 'redis', 'takes writes'));
});

describe('npm run doctor with an adapter', () => {
  /** Runs the doctor with an adapter before a platform with one form and three rows. */
  async function examineWith(hooks: string) {
    const rows = { '1': { title: 'a' }, '2': { title: 'b' }, '3': { title: 'c' } };
    const answers: Readonly<Record<string, unknown>> = {
      '/api/types': { expense: { name: 'Expense' } },
      '/api/types/expense': { name: 'Expense', fields: [{ name: 'title', type: 'text' }] },
    };
    const { env, seen } = await scriptPlatform((sent) => {
      const limit = Number(searchOf(sent).get('limit') ?? 100);
      const { pathname } = new URL(sent.url, 'http://any');
      const isRows = pathname === '/api/types/expense/rows';
      const shown = Object.fromEntries(Object.entries(rows).slice(0, limit));
      return { body: isRows ? shown : answers[pathname] };
    });
    const folder = writeFolder({
      'dialect.json': { adapter: './adapter.ts', unchanged: { isAsked: false } },
      'adapter.ts': `export default { ${hooks} };`,
    });
    return {
      ...(await examine({ ...env, UPSTREAM_DIALECT: join(folder, 'dialect.json') })),
      seen,
    };
  }

  it('looks at the platform through it', async () => {
    const { checks, seen } = await examineWith(`
      request: ({ operation, ids, list }) => ({
        path: { getForms: ['api', 'types'], getForm: ['api', 'types', ids.formId] }[operation] ??
          ['api', 'types', ids.formId, 'rows'],
        query: { where: list && JSON.stringify(list.where), limit: list && String(list.perPage) },
      }),
      response({ operation, ids }, { body }) {
        if (operation === 'getForm') return { body: { idForm: ids.formId, ...body } };
        return { body: Object.entries(body).map(([id, row]) =>
          operation === 'getForms' ? { idForm: id, ...row } : { idInstance: id, values: row }) };
      }`);

    expect(checks).toContainEqual(found('ok', 'forms', /1 on the first page: expense/));
    expect(checks).toContainEqual(found('ok', 'form', /expense has 1 fields/));
    expect(checks).toContainEqual(found('ok', 'list', /3 on the first page of expense: 1, 2, 3/));
    expect(seen.every(({ url }) => url.startsWith('/api/types'))).toBe(true);
    expect(seen.some(({ url }) => url.includes(encodeURIComponent('"operator":"IN"')))).toBe(true);
  });

  it('names a failed one with the reason', async () => {
    const { failed, stderr } = await examineWith(
      `response() { throw new Error('no such member') }`,
    );

    expect(failed).toContainEqual(
      found('FAIL', 'forms', /The adapter adapter\.ts failed in response of getForms:/),
    );
    expect(stderr).toContain(
      'Warning: the adapter failed (adapter.ts, response of getForms): no such member.',
    );
  });
});
