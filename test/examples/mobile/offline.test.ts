import { globSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

import { createTestDevice } from './device.ts';
import { startGatewayProcess } from './gateway.ts';
import { layLine } from './line.ts';

const countOf = (calls: readonly string[], operation: string) =>
  calls.filter((call) => call.includes(operation)).length;

describe('the offline client', () => {
  it('does not download again what it has', async () => {
    const { url } = await startGatewayProcess();
    const line = await layLine(url);
    const { run, signIn } = createTestDevice(line.url);
    await signIn('demo');

    const first = await run('inbox');
    const second = await run('inbox');

    expect(first.stdout).toMatch(/^8 requests .* \(new from the gateway\)\n +41 +2600 EUR {2}Presentation training/);
    expect(second.stdout).toMatch(/^8 requests .* \(unchanged, so nothing was sent again\)\n +41 +2600 EUR /);
    expect(line.statuses).toEqual([200, 200, 304]);
  });

  it('shows cached data, stores decisions, and sends each once when the gateway is back', async () => {
    const { url, calls, stop, startAgain } = await startGatewayProcess();
    const { run, signIn } = createTestDevice(url);
    await signIn('demo');
    await run('inbox');

    await stop();
    const decided = await run('decide', '41', 'approved');
    const offline = await run('inbox');
    await startAgain();
    const sent = await run('sync');
    const again = await run('sync');
    const online = await run('inbox');

    expect(decided).toMatchObject({ code: 0, stdout: expect.stringContaining('waits, to be sent by sync') });
    expect(offline.stdout).toMatch(
      /^8 requests .* \(stored; the gateway does not answer\)\n +41 .*\(decided, not sent yet\)/,
    );
    expect([sent.stdout, again.stdout]).toEqual(['request 41: approved: done\n', 'Nothing waits.\n']);
    expect(online.stdout).toMatch(/^7 requests .* \(new from the gateway\)\n(?! +41)/);
    expect(countOf(calls, 'updateValuesOfFormIntance')).toBe(1);
  });

  it('writes once, also when the response is lost and the mutation is sent again', async () => {
    const { url, calls } = await startGatewayProcess();
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
    const { url, calls, stop, startAgain } = await startGatewayProcess();
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

    expect(sent.stdout).toMatch(/^request 41: approved: not sent: look at it, .* \(it has changed meanwhile\)\n$/);
    expect(again.stdout).toBe('Nothing waits.\n');
    expect(waiting.stdout).toMatch(/^\S+ {2}request 41: approved {2}\(conflict\)\n$/);
    expect(countOf(calls, 'updateValuesOfFormIntance')).toBe(1);
  });

  it('reports what the platform rejects, and does not store it', async () => {
    const { url } = await startGatewayProcess();
    const { run, signIn } = createTestDevice(url);
    await signIn('reader');

    const refused = await run('decide', '41', 'approved');

    expect(refused.stdout).toMatch(/^request 41: approved: refused \(.+\)\n$/);
    expect((await run('outbox')).stdout).toBe('Nothing waits.\n');
  });

  it('shows and sends no user’s data to another, and clears everything at sign-out', async () => {
    const { url, calls, stop, startAgain } = await startGatewayProcess();
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
    expect(nobody).toMatchObject({ code: 1, stderr: expect.stringContaining('Nobody is signed in') });
    expect(others.stdout).toBe('Nothing waits.\n');
    expect(countOf(calls, 'updateValuesOfFormIntance')).toBe(0);
  });

  it('reports a wrong password and an unknown command', async () => {
    const { url } = await startGatewayProcess();
    const { run, signIn } = createTestDevice(url);

    const refused = await signIn('demo', 'wrong');
    const unknown = await run('inbocks');

    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('sign-in NAME') });
  });
});
