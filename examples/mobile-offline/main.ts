import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { fileURLToPath } from 'node:url';
import { errorsOf, isRetryable } from 'caseway/client';
import type { OfflineQueue, QueuedChange, SentChange } from 'caseway/client/offline';

import type { Answer } from './client/answers.ts';
import { createDevice } from './client/device.ts';
import { openStore } from './client/store.ts';

const { CASEWAY_URL = 'http://127.0.0.1:4000' } = process.env;
const CASEWAY_FOLDER = process.env['CASEWAY_FOLDER'] ?? join(homedir(), '.caseway-offline');
const store = openStore(CASEWAY_FOLDER);
const device = createDevice({ url: CASEWAY_URL, store, isUnsent, now: Date.now });

/** The commands of the client. Each one returns the lines to print. */
const COMMANDS: Readonly<
  Record<string, { readonly about: string; run(...words: string[]): Promise<readonly string[]> }>
> = {
  gateway: {
    about: 'starts a gateway with a sandbox and only this client’s documents',
    run: runGateway,
  },
  'sign-in NAME': {
    about: 'signs in with a password from the first line of standard input',
    async run(name = '') {
      const session = await device.signIn(name, await readLine());
      return [`Signed in as ${session.name}, until ${session.expiresAt}.`];
    },
  },
  inbox: {
    about: 'shows the purchase requests that wait for a decision',
    async run() {
      const { answer, outbox } = device.person();
      return formatInbox(
        await answer({ documentId: 'inbox', variables: { first: 10 } }),
        await outbox.list(),
      );
    },
  },
  'decide INSTANCE approved|rejected': {
    about: 'approves or rejects a request, now or when the gateway responds',
    async run(instanceId = '', decision = '') {
      if (!['approved', 'rejected'].includes(decision))
        throw new Error('A request is approved or rejected.');
      const { outbox } = device.person();
      const values = { status: decision.toUpperCase() };
      await outbox.add({
        operation: 'decide',
        variables: { instanceId, values, expected: { status: 'SUBMITTED' } },
        isItem: true,
        record: instanceId,
        note: `request ${instanceId}: ${decision}`,
      });
      return send(outbox);
    },
  },
  'order AMOUNT TITLE': {
    about: 'starts the approval of a purchase, now or when the gateway responds',
    async run(amount = '', title = '') {
      if (!(Number(amount) > 0)) throw new Error('An amount is a number above 0.');
      const { outbox } = device.person();
      const variables = { values: { title, amount: Number(amount) } };
      const note = `order of ${title} for ${amount} EUR`;
      await outbox.add({ operation: 'order', variables, note });
      return send(outbox);
    },
  },
  sync: {
    about: 'sends waiting changes; an app does it when the device is online',
    run: async () => send(device.person().outbox),
  },
  outbox: {
    about: 'lists waiting changes',
    async run() {
      const lines = (await device.person().outbox.list()).map(formatChange);
      return lines.length > 0 ? lines : ['Nothing waits.'];
    },
  },
  'drop ID': {
    about: 'removes a waiting change',
    async run(id = '') {
      await device.person().outbox.remove(id);
      return [`Dropped ${id}.`];
    },
  },
  'sign-out': {
    about: 'signs out and deletes stored responses',
    async run() {
      const isConfirmed = await device.signOut();
      return [
        isConfirmed ? 'Signed out.' : 'Signed out on this device; the gateway does not answer.',
      ];
    },
  },
};

/**
 * Runs a gateway. Its session keys are stored with the client's data, so sessions survive a
 * restart.
 */
