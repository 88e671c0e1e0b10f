import { registerHooks } from 'node:module';

import { LEAKS } from './leaks.ts';

/**
 * Plants the leak that `ISOLATION_LEAK` names into the process that loads this with `--import`: its modules are edited as
 * they are loaded. The process ends where an edit finds nothing to edit.
 */
const name = process.env['ISOLATION_LEAK'] ?? '';
const leak = LEAKS[name];
if (leak === undefined) throw new Error(`There is no leak ${JSON.stringify(name)}.`);

const waiting = new Set(leak.edits);
registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    const edits = leak.edits.filter(({ file }) => url.endsWith(`/src/${file}`));
    if (edits.length === 0) return loaded;
    let source = String(Buffer.from(loaded.source as Uint8Array));
    for (const edit of edits) {
      if (source.split(edit.find).length !== 2) throw new Error(`${edit.file} does not hold ${edit.find} once.`);
      source = source.replace(edit.find, () => edit.replace);
      waiting.delete(edit);
    }
    if (waiting.size === 0) process.stdout.write(`leak planted: ${name}\n`);
    return { ...loaded, source };
  },
});
