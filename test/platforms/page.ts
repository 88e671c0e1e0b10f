import { readFileSync } from 'node:fs';

/** `docs/platforms.md`. The tests run the dialects and adapters that it shows. */
export const PAGE = readFileSync(new URL('../../docs/platforms.md', import.meta.url), 'utf8');

/** The files that connect a platform. */
export interface ShownFiles {
  /** The content of `dialect.json`. */
  readonly dialect: object;
  /** The adapter's text by the name of its file; empty for a platform without one. */
  readonly adapter: Readonly<Record<string, string>>;
}

/**
 * Reads the files of a platform from the page.
 *
 * @param name the heading of the platform's section.
 */
export function readShownFiles(name: string): ShownFiles {
  const section = PAGE.split(/^## /m).find((text) => text.startsWith(`${name}\n`)) ?? '';
  const [, dialect] = /```json\n([\s\S]*?)```/.exec(section) ?? [];
  if (dialect === undefined) throw new Error(`docs/platforms.md has no dialect for ${name}.`);

  const modules = [...section.matchAll(/```ts\n\/\/ (\S+)\n([\s\S]*?)```/g)];
  const adapter = Object.fromEntries(modules.map(([, file = '', text = '']) => [file, text]));
  return { dialect: JSON.parse(dialect), adapter };
}