async function runGateway(): Promise<readonly string[]> {
  const keys = store.read<string>('session-keys') ?? randomBytes(32).toString('base64url');
  store.write('session-keys', keys);
  const documents = join(import.meta.dirname, 'documents');
  const settings = {
    IDENTITY: 'user',
    SESSION_KEYS: keys,
    DOCUMENTS: documents,
    DOCUMENTS_MODE: 'enforce',
  };
  const program = new URL('caseway.mjs', import.meta.resolve('caseway/package.json'));
  const child = spawn(process.execPath, [fileURLToPath(program)], {
    env: { ...settings, ...process.env },
    stdio: 'inherit',
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  await once(child, 'exit');
  return [];
}

/** The codes of Node's `fetch` for a connection that was not opened. */
const UNSENT = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
];

function isUnsent(error: unknown): boolean {
  const cause =
    error instanceof Error ? (error.cause as { readonly code?: string } | undefined) : undefined;
  return UNSENT.includes(cause?.code ?? '');
}

/**
 * Reads the first line of standard input, so that a password is not in a list of processes or a
 * shell history.
 */
async function readLine(): Promise<string> {
  for await (const line of createInterface({ input: process.stdin })) return line;
  return '';
}

async function send(outbox: OfflineQueue): Promise<readonly string[]> {
  const { changes } = await outbox.flush();
  const refused = changes.filter(({ outcome }) => outcome === 'refused');
  await outbox.remove(...refused.map(({ change }) => change.id));
  return changes.length > 0 ? changes.map(formatSent) : ['Nothing waits.'];
}

/** The data of `documents/inbox.graphql`. */
interface Inbox {
  readonly purchaseRequests: {
    readonly totalCount: number;
    readonly nodes: readonly {
      readonly instanceId: string;
      readonly title: string;
      readonly amount: string;
      readonly supplier: { readonly name: string } | null;
    }[];
  };
}

const SOURCES = {
  gateway: 'new from the gateway',
  unchanged: 'unchanged, so nothing was sent again',
  stored: 'stored; the gateway does not answer',
} as const;

function formatInbox({ data, from, asOfMs }: Answer, waiting: readonly QueuedChange[]): string[] {
  const { totalCount, nodes } = (data as Inbox).purchaseRequests;
  const decided = new Set(waiting.map(({ variables }) => variables['instanceId']));
  const lines = nodes.map(({ instanceId, title, amount, supplier }) => {
    const titleText = supplier ? `${title}, ${supplier.name}` : title;
    const mark = decided.has(instanceId) ? '  (decided, not sent yet)' : '';
    return `${instanceId.padStart(6)}  ${amount.padStart(10)} EUR  ${titleText}${mark}`;
  });
  const asOf = new Date(asOfMs).toISOString();
  return [`${totalCount} requests wait for a decision, as of ${asOf} (${SOURCES[from]})`, ...lines];
}

const OUTCOMES: Readonly<Record<SentChange['outcome'], string>> = {
  done: 'done',
  waiting: 'waits, to be sent by sync',
  refused: 'refused',
  conflict: 'not sent: look at it, then drop it or decide again',
  unknown: 'may have been done: look at it, then drop it or make it again',
  failing: 'the platform fails: drop it or make it again',
};

function formatSent({ change, outcome, error }: SentChange): string {
  const line = `${change.note}: ${OUTCOMES[outcome]}`;
  if (outcome === 'conflict') return `${line} (it has changed meanwhile)`;
  return outcome === 'done' ? line : `${line} (${describe(error)})`;
}

function formatChange({ id, note, problem }: QueuedChange): string {
  const line = `${id}  ${note}`;
  return problem ? `${line}  (${problem.kind})` : line;
}

/** Describes an error for people. */
function describe(error: unknown): string {
  const [first] = errorsOf(error);
  if (first) return first.message;
  if (isRetryable(error, 'read')) return 'The gateway did not answer.';
  return error instanceof Error ? error.message : 'It failed.';
}

function help(): string {
  return [
    'Usage: npm run -s example:mobile-offline -- COMMAND',
    '',
    ...Object.entries(COMMANDS).map(([usage, { about }]) => `  ${usage.padEnd(36)}${about}`),
    '',
    `CASEWAY_URL is the gateway’s address: ${CASEWAY_URL}`,
    `CASEWAY_FOLDER is the folder of the client’s data: ${CASEWAY_FOLDER}`,
  ].join('\n');
}

const [name = '', ...words] = process.argv.slice(2);
const usage = Object.keys(COMMANDS).find((key) => key.split(' ')[0] === name) ?? '';
const command = COMMANDS[usage];
if (command === undefined || words.length !== usage.split(' ').length - 1) {
  process.stderr.write(`${help()}\n`);
  process.exitCode = 2;
} else {
  try {
    const lines = await command.run(...words);
    process.stdout.write(lines.map((line) => `${line}\n`).join(''));
  } catch (error) {
    process.stderr.write(`${describe(error)}\n`);
    process.exitCode = 1;
  }
}
