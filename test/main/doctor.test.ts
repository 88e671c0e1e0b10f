import { existsSync, readFileSync } from 'node:fs';
import { createServer as createPlainServer } from 'node:http';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { makeAuthority } from '../faults/support/certificates.ts';
import { storeKey } from '../features/replicas/support.ts';
import { startPlatform } from '../identity/support.ts';
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

const runHere = (env: Env) => runCommand(['doctor'], env);
const runProcess = (env: Env) => runMain(['doctor'], env).ended;

/** Runs the doctor, and returns its findings by line, and the dialect that it proposes. */
async function examine(env: Env = {}, run = runHere) {
  const { code, stdout, stderr } = await run(env);
  const lines = stdout
    .split('\n')
    .flatMap((line) => /^(ok|note|FAIL|skip) +(.{11}) {2}(.+)$/.exec(line) ?? []);
  const findings = Array.from({ length: lines.length / 4 }, (_, index) => {
    const [verdict, subject = '', finding] = lines.slice(index * 4 + 1, index * 4 + 4);
    return { verdict, subject: subject.trim(), finding };
  });
  const [, json] = /should contain:\n(\{.*?\n\})/s.exec(stdout) ?? [];
  const dialect = json === undefined ? undefined : JSON.parse(json);
  return {
    code,
    stdout,
    stderr,
    findings,
    dialect,
    failed: findings.filter(({ verdict }) => verdict === 'FAIL'),
  };
}

/** Matches a line of the doctor. */
const found = (verdict: string, subject: string, finding: string | RegExp) => ({
  verdict,
  subject,
  finding: expect.stringMatching(finding),
});

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

/** The same platform with variant B of the interface. */
const VARIANT_B: Partial<PlatformData> = {
  variant: 'B',
  token: (token) => ({ body: { accessToken: token, expiresIn: 600 } }),
};
const variantOf = (variant: 'A' | 'B') => (variant === 'B' ? VARIANT_B : {});

/** The parameters of pages that a platform accepts. */
interface PageNames {
  readonly number?: string;
  readonly size?: string;
}

/** Starts a proxy before a sandbox. It changes each search, and may leave out the sort order. */
async function startSearching(change: (search: string) => string, isSorted = true) {
  const { url: sandbox } = await startPlatform();
  let calls = 0;
  const server = createPlainServer(async ({ method, url = '', headers }, response) => {
    calls++;
    const target = new URL(url, sandbox);
    const search = target.searchParams.get('search');
    if (search !== null && change(search) === '') target.searchParams.delete('search');
    if (!isSorted) target.searchParams.delete('sort');
    const answer = await fetch(target, {
      method: method ?? 'GET',
      headers: Object.fromEntries(
        ['authorization', 'accept', 'content-type', 'if-modified-since'].flatMap((name) =>
          headers[name] === undefined ? [] : [[name, String(headers[name])]],
        ),
      ),
      ...(method === 'POST' && { body: 'grant_type=client_credentials' }),
    });
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(answer.status === 304 ? undefined : await answer.text());
  });
  const url = await listen(server);
  return {
    settings: { UPSTREAM_URL: url, ...LOGIN },
    calls: () => calls,
  };
}

const SUBJECTS = [
  'settings',
  'connection',
  'token',
  'forms',
  'form',
  'list',
  'values',
  'instance',
  'error',
  'conditional',
  'operators',
  'sort',
];

/** The dialect that the doctor proposes if pages go by id. */
const PAGED_BY_ID = { list: { isPagedById: true } };

