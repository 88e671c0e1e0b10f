import { describe, expect, it } from 'vitest';

import { createNames } from '../../../src/store/replicas/names.ts';
import { createPauseNews } from '../../../src/store/replicas/pause-news.ts';
import { createSeal } from '../../../src/store/replicas/seal.ts';
import { eventually } from '../../replicas/support.ts';
import { startRedis } from '../../support/redis.ts';
import { openLink } from './support.ts';

const names = createNames('https://platform.example');
const seal = createSeal([new Uint8Array(32).fill(7)]);

/** One replica, and the pauses that it hears of. */
async function openNews(url: string, replica: string) {
  const heard: number[] = [];
  const { link, prepared } = await openLink(url, {
    prepare(closed) {
      const news = createPauseNews({ link: closed, names, seal, replica });
      news.hear((restMs) => void heard.push(restMs));
      return news;
    },
  });
  return { link, heard, tell: prepared.tell };
}

describe('news of a pause', () => {
  it('come to the others, not back to the one who tells', async () => {
    const redis = await startRedis();
    const [a, b] = [await openNews(redis.url, 'a'), await openNews(redis.url, 'b')];

    a.tell(5_000);
    await eventually(() => expect(b.heard).toEqual([5_000]));
    b.tell(7_000);

    await eventually(() => expect(a.heard).toEqual([7_000]));
  });

  it('come to those who join while it lasts', async () => {
    const redis = await startRedis();
    const a = await openNews(redis.url, 'a');
    a.tell(600_000);
    await eventually(async () => expect(await redis.client.exists(names('pause'))).toBe(1));

    const late = await openNews(redis.url, 'late');

    await eventually(() => expect(late.heard).toEqual([expect.closeTo(600_000, -6)]));
  });

  it('are not believed where they are garbage', async () => {
    const redis = await startRedis();
    await redis.client.set(names('pause'), 'garbage', 'PX', 600_000);
    const [a, b] = [await openNews(redis.url, 'a'), await openNews(redis.url, 'b')];

    await redis.client.publish(names('pause'), 'garbage');
    a.tell(5_000);

    await eventually(() => expect(b.heard).toEqual([5_000]));
  });

  it('do not disturb who tells where Redis is away', async () => {
    const redis = await startRedis();
    const a = await openNews(redis.url, 'a');
    await redis.kill();

    expect(() => a.tell(5_000)).not.toThrow();
  });
});
