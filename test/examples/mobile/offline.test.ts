import { globSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

import { createTestDevice } from './device.ts';
import { startClientGateway } from './gateway.ts';
import { layLine } from './line.ts';

const countOf = (calls: readonly string[], operation: string) =>
  calls.filter((call) => call.includes(operation)).length;

describe('the offline client', () => {
  it('writes once, also when the response is lost and the mutation is sent again', async () => {
    const { url, calls } = await startClientGateway();
    const line = await layLine(url);
    const { run, signIn } = createTestDevice(line.url);
    await signIn('demo');

    line.losesAnswers = true;
    const lost = await run('order', '120', 'Desk lamps');
    line.losesAnswers = false;
    const sent = await run('sync');

    expect(lost.stdout).toContain('waits, to be sent by sync (The gateway did not answer.)');
    expect(sent.stdout).toBe('order of Desk lamps for 120 EUR: done\n');
    expect(line.statuses).toEqual([200, 200, 200]);
    expect(countOf(calls, 'startCase')).toBe(1);
  });

  it('does not send a decision about data that has changed since, and reports that', async () => {
    const { url, calls, stop, startAgain } = await startClientGateway();
    const { run, signIn } = createTestDevice(url);
    const other = createTestDevice(url);
    await signIn('demo');
    await other.signIn('demo');
    await stop();
    await run('decide', '41', 'approved');
    await startAgain();
    await other.run('decide', '41', 'rejected');

    const sent = await run('sync');
    const again = await run('sync');
    const waiting = await run('outbox');

    expect(sent.stdout).toMatch(
      /^request 41: approved: not sent: look at it, .* \(it has changed meanwhile\)\n$/,
    );
    expect(again.stdout).toBe('Nothing waits.\n');
    expect(waiting.stdout).toMatch(/^\S+ {2}request 41: approved {2}\(conflict\)\n$/);
    expect(countOf(calls, 'updateValuesOfFormIntance')).toBe(1);
  });

  it('reports what the platform rejects, and does not store it', async () => {
    const { url } = await startClientGateway();
    const { run, signIn } = createTestDevice(url);
    await signIn('reader');

    const refused = await run('decide', '41', 'approved');

    expect(refused.stdout).toMatch(/^request 41: approved: refused \(.+\)\n$/);
    expect((await run('outbox')).stdout).toBe('Nothing waits.\n');
  });

  it('shows and sends no user’s data to another, and clears everything at sign-out', async () => {
    const { url, calls, stop, startAgain } = await startClientGateway();
    const { folder, run, signIn } = createTestDevice(url);
    await signIn('demo');
    await run('inbox');
    await stop();
    await run('decide', '41', 'approved');
    await startAgain();

    const out = await run('sign-out');
    const kept = globSync('**/answers/*', { cwd: folder });
    const nobody = await run('inbox');
    await signIn('reader');
    const others = await run('sync');

    expect(out.stdout).toBe('Signed out.\n');
    expect(kept).toEqual([]);
    expect(nobody).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Nobody is signed in'),
    });
    expect(others.stdout).toBe('Nothing waits.\n');
    expect(countOf(calls, 'updateValuesOfFormIntance')).toBe(0);
  });
});
