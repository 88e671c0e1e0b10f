import { describe, expect, it, vi } from 'vitest';

import { startRedis } from '../../support/redis.ts';
import { ask, openLink } from './support.ts';

const patiently = { timeout: 30_000 };
const isUp = (link: { isUp(): boolean }) => vi.waitFor(() => expect(link.isUp()).toBe(true), patiently);
const isDown = (link: { isUp(): boolean }) => vi.waitFor(() => expect(link.isUp()).toBe(false), patiently);

describe('the link to Redis', () => {
  it('is up once it is open, and carries commands', async () => {
    const redis = await startRedis();
    const { link, said } = await openLink(redis.url);

    expect([link.isUp(), await ask(link, 'SET', 'a', '1'), await ask(link, 'GET', 'a')]).toEqual([true, 'OK', '1']);
    expect(said).toEqual([]);
  });

  it('hears what is published while it also carries commands', async () => {
    const redis = await startRedis();
    const { link } = await openLink(redis.url);
    const heard: string[] = [];
    const { link: other } = await openLinkThatHears(redis.url, 'news', (message) => heard.push(message));

    await link.send('PUBLISH', 'news', 'first');
    await vi.waitFor(() => expect(heard).toEqual(['first']), patiently);

    expect(await ask(other, 'PING')).toBe('PONG');
  });

  it('is open after the first try also where nobody is there, and fails commands at once', async () => {
    const { link, said } = await openLink('redis://127.0.0.1:1');

    await expect(link.send('PING')).rejects.toThrow('not there');
    expect(said).toEqual(['Redis is not there (ECONNREFUSED); this replica goes on by itself.']);
  });

  it('does not come up with a wrong password, and says so without it', async () => {
    const redis = await startRedis({ password: 'right' });
    const { link, said } = await openLink(redis.url.replace('right', 'canary'));

    expect(link.isUp()).toBe(false);
    expect(said).toEqual(['Redis is not there (WRONGPASS); this replica goes on by itself.']);
  });

  it('heals by itself when the server was killed and is there again, and hears again', async () => {
    const redis = await startRedis();
    const heard: string[] = [];
    const { link, said } = await openLinkThatHears(redis.url, 'news', (message) => heard.push(message));

    await redis.kill();
    await isDown(link);
    await redis.restart();
    await isUp(link);
    await redis.client.publish('news', 'after');

    await vi.waitFor(() => expect(heard).toEqual(['after']), patiently);
    expect(said).toEqual([
      expect.stringMatching(/^Redis is not there \(\w+\)/),
      'Redis is there again; what replicas share is shared.',
    ]);
  });

  it('notices a server that hangs though nobody asks, and heals when it goes on', async () => {
    const redis = await startRedis();
    const { link, said } = await openLink(redis.url);

    redis.pause();
    await isDown(link);
    redis.resume();

    await isUp(link);
    expect(said[0]).toBe('Redis is not there (TIMEOUT); this replica goes on by itself.');
  });

  it.each([
    ['OOM', ['CONFIG', 'SET', 'maxmemory', '1'], ['CONFIG', 'SET', 'maxmemory', '0']],
    ['READONLY', ['REPLICAOF', '127.0.0.1', '1'], ['REPLICAOF', 'NO', 'ONE']],
  ])('is down while the server says %s to what it is sent, and heals', async (why, break_, mend) => {
    const redis = await startRedis();
    const { link, said } = await openLink(redis.url);
    const tell = ([command = '', ...args]: readonly string[]) => redis.client.call(command, ...args);

    await tell(break_);
    await link.send('SET', 'a', '1').catch(() => undefined);
    await isDown(link);
    await tell(mend);

    await isUp(link);
    expect(said[0]).toBe(`Redis is not there (${why}); this replica goes on by itself.`);
  });

  it('stays up when one command is refused', async () => {
    const redis = await startRedis();
    const { link } = await openLink(redis.url);
    await redis.client.hset('a', 'b', 'c');

    await expect(link.send('GET', 'a')).rejects.toThrow('WRONGTYPE');

    expect(link.isUp()).toBe(true);
  });

  it('fails a command that is not answered in time', async () => {
    const redis = await startRedis();
    const { link } = await openLink(redis.url, { timeoutMs: 500 });
    redis.pause();

    await expect(link.send('GET', 'a')).rejects.toThrow('in time');
  });

  it('tells each time that it is up anew', async () => {
    const redis = await startRedis();
    const { link } = await openLink(redis.url);
    let times = 0;
    link.onUp(() => times++);

    await redis.restart();

    await vi.waitFor(() => expect(times).toBe(1), patiently);
  });
});

async function openLinkThatHears(url: string, channel: string, listener: (message: string) => void) {
  return openLink(url, { prepare: ({ hear }) => hear(channel, (message) => listener(message.toString())) });
}
