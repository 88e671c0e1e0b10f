import { randomBytes } from 'node:crypto';

import type { Log } from '../../telemetry/log.ts';
import type { CallBudget } from '../../upstream/call-budget.ts';
import type { PauseNews } from '../../upstream/limit-pause.ts';
import type { Renewal } from '../../upstream/token-source.ts';
import { steadyClock } from '../clock.ts';
import type { Windows } from '../depot.ts';
import type { Invalidations, SecondLevel } from '../ports.ts';
import { createSharedBudget } from './budget.ts';
import { createEntries } from './entries.ts';
import { createAskForLease } from './leases.ts';
import { createLink } from './link.ts';
import { createNames } from './names.ts';
import { createPauseNews } from './pause-news.ts';
import { createSeal, type StoreKeys } from './seal.ts';
import { createTokenRenewal } from './token-renewal.ts';
import { createTouches } from './touches.ts';

/** What the replicas in front of one platform share. */
export interface Replicas {
  /** Whether they share it now: while Redis does not answer, each goes on by itself. */
  isSharing(): boolean;
  /** The budget of calls to the platform, for all of them together. */
  callBudget(limit: number): CallBudget;
  /** The pause after the platform's limit was exceeded. */
  readonly pauseNews: PauseNews;
  /** One renewal for all who have the same credentials, which `owner` says. */
  tokenRenewal(owner: string): Renewal;
  /** What any of them changes. */
  readonly invalidations: Invalidations;
  /** What any of them read, for as long as the windows say. */
  secondLevel(windows: Windows): SecondLevel;
  /** Connects, once all who listen are there. Resolves when the first try has ended, however: nobody need wait for Redis to do their work. */
  open(): Promise<void>;
  close(): void;
}

interface ReplicasOptions {
  /** The interface's `{base_url}`: only replicas in front of the same platform share. */
  readonly platformUrl: string;
  /** Of Redis or Valkey, with user and password. */
  readonly url: string;
  /** Seal what lies there. */
  readonly keys: StoreKeys;
  /** How long one command may take, in milliseconds. */
  readonly timeoutMs: number;
  readonly log: Log;
}

/** Makes what one replica shares with the others. */
export function createReplicas({ platformUrl, url, keys, timeoutMs, log }: ReplicasOptions): Replicas {
  const link = createLink({ url, timeoutMs, log });
  const names = createNames(platformUrl);
  const seal = createSeal(keys);
  const now = () => performance.now();
  const replica = randomBytes(9).toString('base64url');
  const touches = createTouches({ link, names, seal, replica, timeoutMs });

  return {
    isSharing: link.isUp,
    callBudget(limit) {
      const askForLease = createAskForLease({ link, names, replica, now });
      return createSharedBudget({ limit, askForLease, isSharing: link.isUp, now });
    },
    pauseNews: createPauseNews({ link, names, seal, replica }),
    tokenRenewal: (owner) => createTokenRenewal({ link, names, seal, replica, owner }),
    invalidations: touches,
    secondLevel: (windows) => createEntries({ link, names, seal, touches, windows, now: steadyClock }),
    open: link.open,
    close: link.close,
  };
}
