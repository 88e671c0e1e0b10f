import { spawn } from 'node:child_process';
import { hash, randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createSandbox } from '../../sandbox/index.ts';
import { readAddresses } from '../support/addresses.ts';
import { type Env, postGraphql } from '../support/gateway.ts';
import { COMPILED, MAIN } from '../support/run.ts';

const ROOT = join(import.meta.dirname, '../..');
const PRODUCTION = {
  NODE_ENV: 'production',
  // The image's limits of Node's memory.
  NODE_OPTIONS:
    /NODE_OPTIONS="(.*?)"/.exec(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'))?.[1] ?? '',
  CALLER_AUTH: 'none',
  TYPED_FORMS: 'none',
  PORT: '0',
};

/** A gateway with production settings, in a process of its own. */
export interface GatewayProcess {
  readonly url: string;
  isAlive(): boolean;
  /** Returns the text that it has printed. */
  output(): string;
  /** Returns the CPU time of all its threads, in milliseconds. */
  cpuMs(): number;
  /** Returns its memory, in megabytes. */
  memoryMb(): number;
  /** Starts watching its memory, and returns a function that returns the peak since then. */
  watchMemory(): () => number;
  stop(): Promise<void>;
}

/** Starts a gateway with production settings in a process of its own. */
export async function startProcess(env: Env): Promise<GatewayProcess> {
  const child = spawn(process.execPath, [MAIN], {
    env: { ...COMPILED, ...PRODUCTION, ...env },
    cwd: tmpdir(),
  });
  const closed = once(child, 'close');
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  const failed = closed.then(() => Promise.reject(new Error(output)));
  let addresses = readAddresses(output);
  while (addresses === undefined) {
    await Promise.race([once(child.stdout, 'data'), failed]);
    addresses = readAddresses(output);
  }
  failed.catch(() => undefined);

  const folder = `/proc/${child.pid}`;
  const readMb = (name: string): number => {
    const [, kilobytes] =
      new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`${folder}/status`, 'utf8')) ?? [];
    return Number(kilobytes) / 1_024;
  };
  return {
    url: addresses.url,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    output: () => output,
    cpuMs() {
      const ticks = readFileSync(`${folder}/stat`, 'utf8')
        .replace(/^.*\) /, '')
        .split(' ');
      return 10 * (Number(ticks[11]) + Number(ticks[12]));
    },
    memoryMb: () => readMb('VmRSS'),
    watchMemory() {
      const before = readMb('VmRSS');
      // Resets the peak to the current memory: see proc(5).
      writeFileSync(`${folder}/clear_refs`, '5');
      return () => readMb('VmHWM') - before;
    },
    async stop() {
      child.kill('SIGKILL');
      await closed;
    },
  };
}

/** Trusted documents, which are tools too. Together they have all kinds of arguments. */
const DOCUMENTS: Readonly<Record<string, string>> = {
  Search: `query Search($where: [CriterionInput!], $orderBy: [OrderInput!], $after: String) {
    instances(formId: "purchase-request", where: $where, orderBy: $orderBy, after: $after, first: 100) {
      totalCount
      nodes { values }
    }
  }`,
  Filter: `query Filter($where: PurchaseRequestFilterInput, $names: [String!]) {
    purchaseRequests(where: $where, first: 100) { nodes { title notes amount } }
    suppliers(where: { name: { in: $names } }) { totalCount }
  }`,
  Create: `mutation Create($values: JSONObject!) {
    createInstance(input: { formId: "supplier", values: $values }) { instance { values } }
  }`,
  Bulk: `mutation Bulk($items: [UpdateSuppliersItem!]!) {
    updateSuppliers(input: { items: $items }) { done results { error { message violations } } }
  }`,
};

const READABLE = { supplier: ['read'], employee: ['read'], expense: ['read'] };
const ROLES = {
  callers: { reader: 'reader' },
  roles: {
    reader: { forms: { ...READABLE, 'purchase-request': ['read', 'create'] }, schema: true },
  },
};

/** Callers with a key, without a session, and with a role. */
export const CALLERS = ['key', 'stranger', 'reader'] as const;
export type Caller = (typeof CALLERS)[number];

/** Starts a gateway for each kind of caller before one sandbox with full pages of long texts. */
export async function startGateways() {
  const folder = mkdtempSync(join(tmpdir(), 'amplifiers-'));
  mkdirSync(join(folder, 'documents'));
  for (const [name, text] of Object.entries(DOCUMENTS)) {
    writeFileSync(join(folder, 'documents', `${name}.graphql`), `"Is called here."\n${text}`);
  }
  writeFileSync(join(folder, 'roles.json'), JSON.stringify(ROLES));
  const sandbox = createSandbox({ file: ':memory:', requestLimit: 0 });
  const common = {
    UPSTREAM_URL: await sandbox.listen({ port: 0, host: '127.0.0.1' }),
    UPSTREAM_USERNAME: 'demo',
    UPSTREAM_PASSWORD: 'demo',
    // MCP gets a share of these calls, and no request may wait for one.
    UPSTREAM_CALLS_PER_MINUTE: '1000000',
    TYPED_FORMS: '*',
    TYPED_RULES: 'approval-level@1.0',
    FEDERATION: 'on',
    MCP: 'all',
    DOCUMENTS: join(folder, 'documents'),
  };
  const keyOf = (caller: Caller) => ({
    CALLER_AUTH: 'key',
    CALLER_KEYS: `${caller}:${hash('sha256', caller)}`,
  });
  const [key, stranger, reader] = await Promise.all([
    startProcess({ ...common, ...keyOf('key') }),
    startProcess({
      ...common,
      CALLER_AUTH: '',
      IDENTITY: 'user',
      SESSION_KEYS: randomBytes(32).toString('base64'),
    }),
    startProcess({
      ...common,
      ...keyOf('reader'),
      ROLES: join(folder, 'roles.json'),
      PLAYGROUND: 'on',
      // This mode compares each document with the trusted ones.
      DOCUMENTS_MODE: 'log',
    }),
  ]);
  const gateways = { key, stranger, reader };
  const stop = async () => {
    for (const gateway of Object.values(gateways)) await gateway.stop();
    await sandbox.close();
    rmSync(folder, { recursive: true });
  };
  try {
    for (let n = 0; n < 4; n++) await createRows(key.url);
  } catch (error) {
    await stop();
    throw error;
  }
  return { ...gateways, stop };
}

