import { spawn } from 'node:child_process';
import { hash, randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { GraphQLSchema } from 'graphql';

import { NODE_OPTIONS, startTarget, type Target } from '../attacks/target.ts';
import { COMPILED, MAIN } from '../support/run.ts';
import { TOOLS } from './tools.ts';
import { valueAround } from './values.ts';

/** Callers with a key, without a session, and with a role. All may see the schema. */
export const CALLERS = ['key', 'stranger', 'reader'] as const;
export type CallerKind = (typeof CALLERS)[number];

const ROLES = {
  callers: { reader: 'reader' },
  roles: {
    reader: {
      forms: {
        'purchase-request': ['read', 'create'],
        supplier: ['read'],
        employee: ['read'],
        expense: ['read'],
      },
      schema: true,
    },
  },
};

/** Starts the sandbox in a process of its own, so that its work is not measured. */
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

/** Starts a gateway with production settings, for one kind of caller. */
export function startGateway(
  caller: CallerKind,
  sandboxUrl: string,
  folder: string,
): Promise<Target> {
  const withKey = { CALLER_AUTH: 'key', CALLER_KEYS: `${caller}:${hash('sha256', caller)}` };
  const settings: Readonly<Record<CallerKind, Readonly<Record<string, string>>>> = {
    key: withKey,
    stranger: {
      CALLER_AUTH: '',
      IDENTITY: 'user',
      SESSION_KEYS: randomBytes(32).toString('base64'),
    },
    reader: {
      ...withKey,
      ROLES: join(folder, 'roles.json'),
      PLAYGROUND: 'on',
      // This mode compares each document with the trusted ones.
      DOCUMENTS_MODE: 'log',
    },
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
      // MCP gets a share of these calls, and no payload may wait for one.
      UPSTREAM_CALLS_PER_MINUTE: '1000000',
      ...settings[caller],
    }),
  });
}

/** A mutation that creates rows. `length` is the length of the text in one field. */
interface Filling {
  readonly mutation: string;
  readonly field: string;
  readonly length: number;
}

const FILLINGS: readonly Filling[] = [
  { mutation: 'createPurchaseRequests', field: 'notes', length: 2_000 },
  { mutation: 'createEmployees', field: 'jobTitle', length: 80 },
];
/** The rows that one request creates. A full page takes four requests. */
const ROWS = 25;
const REQUESTS = 4;
const PLACEHOLDER = '"a long text"';

/** Creates rows in the sandbox, so that lists have full pages. */
export async function fillSandbox(url: string, schema: GraphQLSchema): Promise<void> {
  for (const filling of FILLINGS) {
    for (let n = 0; n < REQUESTS; n++) await createRows(url, schema, filling);
  }
}

async function createRows(url: string, schema: GraphQLSchema, filling: Filling): Promise<void> {
  const { mutation, field, length } = filling;
  const [input] = schema.getMutationType()?.getFields()[mutation]?.args ?? [];
  if (input === undefined) throw new Error(`There is no mutation ${mutation}.`);
  const { json } = valueAround(input.type, {
    path: ['items', 'values', field],
    items: ROWS,
    leaf: () => ({ literal: '', json: PLACEHOLDER }),
  });
  const filled = json.replaceAll(PLACEHOLDER, () => JSON.stringify(createText(length)));
  const query = `mutation ($input: ${input.type}) { ${mutation}(input: $input) { done } }`;
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': 'key' },
    body: `{"query":${JSON.stringify(query)},"variables":{"input":${filled}}}`,
  });
  const answer = await response.text();
  if (!answer.includes(`"done":${ROWS}`)) {
    throw new Error(`${mutation} failed: ${answer.slice(0, 500)}`);
  }
}

/** Returns a text that compresses badly. Each character has three bytes in UTF-8. */
const createText = (length: number): string =>
  String.fromCharCode(...Array.from({ length }, () => randomInt(0x4e00, 0x9fff)));
