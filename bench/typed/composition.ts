import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** How a schema was composed, in a process that had done nothing before. */
export interface Composition {
  readonly firstMs: number;
  /** The second time, as when definitions change. */
  readonly againMs: number;
  /** What the schema holds. */
  readonly heapMb: number;
  readonly types: number;
}

/** Composes a schema of so many forms in a new process. */
export async function measureComposition(forms: number, fields: number): Promise<Composition> {
  const child = fork(join(import.meta.dirname, 'compose-process.ts'), [String(forms), String(fields)], {
    execArgv: ['--expose-gc'],
    // As a gateway runs: elsewhere GraphQL looks twice at every type.
    env: { ...process.env, NODE_ENV: 'production' },
  });
  const [composition] = await once(child, 'message');
  return composition as Composition;
}