/** Creates 25 rows of two forms with long texts. */
async function createRows(url: string): Promise<void> {
  const request = {
    title: 'A',
    amount: 1,
    quantity: 1,
    status: 'draft',
    requester: 1,
    notes: createText(2_000),
  };
  const employee = {
    name: 'A',
    email: 'a@example.org',
    department: 'finance',
    active: true,
    jobTitle: createText(80),
  };
  const query = `mutation ($requests: [CreateInstancesItem!]!, $employees: [CreateInstancesItem!]!) {
    a: createInstances(input: { formId: "purchase-request", items: $requests }) { done }
    b: createInstances(input: { formId: "employee", items: $employees }) { done }
  }`;
  const variables = {
    requests: Array(25).fill({ values: request }),
    employees: Array(25).fill({ values: employee }),
  };
  const answer = await postGraphql(url, { query, variables }, { 'x-api-key': 'key' });
  const isDone = answer.data?.a.done === 25 && answer.data.b.done === 25;
  if (!isDone) throw new Error(JSON.stringify(answer));
}

/** Returns a text that compresses badly. Each character has three bytes in UTF-8. */
const createText = (length: number): string =>
  String.fromCharCode(...Array.from({ length }, () => randomInt(0x4e00, 0x9fff)));

/** The most CPU time and memory that one request may take. */
const MAX_CPU_MS = 250;
const MAX_GROWTH_MB = 64;
/** A request fails only if each of these tries takes too much: a busy machine sometimes stalls. */
const TRIES = 3;
/** A request above this is not repeated. */
const HOPELESS_MS = 1_000;

/** The response to a request, and its excess if it took too much or ended the process. */
export interface Answered {
  readonly status: number;
  readonly text: string;
  readonly excess: string | undefined;
}

/** Sends a request, again while it takes too much CPU time or memory. */
export async function send(gateway: GatewayProcess, path: string, init: RequestInit) {
  let answered = await sendOnce(gateway, path, init);
  for (let n = 1; n < TRIES && answered.isRepeatable; n++) {
    answered = await sendOnce(gateway, path, init);
  }
  return answered;
}

async function sendOnce(gateway: GatewayProcess, path: string, init: RequestInit) {
  const startMs = gateway.cpuMs();
  const peakMb = gateway.watchMemory();
  const { status, text } = await exchange(`${gateway.url}${path}`, init);
  if (!gateway.isAlive()) return { status, text, excess: 'the process ended', isRepeatable: false };
  if ((status >= 500 && status !== 503) || text.includes('INTERNAL_SERVER_ERROR')) {
    return { status, text, excess: `a bug: ${text.slice(0, 500)}`, isRepeatable: false };
  }
  const usedMs = gateway.cpuMs() - startMs;
  const growthMb = peakMb();
  const cpuMs = usedMs < MAX_CPU_MS / 2 ? usedMs : usedMs / measureSpeed();
  const isWithin = cpuMs <= MAX_CPU_MS && growthMb <= MAX_GROWTH_MB;
  const excess = isWithin ? undefined : `${Math.round(cpuMs)} ms, ${Math.round(growthMb)} MB`;
  return { status, text, excess, isRepeatable: !isWithin && cpuMs < HOPELESS_MS };
}

/** Returns the response of a request; for a stream, up to its first event. */
async function exchange(url: string, init: RequestInit) {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(60_000) });
    let text = '';
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk;
      if (/event: \w[\s\S]*?\n\n/.test(text.slice(0, 1_000_000))) break;
    }
    return { status: response.status, text };
  } catch (error) {
    return { status: 0, text: String(error) };
  }
}

/** The time that the loop takes on the machine that the bounds are for. */
const REFERENCE_MS = 25;
const ROW = { id: '1', values: { title: 'A chair', amount: 1.5, tags: ['a', 'b'], isOpen: true } };

/** Returns the time of a fixed amount of work on this machine, relative to `REFERENCE_MS`. */
function measureSpeed(): number {
  const text = JSON.stringify(Array(1_000).fill(ROW));
  const before = process.cpuUsage();
  for (let round = 0; round < 21; round++) {
    const rows: (typeof ROW)[] = JSON.parse(text);
    JSON.stringify(rows.map(({ values }) => Object.entries(values)));
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / REFERENCE_MS;
}
