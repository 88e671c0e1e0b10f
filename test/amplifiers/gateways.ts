import { spawn } from 'node:child_process';
import { hash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { GraphQLSchema } from 'graphql';

import { NODE_OPTIONS, startTarget, type Target } from '../attacks/target.ts';
import { COMPILED, MAIN } from '../support/run.ts';
import { TOOLS } from './tools.ts';
import { valueAround } from './values.ts';

/** Callers with a key, without a session, and under a role, to whom the schema is shown. */
export const CALLERS = ['key', 'stranger', 'reader'] as const;
export type CallerKind = (typeof CALLERS)[number];

const ROLES = {
  callers: { reader: 'reader' },
  roles: {
    reader: {
      forms: { 'purchase-request': ['read', 'create'], supplier: ['read'], employee: ['read'], expense: ['read'] },
      schema: true,
    },
  },
};

/** Starts the sandbox in a process of its own, so that its work does not count. */
export async function startSandbox() {
  const child = spawn(process.execPath, [MAIN, 'sandbox'], {
    env: { ...COMPILED, SANDBOX_FILE: ':memory:', PORT: '0' },
    cwd: tmpdir(),
  });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.resume();
  while (!output.includes('Ctrl+C')) await once(child.stdout, 'data');
  const url = /(http:\S+)\/v1\.0/.exec(output)?.[1] ?? '';
  return { url, stop: () => void child.kill('SIGKILL') };
}

/** Writes the documents and the roles of all gateways into a folder. */
export function writeFiles(folder: string): void {
  mkdirSync(join(folder, 'documents'));
  for (const [name, text] of Object.entries(TOOLS)) {
    writeFileSync(join(folder, 'documents', `${name}.graphql`), `"Is called here."\n${text}`);
  }
  writeFileSync(join(folder, 'roles.json'), JSON.stringify(ROLES));
}

/** Starts a gateway as production runs it, for one kind of caller. */
export function startGateway(caller: CallerKind, sandboxUrl: string, folder: string): Promise<Target> {
  const withKey = { CALLER_AUTH: 'key', CALLER_KEYS: `${caller}:${hash('sha256', caller)}` };
  const settings: Readonly<Record<CallerKind, Readonly<Record<string, string>>>> = {
    key: withKey,
    stranger: { CALLER_AUTH: '', IDENTITY: 'user', SESSION_KEYS: randomBytes(32).toString('base64') },
    reader: { ...withKey, ROLES: join(folder, 'roles.json'), PLAYGROUND: 'on' },
  };
  return startTarget({
    startPlatform: async () => ({ url: sandboxUrl, stop: () => undefined }),
    env: () => ({
      NODE_OPTIONS: `${NODE_OPTIONS} --inspect=127.0.0.1:0`,
      TYPED_FORMS: '*',
      TYPED_RULES: 'approval-level@1.0',
      FEDERATION: 'on',
      MCP: 'all',
      DOCUMENTS: join(folder, 'documents'),
      // The share of MCP is a part of it, and no payload may wait for calls.
      UPSTREAM_CALLS_PER_MINUTE: '1000000',
      ...settings[caller],
    }),
  });
}

/** Rows that are created for each of these forms, with a long text in a field. */
const FILLED = { createPurchaseRequests: 'notes', createEmployees: 'jobTitle' };
const ROWS = 100;
const LONG_TEXTS: Readonly<Record<string, number>> = { notes: 2_000, jobTitle: 80 };

/** Creates rows in the sandbox, so that lists have full pages. */
export async function fillSandbox(url: string, schema: GraphQLSchema): Promise<void> {
  for (const [name, field] of Object.entries(FILLED)) {
    const [input] = schema.getMutationType()?.getFields()[name]?.args ?? [];
    if (input === undefined) throw new Error(`There is no mutation ${name}.`);
    const text = randomBytes(1_000).toString('hex').slice(0, LONG_TEXTS[field]);
    const { json } = valueAround(input.type, {
      path: ['items', 'values', field],
      items: ROWS,
      leaf: () => ({ literal: '', json: JSON.stringify(text) }),
    });
    const query = `mutation ($input: ${input.type}) { ${name}(input: $input) { done } }`;
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': 'key' },
      body: `{"query":${JSON.stringify(query)},"variables":{"input":${json}}}`,
    });
    const answer = await response.text();
    if (!answer.includes(`"done":${ROWS}`)) throw new Error(`${name} failed: ${answer.slice(0, 500)}`);
  }
}