describe('npm run doctor with a working platform', () => {
  it('finds nothing wrong, and exits with 0', async () => {
    const { url } = await startPlatform();

    const { code, stdout, stderr, findings } = await examine(
      { UPSTREAM_URL: url, ...LOGIN },
      runProcess,
    );

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect([...new Set(findings.map(({ subject }) => subject))]).toEqual(SUBJECTS);
    expect(findings.filter(({ verdict }) => verdict !== 'ok')).toEqual([]);
    expect(stdout).toContain('The gateway can work with this platform.');
  });

  it('checks a sandbox of its own without settings', async () => {
    const { code, findings } = await examine();

    expect(code).toBe(0);
    expect(findings).toContainEqual(found('note', 'settings', 'sandbox'));
  });

  it.each(['A', 'B'] as const)(
    'agrees with the dialect of a platform with words of its own (variant %s)',
    async (variant) => {
      const { settings } = await startOwnWords(variantOf(variant));

      const { code, failed } = await examine(settings);

      expect(failed).toEqual([]);
      expect(code).toBe(0);
    },
  );
});

describe('npm run doctor with other platforms', () => {
  it('prints the dialect to use, with which it then finds nothing to change, and changes nothing there', async () => {
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
        operators: {
          EQ: 'equals',
          NE: 'differs',
          GT: 'above',
          GE: 'atLeast',
          LT: 'below',
          LE: 'atMost',
          LIKE: 'contains',
        },
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

  /** Starts a platform with three suppliers. `change` replaces responses. */
  const startScripted = (change: (request: SeenRequest) => ScriptedAnswer | undefined) =>
    scriptPlatform((request) => {
      const { pathname } = new URL(request.url, 'http://platform');
      const suppliers = [1, 2, 3].map((idInstance) => ({ idInstance, values: { name: 'x' } }));
      const definition = { idForm: 'supplier', fields: [{ name: 'name', type: 'text' }] };
      const bodies: Readonly<Record<string, unknown>> = {
        '/v1.0/forms': [definition],
        '/v1.0/forms/supplier': definition,
        '/v1.0/forms/supplier/instances': suppliers,
      };
      return change(request) ?? { body: bodies[pathname] };
    });

  it('finds items and ids under other names', async () => {
    const { env } = await startScripted(({ url }) => {
      if (!url.startsWith('/v1.0/forms?')) return undefined;
      return {
        body: { warnings: [], payload: { records: [{ formCode: 'supplier', label: 'Supplier' }] } },
      };
    });

    const { dialect, failed } = await examine(env);

    expect(failed.map(({ subject }) => subject)).toContain('forms');
    expect(dialect).toMatchObject({
      list: { embedded: ['payload', '_embedded'] },
      form: { id: ['formCode', 'idForm', 'id'] },
    });
  });

  it('proposes no id by which no form can be read', async () => {
    const { env } = await startScripted(({ url }) => {
      if (url.startsWith('/v1.0/forms?'))
        return { body: [{ code: 'supplier-1', label: 'Supplier' }] };
      return url.startsWith('/v1.0/forms/')
        ? { status: 404, body: { message: 'no such form' } }
        : undefined;
    });

    const { dialect, failed } = await examine(env);

    expect(failed).toHaveLength(2);
    expect(failed[1]).toEqual(found('FAIL', 'forms', /HTTP 404: no such form.*docs\/adapter\.md/));
    expect(dialect).toBeUndefined();
  });

  it('names the fields with unreadable values, and the kind of a value instead of the value', async () => {
    const fields = [
      { name: 'name', type: 'text' },
      { name: 'due', type: 'date' },
      { name: 'paid', type: 'boolean' },
    ];
    const rows = [
      {
        idInstance: 1,
        values: { name: 'x', due: '/Date(1774949400000)/', paid: { isPaid: true } },
      },
    ];
    const { env } = await startScripted(({ url }) => {
      if (url.includes('/instances/')) return { body: rows[0] };
      if (url.includes('/instances')) return { body: rows };
      return url.startsWith('/v1.0/forms/') ? { body: { idForm: 'supplier', fields } } : undefined;
    });

    const { failed, stdout } = await examine(env);

    const kinds =
      /due \(a string as "\/aaaa\(9999999999999\)\/"\), supplier\.paid \(an object of isPaid\)/;
    expect(failed).toContainEqual(found('FAIL', 'values', kinds));
    expect(failed).toContainEqual(found('FAIL', 'values', 'docs/adapter.md'));
    expect(stdout).not.toContain('1774949400000');
  });

  it('detects that a search is ignored', async () => {
    const { env } = await startScripted(() => undefined);

    const { dialect, failed } = await examine(env);

    expect(failed.map(({ subject }) => subject)).toContain('operators');
    expect(dialect.search.operators.IN).toBeNull();
  });

  it.each([
    ['LIKE', 'like'],
    ['GT', 'gt'],
  ])('detects that %s is ignored, alone', async (operator, word) => {
    const { settings, calls } = await startSearching((search) =>
      search.includes(`=${word}:`) ? '' : search,
    );

    const { code, dialect, failed, findings } = await examine(settings);

    expect(code).toBe(1);
    expect(dialect).toEqual({
      search: { operators: { [operator]: null } },
      list: { isPagedById: operator === 'LIKE' },
    });
    expect(failed).toEqual([found('FAIL', 'operators', operator)]);
    expect(findings).toContainEqual(found('ok', 'operators', 'EQ, IN, NE'));
    expect(calls()).toBeGreaterThan(0);
  });

  it.each([
    ['are found', 100, {}, { maxPageSize: 100, isPagedById: true }],
    ['are found, and pages are cut', 60, {}, { maxPageSize: 60, isPagedById: true }],
    ['are not found', 100, { criterion: 'ignores' }, { maxPageSize: 100, isPagedById: false }],
  ] as const)(
    'measures the largest page, and whether the rows after an id %s',
    async (_what, longestPage, does, list) => {
      const { env, held } = await startChangingPlatform({ tells: 'nothing', longestPage, ...does });
      held.list = new ChangingList(150);

      expect((await examine(env)).dialect).toMatchObject({ list });
    },
  );

  it('finds an ignored order, and proposes to leave it out of the graph', async () => {
    const { settings } = await startSearching((search) => search, false);

    const { code, findings, dialect } = await examine(settings);
    const after = await examine({ ...settings, UPSTREAM_DIALECT: writeDialect(dialect) });

    expect(code).toBe(0);
    expect(findings).toContainEqual(found('note', 'sort', 'orderBy'));
    expect(dialect).toEqual({ list: { isSorted: false } });
    expect(after.dialect).toBeUndefined();
    expect(after.findings).toContainEqual({
      verdict: 'ok',
      subject: 'sort',
      finding: expect.any(String),
    });
  });

  it('reads the page after a short one, and proposes the largest page', async () => {
    const depots = Array.from({ length: 68 }, (_, index) => [
      `depot-${index}`,
      { id: `depot-${index}` },
    ]);
    const { settings } = await startOwnWords({
      forms: { ...ownWords.forms, ...Object.fromEntries(depots) },
      cutsPages: true,
      list: ({ rows }) => ({ body: rows }),
      dialect: { ...ownWords.dialect, list: { firstPage: 0 } },
    });

    const { dialect, findings } = await examine(settings);

    expect(dialect).toMatchObject({ list: { maxPageSize: 50 } });
    expect(findings).toContainEqual(found('note', 'forms', 'a page has at most 50 rows'));
  });

  it.each([
    [
      'FAIL',
      'by their number alone',
      'it ignores page-number or per-page',
      { number: 'page-number' },
    ],
    ['FAIL', 'by their size alone', 'it ignores page-number or per-page', { size: 'per-page' }],
    ['note', 'not at all', 'its pages follow one another', {}],
  ])('finds out how lists are paged (%s): %s', async (verdict, _how, finding, names: PageNames) => {
    const { env } = await scriptPlatform(({ url }) => {
      const { pathname, searchParams } = new URL(url, 'http://platform');
      if (pathname !== '/v1.0/forms')
        return { body: { idForm: pathname.split('/')[3], fields: [] } };
      const ids = Array.from({ length: 30 }, (_, index) => index + 1);
      const size = Number(searchParams.get(names.size ?? '') ?? 20);
      const start = (Number(searchParams.get(names.number ?? '') ?? 1) - 1) * size;
      return {
        body: ids.slice(start, start + size).map((id) => ({ idForm: `f${id}`, fields: [] })),
      };
    });

    const { findings } = await examine(env);

    expect(findings).toContainEqual(found(verdict, 'forms', finding));
  });

  /** Starts a platform with 120 forms. The test sets how its pages work. */
  const startPaged = (
    {
      firstPage = 1,
      most = 100,
      status = 400,
    }: { firstPage?: number; most?: number; status?: number },
    wrap: (items: readonly object[], all: number) => object = (items) => items,
  ) =>
    scriptPlatform(({ url }) => {
      const { pathname, searchParams } = new URL(url, 'http://platform');
      if (pathname !== '/v1.0/forms')
        return {
          body: pathname.endsWith('/instances')
            ? []
            : { idForm: pathname.split('/')[3], fields: [] },
        };
      const size = Number(searchParams.get('per-page'));
      const at = Number(searchParams.get('page-number') ?? firstPage) - firstPage;
      if (at < 0 || size > most) return { status, body: { errorCode: 'PAGE' } };
      const forms = Array.from({ length: 120 }, (_, index) => ({
        idForm: `f${index + 1}`,
        fields: [],
      }));
      return { body: wrap(forms.slice(at * size, (at + 1) * size), forms.length) };
    });

  it.each<[says: object | undefined, firstPage: 0 | 1]>([
    [undefined, 0],
    [{ firstPage: 0 }, 1],
  ])(
    'finds the number of the first page where the dialect has %j, and it is %i',
    async (list, firstPage) => {
      const { env } = await startPaged({ firstPage });
      const UPSTREAM_DIALECT = writeDialect(list ? { list } : {});

      const { dialect, findings } = await examine({ ...env, UPSTREAM_DIALECT });
      const after = await examine({ ...env, UPSTREAM_DIALECT: writeDialect(dialect) });

      expect(dialect).toMatchObject({ list: { firstPage } });
      expect(findings).toContainEqual(found('FAIL', 'forms', /list\.firstPage|HTTP 400/));
      expect(findings).toContainEqual(
        found('ok', 'forms', /^100 on the first page: f1, f2, f3.*list\.firstPage/),
      );
      expect(after).toMatchObject({ code: 0, failed: [] });
    },
  );

  it.each([400, 422])('tries smaller pages where one is refused by %i', async (status) => {
    const { env } = await startPaged({ most: 25, status });

    const { dialect, failed } = await examine(env);

    expect(dialect).toMatchObject({ list: { maxPageSize: 25 } });
    expect(failed).toContainEqual(found('FAIL', 'forms', `HTTP ${status}: PAGE`));
  });

  it.each<
    [
      what: string,
      wrap: (items: readonly object[], all: number) => object,
      total: readonly string[] | undefined,
    ]
  >([
    ['that has another name', (items, rowCount) => ({ items, rowCount }), ['rowCount']],
    ['that is a text', (items, all) => ({ items, paging: { rows: String(all) } }), ['rows']],
    [
      'beside one that counts a page',
      (items, all) => ({ items, total: items.length, all }),
      ['all'],
    ],
    ['only where there is one', (items) => ({ items, rowCount: items.length }), undefined],
    ['only where a default name does not find it', (items, total) => ({ items, total }), undefined],
  ])('proposes a member that counts all rows: one %s', async (_what, wrap, total) => {
    const { env } = await startPaged({}, wrap);

    const { dialect } = await examine(env);

    expect(dialect.list.total).toEqual(total);
  });

  it.each([
    ['A', 'basic', 'credentials'],
    ['B', 'credentials', 'basic'],
  ] as const)(
    'tries the other variant where one is refused (variant %s)',
    async (variant, wrong, right) => {
      const { settings } = await startOwnWords(variantOf(variant));

      const { code, failed } = await examine({ ...settings, UPSTREAM_AUTH: wrong });

      expect(code).toBe(1);
      expect(failed).toEqual([found('FAIL', 'token', `set UPSTREAM_AUTH=${right}`)]);
    },
  );

  it('detects that every conditional request gets a 304', async () => {
    const { env } = await startScripted(({ headers }) =>
      headers['if-modified-since'] === undefined ? undefined : { status: 304, body: '' },
    );

    expect((await examine(env)).dialect.unchanged).toEqual({ isAsked: false });
  });

  it('reports status and reason of a refusal', async () => {
    const { env } = await startScripted(() => ({
      status: 403,
      body: { errorCode: 'NOT_PERMITTED', message: 'Ask an administrator.' },
    }));

    const { code, failed } = await examine(env);

    expect(code).toBe(1);
    expect(failed).toEqual([
      {
        verdict: 'FAIL',
        subject: 'forms',
        finding: 'HTTP 403: NOT_PERMITTED: Ask an administrator.',
      },
    ]);
  });
});

describe('npm run doctor with tokens', () => {
  const startIssuer = async (isKnown: (token: string, issued: readonly string[]) => boolean) => {
    const issued: string[] = [];
    const server = createPlainServer(({ url, headers: { authorization = '' } }, response) => {
      const isToken = url === '/v1.0/token';
      if (isToken) issued.push(`token-${issued.length}`);
      const status = isToken || isKnown(authorization.replace('Bearer ', ''), issued) ? 200 : 401;
      const body = isToken ? { access_token: issued.at(-1), expires_in: 3_600 } : [];
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    return examine({ UPSTREAM_URL: await listen(server), ...LOGIN });
  };

  it('finds that a second token ends the first, proposes a change, and continues with the second', async () => {
    const { code, findings } = await startIssuer((token, issued) => token === issued.at(-1));

    expect(findings).toContainEqual(
      found('note', 'token', /a second one ends the first: .*REDIS_URL/),
    );
    expect(findings.map(({ subject }) => subject)).toContain('forms');
    expect(code).toBe(0);
  });

  it('finds that a second one leaves the first valid', async () => {
    const { findings } = await startIssuer((token, issued) => issued.includes(token));

    expect(findings).toContainEqual({
      verdict: 'ok',
      subject: 'token',
      finding: 'a second one leaves the first valid',
    });
  });
});

describe('npm run doctor with Redis', () => {
  const examineRedis = async (REDIS_URL: string, env: Env = {}) => {
    const { url } = await startPlatform();
    return examine({ UPSTREAM_URL: url, ...LOGIN, REDIS_URL, SESSION_KEYS: storeKey(), ...env });
  };

  it('finds that it takes writes', async () => {
    const { url } = await startRedis();

    const { code, findings } = await examineRedis(url);

    expect(code).toBe(0);
    expect(findings).toContainEqual(found('ok', 'redis', 'takes writes'));
  });

  it('names a wrong password, and does not print it', async () => {
    const { url } = await startRedis({ password: 'right' });

    const { code, failed, stdout, stderr } = await examineRedis(url.replace('right', 'canary'));

    expect(code).toBe(1);
    expect(failed).toEqual([
      found('FAIL', 'redis', /^it refuses the credentials \(WRONGPASS\); check user name and pass/),
    ]);
    expect(stdout + stderr).not.toContain('canary');
  });
});

describe('npm run doctor --json', () => {
  const runJson = async (env: Env) => {
    const { code, stdout, stderr } = await runCommand(['doctor', '--json'], env);
    return { code, stderr, ...JSON.parse(stdout) };
  };

  it('prints each check, and null where no dialect is proposed', async () => {
    const { url } = await startPlatform();
    const env = { UPSTREAM_URL: url, ...LOGIN, UPSTREAM_DIALECT: writeDialect(PAGED_BY_ID) };

    const { code, stderr, checks, dialect } = await runJson(env);

    expect({ code, stderr, dialect }).toEqual({ code: 0, stderr: '', dialect: null });
    expect([...new Set(checks.map(({ subject }: { subject: string }) => subject))]).toEqual(
      SUBJECTS,
    );
    expect(checks[0]).toEqual(found('ok', 'settings', url));
  });

  it('prints the failed checks and the whole dialect, with the same exit code', async () => {
    const { settings } = await startSearching((search) =>
      search.includes('=like:') ? '' : search,
    );
    const UPSTREAM_DIALECT = writeDialect({
      list: { maxPageSize: 40 },
      search: { operators: { NE: 'ne' } },
    });

    const { code, stderr, checks, dialect } = await runJson({ ...settings, UPSTREAM_DIALECT });
    const wrong = await runJson({ UPSTREAM_URL: 'platform.example' });

    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('Failed checks: operators'),
    });
    expect(checks).toContainEqual(found('FAIL', 'operators', 'LIKE'));
    expect(dialect).toEqual({
      list: { maxPageSize: 40, isPagedById: true },
      search: { operators: { NE: 'ne', LIKE: null } },
    });
    expect(wrong).toMatchObject({ code: 2, dialect: null });
    expect(wrong.checks.at(-1)).toMatchObject({ verdict: 'skip', subject: 'platform' });
  });
});

describe('npm run doctor --write', () => {
  it('writes the whole dialect to a file', async () => {
    const { withoutDialect } = await startOwnWords();
    const UPSTREAM_DIALECT = writeDialect({ error: { retryAfterMs: 5 }, token: TOKEN });
    const file = join(writeFolder({}), 'dialect.json');

    const { code, stderr } = await runCommand(['doctor', '--write', file], {
      ...withoutDialect,
      UPSTREAM_DIALECT,
    });

    expect(code).toBe(1);
    expect(stderr).toContain(`UPSTREAM_DIALECT=${file}`);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
      error: { retryAfterMs: 5 },
      list: { maxPageSize: 50 },
      search: { operators: { EQ: 'equals' } },
    });
  });

  it('refuses a file that exists, before it looks at anything', async () => {
    const folder = writeFolder({ 'dialect.json': '{}\n' });
    const file = join(folder, 'dialect.json');
    const { settings, calls } = await startSearching((search) => search, false);

    const { code, stdout, stderr } = await runCommand(['doctor', '--write', file], settings);

    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(`${file} exists`)]);
    expect(readFileSync(file, 'utf8')).toBe('{}\n');
    expect(calls()).toBe(0);
  });

  it('names a file that cannot be written, and exits with 2', async () => {
    const { settings } = await startSearching((search) => search, false);

    const { code, stdout, stderr } = await runCommand(
      ['doctor', '--write', '/nowhere/dialect.json'],
      settings,
    );

    expect(code).toBe(2);
    expect(stdout).toContain('"isSorted": false');
    expect(stderr).toMatch(/cannot write \/nowhere\/dialect\.json: ENOENT/);
  });

  it('writes no file where it proposes nothing', async () => {
    const file = join(writeFolder({}), 'dialect.json');

    const env = { UPSTREAM_DIALECT: writeDialect(PAGED_BY_ID) };
    const { code, stderr } = await runCommand(['doctor', '--write', file], env);

    expect(code).toBe(0);
    expect(stderr).toContain(`${file} is not written`);
    expect(existsSync(file)).toBe(false);
  });
});

