import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';

import type { Answer } from './client/answers.ts';
import { createDevice } from './client/device.ts';
import type { Change, Outbox, Result } from './client/outbox.ts';
import { openStore } from './client/store.ts';

const { CASEWAY_URL = 'http://127.0.0.1:4000', CASEWAY_FOLDER = join(homedir(), '.caseway-offline') } = process.env;
const store = openStore(CASEWAY_FOLDER);
const device = createDevice({ url: CASEWAY_URL, store, isUnsent, now: Date.now });

/** What the client can do. Each command gives the lines to print. */
const COMMANDS: Readonly<
  Record<string, { readonly about: string; run(...words: string[]): Promise<readonly string[]> }>
> = {
  gateway: { about: 'starts the gateway, with a sandbox and for this client’s documents alone', run: runGateway },
  'sign-in NAME': {
    about: 'signs in; the password is the first line of standard input',
    async run(name = '') {
      const session = await device.signIn(name, await readLine());
      return [`Signed in as ${session.name}, until ${session.expiresAt}.`];
    },
  },
  inbox: {
    about: 'shows the purchase requests that wait for a decision',
    async run() {
      const { answer, outbox } = device.person();
      return formatInbox(await answer({ documentId: 'inbox', variables: { first: 10 } }), outbox.list());
    },
  },
  'decide INSTANCE approved|rejected': {
    about: 'approves or rejects one of them, now or as soon as the gateway answers',
    run(instanceId = '', decision = '') {
      if (!['approved', 'rejected'].includes(decision)) throw new Error('A request is approved or rejected.');
      const { outbox } = device.person();
      const status = decision.toUpperCase();
      outbox.add({
        about: `request ${instanceId}: ${decision}`,
        documentId: 'decide',
        isItem: true,
        variables: { instanceId, values: { status } },
        seen: {
          documentId: 'status',
          variables: { instanceId },
          data: { purchaseRequest: { status: 'SUBMITTED' } },
          dataWhenDone: { purchaseRequest: { status } },
        },
      });
      return send(outbox);
    },
  },
  'order AMOUNT TITLE': {
    about: 'starts the approval of something to buy, now or as soon as the gateway answers',
    run(amount = '', title = '') {
      if (!(Number(amount) > 0)) throw new Error('An amount is a number above 0.');
      const { outbox } = device.person();
      const variables = { values: { title, amount: Number(amount) } };
      outbox.add({ about: `order of ${title} for ${amount} EUR`, documentId: 'order', variables });
      return send(outbox);
    },
  },
  sync: {
    about: 'sends what waits; an app does that when the device says that it is online',
    run: async () => send(device.person().outbox),
  },
  outbox: {
    about: 'lists what waits',
    async run() {
      const lines = device.person().outbox.list().map(formatChange);
      return lines.length > 0 ? lines : ['Nothing waits.'];
    },
  },
  'drop KEY': {
    about: 'takes a change out of what waits',
    async run(key = '') {
      device.person().outbox.drop(key);
      return [`Dropped ${key}.`];
    },
  },
  'sign-out': {
    about: 'signs out, and forgets all answers',
    run: async () => [
      (await device.signOut()) ? 'Signed out.' : 'Signed out on this device; the gateway does not answer.',
    ],
  },
};

/** Sessions outlive the gateway by their keys, which are kept beside the client's own data. */
async function runGateway(): Promise<readonly string[]> {
  const keys = store.read<string>('session-keys') ?? randomBytes(32).toString('base64url');
  store.write('session-keys', keys);
  const documents = join(import.meta.dirname, 'documents');
  const settings = { IDENTITY: 'user', SESSION_KEYS: keys, DOCUMENTS: documents, DOCUMENTS_MODE: 'enforce' };
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../caseway.mjs')], {
    env: { ...settings, ...process.env },
    stdio: 'inherit',
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  await once(child, 'exit');
  return [];
}

/** The codes of Node's `fetch` for a connection that never came to be. */
const UNSENT = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ENETUNREACH', 'EHOSTUNREACH', 'UND_ERR_CONNECT_TIMEOUT'];

function isUnsent(error: unknown): boolean {
  const cause = error instanceof Error ? (error.cause as { readonly code?: string } | undefined) : undefined;
  return UNSENT.includes(cause?.code ?? '');
}

/** The first line of standard input, so that a password stands neither in a list of processes nor in a history. */
async function readLine(): Promise<string> {
  for await (const line of createInterface({ input: process.stdin })) return line;
  return '';
}

async function send(outbox: Outbox): Promise<readonly string[]> {
  const results = await outbox.send();
  return results.length > 0 ? results.map(formatResult) : ['Nothing waits.'];
}

/** What `documents/inbox.graphql` answers. */
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

function formatInbox({ data, from, asOfMs }: Answer, waiting: readonly Change[]): string[] {
  const { totalCount, nodes } = (data as Inbox).purchaseRequests;
  const mark = (instanceId: string) =>
    waiting.some(({ variables }) => variables['instanceId'] === instanceId) ? '  (decided, not sent yet)' : '';
  return [
    `${totalCount} requests wait for a decision, as of ${new Date(asOfMs).toISOString()} (${SOURCES[from]})`,
    ...nodes.map(
      ({ instanceId, title, amount, supplier }) =>
        `${instanceId.padStart(6)}  ${amount.padStart(10)} EUR  ${title}${supplier ? `, ${supplier.name}` : ''}${mark(instanceId)}`,
    ),
  ];
}

const OUTCOMES: Readonly<Record<Result['outcome'], string>> = {
  done: 'done',
  waits: 'waits, to be sent by sync',
  refused: 'refused',
  conflict: 'not sent: look at it, then drop it or decide again',
  uncertain: 'may have been done: look at it, then drop it or make it again',
};

const formatResult = ({ change, outcome, reason }: Result): string =>
  `${change.about}: ${OUTCOMES[outcome]}${reason === undefined ? '' : ` (${reason})`}`;

const formatChange = ({ idempotencyKey, about, problem }: Change): string =>
  `${idempotencyKey}  ${about}${problem ? `  (${problem})` : ''}`;

function help(): string {
  return [
    'Usage: npm run -s example:mobile-offline -- COMMAND',
    '',
    ...Object.entries(COMMANDS).map(([usage, { about }]) => `  ${usage.padEnd(36)}${about}`),
    '',
    `The gateway is at ${CASEWAY_URL} (CASEWAY_URL); the client’s data is in ${CASEWAY_FOLDER} (CASEWAY_FOLDER).`,
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
    process.stderr.write(`${error instanceof Error ? error.message : 'It failed.'}\n`);
    process.exitCode = 1;
  }
}
