import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';

import { readAdapters } from '../platforms/files.ts';
import { writeFolder } from '../support/folder.ts';
import { startGateway } from '../support/gateway.ts';
import {
  type ScriptedAnswer,
  type SeenRequest,
  scriptPlatform,
} from '../support/scripted-platform.ts';

const ROOT = join(import.meta.dirname, '../..');
const page = readFileSync(join(ROOT, 'docs/adapter.md'), 'utf8');
/** The files of the page, by the path in their first line. */
const FILES = Object.fromEntries(
  [...page.matchAll(/```ts\n\/\/ (\S+)\n([\s\S]*?)```/g)].map(([, path = '', code = '']) => [
    path,
    code,
  ]),
);
/** The adapters of `examples/platforms`. */
const PLATFORMS = Object.fromEntries(
  Object.entries(readAdapters()).map(([name, code]) => [`platforms/${name}`, code]),
);
const ADAPTERS = Object.keys(FILES).filter((path) => path.startsWith('adapters/'));

/**
 * Writes the files of the page beside an installed package, and a dialect that names one of them.
 */
function writePage(adapter = ''): string {
  const folder = writeFolder({
    ...FILES,
    ...PLATFORMS,
    'package.json': '{"type":"module"}',
    'node_modules/.keep': '',
    'dialect.json': { adapter },
  });
  symlinkSync(ROOT, join(folder, 'node_modules/caseway'));
  return folder;
}

async function startPage(adapter: string, answer: (request: SeenRequest) => ScriptedAnswer) {
  const platform = await scriptPlatform(answer);
  const UPSTREAM_DIALECT = join(writePage(adapter), 'dialect.json');
  return { ...(await startGateway({ ...platform.env, UPSTREAM_DIALECT })), seen: platform.seen };
}

const LIST = '{ instances(formId: "lead", first: 2) { totalCount nodes { instanceId values } } }';

describe('the page about adapters', () => {
  it('reads values that are keyed by id', async () => {
    const answers = { '3': { name: 'title', answer: 'Desk' }, '4': { name: 'note' } };
    const { execute, seen } = await startPage('adapters/answers.ts', () => ({
      body: { content: [{ id: '5', answers }], total: 1 },
    }));

    const { data } = await execute(LIST);

    expect(data.instances).toEqual({
      totalCount: 1,
      nodes: [{ instanceId: '5', values: { title: 'Desk', note: null } }],
    });
    expect(seen[0]?.url).toBe('/form/lead/submissions?limit=2&offset=0');
  });

  it('reads pairs, false for an empty field, and refusals with status 200', async () => {
    const rows = [{ id: 1, owner: [7, 'Ann'], phone: false, visits: 0 }];
    const { execute } = await startPage('adapters/records.ts', ({ url }) => ({
      body: url.includes('/lead/') ? { result: rows } : { error: { message: 'No such model.' } },
    }));

    const { data } = await execute(LIST);
    const { errors } = await execute(LIST.replace('lead', 'none'));

    expect(data.instances.nodes).toEqual([
      { instanceId: '1', values: { owner: 7, phone: null, visits: 0 } },
    ]);
    expect(errors).toMatchObject([
      { message: 'No such model.', extensions: { code: 'BAD_USER_INPUT' } },
    ]);
  });

  it('has modules whose types are right, as the examples for platforms, and a test that passes', async () => {
    const folder = writePage();
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const types = ['--types', 'node', '--typeRoots', join(ROOT, 'node_modules/@types')];
    const strict = ['--strict', '--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes'];
    const options = [
      '--noEmit',
      '--module',
      'nodenext',
      '--allowImportingTsExtensions',
      '--skipLibCheck',
    ];
    const args = [tsc, ...options, ...strict, ...types, '--customConditions', 'caseway-source'];

    const files = [...Object.keys(FILES), ...Object.keys(PLATFORMS)];
    const { stdout: problems } = spawnSync(process.execPath, [...args, ...files], {
      cwd: folder,
      encoding: 'utf8',
    });
    const child = spawn(
      process.execPath,
      ['--conditions=caseway-source', '--test', 'test/records.test.ts'],
      {
        cwd: folder,
        env: {},
      },
    );
    const [printed, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);

    expect(ADAPTERS).toEqual(['adapters/answers.ts', 'adapters/records.ts']);
    expect(Object.keys(PLATFORMS)).toHaveLength(8);
    expect(problems).toBe('');
    expect([code, printed]).toEqual([0, expect.stringContaining('pass 1')]);
  });
});