describe('npm run doctor with an unusable platform', () => {
  const failureOf = async (env: Env, run = runHere) => {
    const { code, failed, stdout, stderr } = await examine(
      { ...LOGIN, UPSTREAM_PASSWORD: 'canary', ...env },
      run,
    );
    expect(code).toBe(1);
    expect(stdout + stderr).not.toContain('canary');
    expect(failed).toHaveLength(1);
    return failed[0];
  };

  it.each([
    [
      'an unknown host',
      'http://nowhere.invalid',
      'connection',
      /host name is unknown.*UPSTREAM_URL/,
    ],
    ['a refused connection', 'http://127.0.0.1:9', 'connection', /ECONNREFUSED.*port/],
  ])('names %s', async (_what, UPSTREAM_URL, subject, says) => {
    expect(await failureOf({ UPSTREAM_URL })).toEqual(found('FAIL', subject, says));
  });

  it.each([
    ['from an unknown CA', /not trusted.*UPSTREAM_CA_FILE/, 1],
    ['that has expired', /has expired/, -1],
  ])('names a certificate %s', async (_what, says, days) => {
    const authority = makeAuthority();
    const server = createServer(authority.vouch('127.0.0.1', days)).on(
      'tlsClientError',
      () => undefined,
    );
    const UPSTREAM_URL = (await listen(server)).replace('http:', 'https:');

    // Node reads the extra authority when a process starts.
    const failure = await (days > 0
      ? failureOf({ UPSTREAM_URL })
      : failureOf({ UPSTREAM_URL, NODE_EXTRA_CA_CERTS: authority.file }, runProcess));

    expect(failure).toEqual(found('FAIL', 'TLS', says));
  });

  it.each(['basic', 'credentials'])('names a wrong password (%s)', async (UPSTREAM_AUTH) => {
    const { url: UPSTREAM_URL } = await startPlatform();

    expect(await failureOf({ UPSTREAM_URL, UPSTREAM_AUTH })).toEqual(
      found('FAIL', 'token', /refuses the credentials.*HTTP 40/),
    );
  });

  it('lists every invalid setting', async () => {
    const { code, failed } = await examine({ UPSTREAM_URL: 'platform.example', PORT: 'many' });

    expect(code).toBe(2);
    expect(failed.map(({ finding }) => finding?.split(':')[0])).toEqual(
      expect.arrayContaining(['UPSTREAM_URL', 'PORT']),
    );
  });
});

