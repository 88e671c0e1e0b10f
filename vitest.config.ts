import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  // The build that Node takes: two builds of graphql in one process do not know each other's types.
  resolve: { alias: [{ find: /^graphql$/, replacement: fileURLToPath(import.meta.resolve('graphql')) }] },
  test: {
    include: ['test/**/*.test.ts'],
    restoreMocks: true,
    // No module keeps state, so files may share the modules that they import: loading them anew takes half of the processor time.
    isolate: false,
    // Room for a busy machine; no test waits for time to pass.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // What is waited for comes in its time, whatever else the machine does.
    expect: { poll: { timeout: 30_000 } },
  },
});
