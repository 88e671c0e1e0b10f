import type { Ids } from './fill.ts';
import type { Fill } from './samples/sample.ts';

/** What the variables pane of a fresh sample says: empty values, and above them where they will come from. */
export function emptyVariables({ variables, note }: Fill): string {
  const members = variables.map((name) => `  "${name}": ""`).join(',\n');
  return `{\n  // ${note}\n  // An id of your own stays.\n${members}\n}`;
}

/** The pane's text with new values in place of the old ones; comments and everything else stay as they are. */
export function withIds(text: string, ids: Ids): string {
  let changed = text;
  for (const [name, id] of Object.entries(ids)) {
    const member = new RegExp(`("${name}"\\s*:\\s*)("[^"]*"|null|-?\\d+)`);
    if (!member.test(changed)) return JSON.stringify(ids, null, 2);
    changed = changed.replace(member, (_all, start: string) => start + JSON.stringify(id));
  }
  return changed;
}
