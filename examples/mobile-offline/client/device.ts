import { createHash } from 'node:crypto';
import { join } from 'node:path';

import { type Answers, createAnswers } from './answers.ts';
import { createFolder, type Folder } from './folder.ts';
import { createGateway, type Gateway } from './gateway.ts';
import { createOutbox, type Outbox } from './outbox.ts';
import { readSession, type Session } from './session.ts';

/** A device that somebody uses. */
export interface Device {
  readonly gateway: Gateway;
  /** Where the session is kept. */
  readonly folder: Folder;
  /**
   * What belongs to the person who is signed in; nobody else sees their answers or sends their changes.
   *
   * @throws {Error} where nobody is.
   */
  person(): Person;
}

export interface Person {
  readonly session: Session;
  readonly answers: Answers;
  readonly outbox: Outbox;
  /** Forgets what the gateway told them. What they did and was not sent yet stays. */
  forget(): void;
}

interface DeviceOptions {
  readonly url: string;
  readonly path: string;
  /** The clock, in epoch milliseconds. */
  readonly now: () => number;
}

export function createDevice({ url, path, now }: DeviceOptions): Device {
  const folder = createFolder(path);
  const gateway = createGateway({ url, token: () => readSession(folder)?.token });
  return {
    gateway,
    folder,
    person() {
      const session = readSession(folder);
      if (session === undefined) throw new Error('Nobody is signed in on this device: sign-in NAME.');
      const own = join(path, createHash('sha256').update(`${url} ${session.name}`).digest('base64url'));
      const told = createFolder(join(own, 'answers'));
      return {
        session,
        answers: createAnswers(gateway, told, now),
        outbox: createOutbox(gateway, createFolder(own), now),
        forget: told.clear,
      };
    },
  };
}
