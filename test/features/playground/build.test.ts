import { spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');

/** Runs the build of a checkout with Node alone on the PATH: no package can be installed. */
const build = (checkout: string) =>
  spawnSync(process.execPath, [join(checkout, 'playground/build.mjs')], {
    encoding: 'utf8',
    env: { PATH: '' },
  });

it('the playground has the licences of the packages in its bundle', () => {
  spawnSync(process.execPath, [join(ROOT, 'playground/build.mjs')]);

  const licences = readFileSync(join(ROOT, 'playground/dist/licenses.txt'), 'utf8');

  for (const name of ['graphiql', 'graphql', 'monaco-editor', 'monaco-graphql', 'react']) {
    expect(licences).toMatch(
      new RegExp(`^# ${name} [\\d.]+\n(# .+\n)*\n.{0,40}(License|Copyright|NOTICES)`, 'm'),
    );
  }
});

it.each(['playground/samples/index.ts', 'docs/README.md'])(
  'a playground is built again only after a change, as of %s, and its packages are installed only then',
  (changed) => {
    // As `npm ci` does, which may have been a while ago.
    spawnSync(process.execPath, [join(ROOT, 'playground/build.mjs')]);
    const checkout = mkdtempSync(join(tmpdir(), 'caseway-playground-'));
    onTestFinished(() => rmSync(checkout, { recursive: true }));
    const filter = (path: string) => basename(path) !== 'node_modules';
    for (const path of ['docs', 'playground', 'tools']) {
      cpSync(join(ROOT, path), join(checkout, path), { recursive: true, filter });
    }

    const unchanged = build(checkout);
    appendFileSync(join(checkout, changed), '\n');
    const rebuilt = build(checkout);

    expect(unchanged).toMatchObject({
      status: 0,
      stdout: 'Playground: unchanged since it was built.\n',
    });
    expect(rebuilt).toMatchObject({
      status: 1,
      stdout: expect.stringContaining('Installing the packages'),
    });
    expect(existsSync(join(checkout, 'playground/dist/index.html'))).toBe(true);
  },
);
