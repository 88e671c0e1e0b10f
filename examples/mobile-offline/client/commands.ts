import { randomUUID } from 'node:crypto';

import type { Device, Person } from './device.ts';
import { formatInbox, type Inbox } from './inbox.ts';
import type { Sent, Waiting } from './outbox.ts';
import { signIn, signOut } from './session.ts';

/** One thing that the client can be told to do. Gives the lines to print. */
interface Command {
  readonly about: string;
  /** The words that it takes, for people. */
  readonly words: readonly string[];
  run(device: Device, words: readonly string[], input: () => Promise<string>): Promise<readonly string[]>;
}

export const COMMANDS: Readonly<Record<string, Command>> = {
  'sign-in': {
    about: 'signs in; the password is the first line of standard input',
    words: ['NAME'],
    async run({ gateway, folder }, [username = ''], input) {
      const { name, expiresAt } = await signIn({ username, password: await input() }, { gateway, folder });
      return [`Signed in as ${name}, until ${expiresAt}.`];
    },
  },
  inbox: {
    about: 'shows the purchase requests that wait for a decision',
    words: [],
    async run(device) {
      const { answers, outbox } = device.person();
      const answered = await answers.ask<Inbox>({ documentId: 'inbox', variables: { first: 10 } });
      return formatInbox(answered, outbox.list());
    },
  },
  decide: {
    about: 'approves or rejects one of them, now or as soon as the gateway answers',
    words: ['INSTANCE', 'approved|rejected'],
    async run(device, [instanceId = '', status = '']) {
      if (!['approved', 'rejected'].includes(status)) throw new Error('A request is approved or rejected.');
      const about = `request ${instanceId}: ${status}`;
      return make(device.person(), { documentId: 'decide', variables: { instanceId, values: { status } }, about });
    },
  },
  order: {
    about: 'starts the approval of something to buy, now or as soon as the gateway answers',
    words: ['AMOUNT', 'TITLE'],
    async run(device, [amount = '', title = '']) {
      if (!(Number(amount) > 0)) throw new Error('An amount is a number above 0.');
      const about = `order of ${title} for ${amount} EUR`;
      const variables = { values: { title, amount: Number(amount) } };
      return make(device.person(), { documentId: 'order', variables, about });
    },
  },
  sync: {
    about: 'sends what waits; an app does that when the device says that it is online',
    words: [],
    run: async (device) => send(device.person()),
  },
  outbox: {
    about: 'lists what waits',
    words: [],
    async run(device) {
      const waiting = device.person().outbox.list();
      if (waiting.length === 0) return ['Nothing waits.'];
      return waiting.map(({ key, about, isUncertain }) => `${key}  ${about}${isUncertain ? '  (look first)' : ''}`);
    },
  },
  drop: {
    about: 'takes something out of what waits',
    words: ['KEY'],
    async run(device, [key = '']) {
      device.person().outbox.drop(key);
      return [`Dropped ${key}.`];
    },
  },
  'sign-out': {
    about: 'signs out, and forgets what the gateway told',
    words: [],
    async run(device) {
      device.person().forget();
      const isKnown = await signOut(device.gateway, device.folder);
      return [isKnown ? 'Signed out.' : 'Signed out on this device; the gateway does not answer, and was not told.'];
    },
  },
};

/** Keeps a change, and sends it where that can be done now. */
async function make(person: Person, change: Omit<Waiting, 'key'>): Promise<readonly string[]> {
  person.outbox.add({ ...change, key: randomUUID() });
  return send(person);
}

async function send({ outbox }: Person): Promise<readonly string[]> {
  const sent = await outbox.send();
  return sent.length === 0 ? ['Nothing waits.'] : sent.map(formatSent);
}

const WORDS: Readonly<Record<Sent['outcome'], string>> = {
  done: 'done',
  waits: 'kept, to be sent by sync',
  refused: 'refused',
  uncertain: 'may have been done: look, then drop it or make it again',
};

const formatSent = ({ waiting, outcome, reason }: Sent): string =>
  `${waiting.about}: ${WORDS[outcome]}${reason === undefined ? '' : ` (${reason})`}`;
