import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Invalidations } from '../ports.ts';
import { type Area, areasOf, type Touched } from '../touched.ts';
import type { Link } from './link.ts';
import type { Names } from './names.ts';
import { createReceipts } from './receipts.ts';
import type { Seal } from './seal.ts';
import { POSITION_SCRIPT, TOUCH_SCRIPT } from './touch-scripts.ts';

/** How far the changes of all replicas have been heard. */
export interface Position {
  /** Marks the count: another mark, and nothing that was known before can be compared. */
  readonly born: string;
  /** The number of the last change that was heard. */
  readonly seq: number;
}

/** What replicas tell each other of changes. */
export interface Touches extends Invalidations {
  /** `undefined` while nothing can be heard. */
  position(): Position | undefined;
  /** Where the numbers of the last changes lie. */
  readonly name: string;
  /** The fields there of an area: one for each key, since replicas may not have all the same first one. */
  fieldsOf(area: Area): readonly string[];
}

interface TouchesOptions {
  readonly link: Link;
  readonly names: Names;
  readonly seal: Seal;
  /** This process's name among the replicas. */
  readonly replica: string;
  /** How long others are waited for, in milliseconds. */
  readonly timeoutMs: number;
  readonly wait?: (ms: number) => Promise<unknown>;
}

const AREAS_AT_MOST = 10_000;
const TRY_AGAIN_MS = 100;

/**
 * Makes what carries changes to all replicas. A change is counted and told in one step, and its writer waits until all who
 * listen have dropped what it touched, within the deadline. Where a change could not be told, everything is taken to be
 * touched as soon as it can be; and so it is for a replica that may have missed one.
 */
export function createTouches({ link, names, seal, replica, timeoutMs, wait = sleep }: TouchesOptions): Touches {
  const name = names('touches');
  const channel = names('touched');
  const receipts = createReceipts(timeoutMs);
  let notify = (_touched: Touched): void => undefined;
  let position: Position | undefined;
  let changes = 0;
  /** How many changes could not be told. */
  let owed = 0;
  let isCatchingUp = false;

  const fieldsOf = (area: Area) => seal.blind('area', area);
  const tell = async (touched: Touched): Promise<void> => {
    const change = `${replica}/${++changes}`;
    const expected = receipts.expect(change);
    const news = seal.close(channel, JSON.stringify(touched));
    const fields = areasOf(touched).flatMap(fieldsOf);
    const args = [randomBytes(9).toString('base64url'), AREAS_AT_MOST, channel, change, news, ...fields];
    try {
      const listeners = Number(await link.send('EVAL', TOUCH_SCRIPT, 1, name, ...args));
      // One of them is this replica itself.
      await expected.from(listeners - 1);
    } finally {
      expected.forget();
    }
  };
  const findPosition = async () => {
    const mark = randomBytes(9).toString('base64url');
    const [born, seq] = (await link.send('EVAL', POSITION_SCRIPT, 1, name, mark)) as [Buffer, number];
    position = { born: born.toString(), seq: Math.max(seq, seqOf(born.toString())) };
  };
  const isBehind = () => link.isUp() && (position === undefined || owed > 0);
  const catchUpOnce = async () => {
    const upTo = owed;
    if (position === undefined) await findPosition();
    if (upTo > 0) await tell('everything');
    // More may have come to be owed meanwhile.
    if (owed === upTo) owed = 0;
  };
  /** Says what could not be said, and finds out what could not be heard. */
  const catchUp = async () => {
    if (isCatchingUp) return;
    isCatchingUp = true;
    while (isBehind()) await catchUpOnce().catch(() => wait(TRY_AGAIN_MS));
    isCatchingUp = false;
  };
  const startAnew = () => {
    position = undefined;
    notify('everything');
    void catchUp();
  };
  const seqOf = (born: string): number => (position?.born === born ? position.seq : 0);

  const hear = (message: Buffer) => {
    const end = message.indexOf('\n');
    const [change = '', born = '', number] = message.subarray(0, end).toString().split(' ');
    const seq = Number(number);
    const [writer = ''] = change.split('/');
    const isNext = position?.born === born && position.seq + 1 === seq;
    position = { born, seq };
    if (writer !== replica || !isNext) notify(isNext ? read(message.subarray(end + 1)) : 'everything');
    if (writer !== replica) link.send('PUBLISH', names('heard', writer), change).catch(() => undefined);
  };
  // What another key sealed, or nobody, is a change all the same.
  const read = (sealed: Buffer): Touched => {
    const opened = seal.open(channel, sealed);
    return opened === undefined ? 'everything' : (JSON.parse(opened.toString()) as Touched);
  };

  link.hear(channel, hear);
  link.hear(names('heard', replica), (message) => receipts.arrived(message.toString()));
  link.onUp(startAnew);

  return {
    name,
    fieldsOf,
    position: () => (link.isUp() ? position : undefined),
    subscribe(listener) {
      notify = listener;
    },
    async publish(touched) {
      try {
        await tell(touched);
      } catch {
        owed++;
        void catchUp();
      }
    },
  };
}
