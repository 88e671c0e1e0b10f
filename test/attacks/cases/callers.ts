import { hash } from 'node:crypto';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startPlatform } from '../platform.ts';
import { type Answer, type Attack, post, send } from '../request.ts';

const KEYS = {
  CALLER_AUTH: 'key',
  CALLER_KEYS: ['ann', 'bob'].map((name) => `${name}:${hash('sha256', name)}`).join(),
};

/** Sends an operation as this caller. */
const ask = (url: string, caller: string, query: string): Promise<Answer> =>
  send(url, post(JSON.stringify({ query }), { headers: { 'x-api-key': caller } }));

const many = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n));

/** Starts a platform that never answers for one of its forms. */
const startSilentPlatform = () =>
  startPlatform(({ url }, response) => {
    if (!url?.includes('/forms/silent')) response.end('{"items":[]}');
  });

/** Attacks by one caller on the capacity of another. */
export const CALLER_ATTACKS: readonly Attack[] = [
  {
    name: 'one caller whose reads are never answered, beside 100 reads of another',
    status: [200],
    startPlatform: startSilentPlatform,
    env: () => ({ ...KEYS, UPSTREAM_TIMEOUT_MS: '1000' }),
    prepare: () => async (url) => {
      const read = (formId: string) => `{ instances(formId: "${formId}") { nodes { id } } }`;
      const isServed = ({ text }: Answer) => !text.includes('"errors"');
      let isOver = false;
      const harm = async () => {
        while (!isOver) await ask(url, 'ann', read('silent'));
      };
      const harming = many(25, harm);
      // Waits until the circuit breaker has seen only timeouts.
      await new Promise((resolve) => setTimeout(resolve, 4_000));
      let served = 0;
      for (let n = 0; n < 100; n++) if (isServed(await ask(url, 'bob', read(`form${n}`)))) served++;
      isOver = true;
      await Promise.all(harming);
      return [{ status: served >= 95 ? 200 : 0, text: `${served} of 100 were served` }];
    },
  },
];

const folder = mkdtempSync(join(tmpdir(), 'attacks-'));
const AUDIT_FILE = join(folder, 'audit.jsonl');
const countLines = (): number => readFileSync(AUDIT_FILE, 'utf8').match(/\S.*/g)?.length ?? 0;

/** Attacks by a caller with a role on data outside it. */
export const ROLE_ATTACKS: readonly Attack[] = [
  {
    name: '100 refused fields of many kinds in one request, with an audit that is synced',
    status: [403],
    env() {
      const ROLES = join(folder, 'roles.json');
      writeFileSync(
        ROLES,
        '{"callers":{"ann":"reader"},"roles":{"reader":{"forms":{"expense":["read"]}}}}',
      );
      writeFileSync(AUDIT_FILE, '');
      return { ...KEYS, ROLES, AUDIT_FILE };
    },
    prepare: () => async (url) => {
      const refused = [
        (n: number) => `a${n}: form(formId: "f${n}") { name }`,
        (n: number) => `a${n}: instances(formId: "f${n}") { totalCount }`,
        (n: number) => `a${n}: rule(component: "r${n}", version: "1") { name }`,
        () => 'forms { totalCount }',
      ];
      const before = countLines();
      const fields = many(100, (n) => refused[n < 99 ? n % 3 : 3]?.(n));
      const answer = await ask(url, 'ann', `{ ${fields.join(' ')} }`);
      const lines = countLines() - before;
      return [lines === 1 ? answer : { status: 0, text: `${lines} lines were written` }];
    },
  },
];