describe('npm run doctor with an adapter', () => {
  const rows = { '1': { title: 'a' }, '2': { title: 'b' }, '3': { title: 'c' } };
  const answers: Readonly<Record<string, unknown>> = {
    '/api/types': { expense: { name: 'Expense' } },
    '/api/types/expense': { name: 'Expense', fields: [{ name: 'title', type: 'text' }] },
    '/api/types/expense/rows': rows,
  };
  const request = `request: ({ operation, ids, list }) => ({
    path: { getForms: ['api', 'types'], getForm: ['api', 'types', ids.formId] }[operation] ??
      ['api', 'types', ids.formId, 'rows'],
    query: { where: list && JSON.stringify(list.where), limit: list && String(list.perPage) },
  })`;
  const response = `response({ operation, ids }, { body }) {
    if (operation === 'getForm') return { body: { idForm: ids.formId, ...body } };
    return { body: Object.entries(body).map(([id, row]) =>
      operation === 'getForms' ? { idForm: id, ...row } : { idInstance: id, values: row }) };
  }`;

  async function examineWith(hooks: string) {
    const platform = await scriptPlatform(({ url }) => {
      const { pathname, searchParams } = new URL(url, 'http://any');
      const body = answers[pathname];
      const limit = Number(searchParams.get('limit') ?? 100);
      const isList = searchParams.has('limit') && typeof body === 'object' && body !== null;
      return { body: isList ? Object.fromEntries(Object.entries(body).slice(0, limit)) : body };
    });
    const folder = writeFolder({
      'dialect.json': { adapter: './adapter.ts', unchanged: { isAsked: false } },
      'adapter.ts': `export default { ${hooks} };`,
    });
    const examined = await examine({
      ...platform.env,
      UPSTREAM_DIALECT: join(folder, 'dialect.json'),
    });
    return { ...examined, seen: platform.seen };
  }

  it('looks at the platform through it', async () => {
    const { findings, seen } = await examineWith(`${request}, ${response}`);

    expect(findings).toContainEqual(found('ok', 'forms', /1 on the first page: expense/));
    expect(findings).toContainEqual(found('ok', 'form', /expense has 1 fields/));
    expect(findings).toContainEqual(found('ok', 'list', /3 on the first page of expense: 1, 2, 3/));
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

it('the doctor notes a field that another member may hold, which the graph shows as an error', async () => {
  const { settings } = await startData({
    ...ownWords,
    supplier: (id, { company }) => ({
      ...Object(ownWords.supplier(id, { company })),
      state: 'active',
    }),
  });

  const { code, findings } = await examine(settings);

  expect(code).toBe(0);
  expect(findings).toContainEqual(
    found('note', 'values', /another member may hold them .*: supplier\.state/),
  );
});
