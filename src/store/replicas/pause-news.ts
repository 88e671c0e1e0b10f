import type { PauseNews } from '../../upstream/limit-pause.ts';
import type { Link } from './link.ts';
import type { Names } from './names.ts';
import type { Seal } from './seal.ts';

interface PauseNewsOptions {
  readonly link: Link;
  readonly names: Names;
  readonly seal: Seal;
  /** This process's name among the replicas. */
  readonly replica: string;
}

/**
 * Makes what carries a pause to all replicas: as a message, and as a key that ends with the pause, for those who come later.
 */
export function createPauseNews({ link, names, seal, replica }: PauseNewsOptions): PauseNews {
  const name = names('pause');
  const sending = (command: string, ...args: readonly (string | number | Uint8Array)[]) =>
    void link.send(command, ...args).catch(() => undefined);

  const catchUp = async (listener: (restMs: number) => void) => {
    const [sealed, restMs] = await Promise.all([link.send('GET', name), link.send('PTTL', name)]);
    if (sealed instanceof Uint8Array && seal.open(name, sealed) && Number(restMs) > 0) listener(Number(restMs));
  };

  return {
    tell(restMs) {
      const news = seal.close(name, JSON.stringify([replica, restMs]));
      sending('SET', name, news, 'PX', Math.ceil(restMs));
      sending('PUBLISH', name, news);
    },
    hear(listener) {
      link.hear(name, (message) => {
        const news = seal.open(name, message);
        const [from, restMs] = news === undefined ? [] : JSON.parse(news.toString());
        if (news !== undefined && from !== replica) listener(Number(restMs));
      });
      link.onUp(() => void catchUp(listener).catch(() => undefined));
    },
  };
}
