/** The editor's background workers, from the files that `build.mjs` put beside this one. */
export function setUpWorkers(): void {
  Object.assign(globalThis, {
    MonacoEnvironment: {
      getWorker: (_id: string, label: string) =>
        new Worker(new URL(WORKERS[label] ?? WORKERS['editor'] ?? '', import.meta.url)),
    },
  });
}
