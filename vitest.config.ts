import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';

/** Tests that start processes, browsers, Redis, tinyproxy or openssl: `npm run test:all` runs them, `npm test` does not. */
const SYSTEM_TESTS = [
  'attacks',
  'deploy',
  'examples/mobile',
  'features/*/processes',
  'features/playground',
  'features/replicas',
  'isolation',
  'main',
  'testing',
].map((folder) => `test/${folder}/**/*.test.ts`);
SYSTEM_TESTS.push('test/bench/promises.test.ts', 'test/faults/company-network.test.ts');
SYSTEM_TESTS.push('test/image/command.test.ts', 'test/image/layout.test.ts', 'test/package.test.ts');
SYSTEM_TESTS.push('test/identity/browser.test.ts', 'examples/testing/vitest.test.ts');
// They make pipes, for which they need a program.
SYSTEM_TESTS.push(
  'test/features/audit/failures.test.ts',
  'test/reload/documents.test.ts',
  'test/reload/reload.test.ts',
  'test/features/roles/reload.test.ts',
);

/** Tests with packages of their own, which are installed when they run. */
const CLIENT_TESTS = 'test/clients/*.test.ts';
const ROUTER_TESTS = 'test/features/subgraph/router/*.test.ts';
const EXAMPLE_TESTS = 'test/examples/web/*.test.ts';

/** Tests of images that `tools/image/build.ts` has built: `npm run image`. */
const IMAGE_TESTS = 'test/image/built.test.ts';

/** Where `.ci/run` wants the results of a run as JSON. */
const report = process.env['TEST_REPORT'];

export default defineConfig({
  // The build that Node takes: two builds of graphql in one process do not know each other's types.
  resolve: {
    alias: [
      { find: /^graphql$/, replacement: fileURLToPath(import.meta.resolve('graphql')) },
      // What Node finds by a hook of `src/features/extensions/load.ts`, wherever the extension lies.
      {
        find: 'caseway/extension',
        replacement: fileURLToPath(import.meta.resolve('./src/features/extensions/extension.ts')),
      },
      { find: 'caseway/testing', replacement: fileURLToPath(import.meta.resolve('./testing/index.ts')) },
    ],
  },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'gateway',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...SYSTEM_TESTS, CLIENT_TESTS, ROUTER_TESTS, EXAMPLE_TESTS, IMAGE_TESTS],
        },
      },
      { extends: true, test: { name: 'system', include: SYSTEM_TESTS } },
      { extends: true, test: { name: 'clients', include: [CLIENT_TESTS], globalSetup: 'test/clients/install.ts' } },
      {
        extends: true,
        test: { name: 'router', include: [ROUTER_TESTS], globalSetup: 'test/features/subgraph/router/install.ts' },
      },
      {
        extends: true,
        test: { name: 'examples', include: [EXAMPLE_TESTS], globalSetup: 'test/examples/web/install.ts' },
      },
      ...(process.env['IMAGE_IS_BUILT']
        ? [{ extends: true as const, test: { name: 'image', include: [IMAGE_TESTS] } }]
        : []),
    ],
    ...(report && { reporters: ['default', 'json'], outputFile: { json: report } }),
    // A test that fails once on a busy machine gets a second try; the report marks it (`retry x1`), so that it can be mended.
    retry: process.env['CI'] ? 1 : 0,
    restoreMocks: true,
    // Three for two cores: most tests wait for sockets, processes and deadlines as long as they compute. `npm run test:all` takes four:
    // with three, those that start processes leave half of the time of two cores unused.
    maxWorkers: 3,
    // No module keeps state, so files may share the modules that they import: loading them anew takes half of the processor time.
    isolate: false,
    // Room for a busy machine; no test waits for time to pass.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // What is polled for comes in its time, whatever else the machine does.
    expect: { poll: { timeout: 30_000 } },
  },
});
