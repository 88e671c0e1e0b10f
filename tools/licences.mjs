import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Returns the licences of the packages in a bundle as text. `files` are the bundle's source files.
 * Most licences must be distributed with the code. Packages with the same text share it.
 */
export function licencesOf(files) {
  const folderPattern = /^.*\bnode_modules\/(@[^/]+\/)?[^/]+/;
  const noticePattern = /^(licen[cs]e|third-?party-?notices)\b/i;
  const folders = new Set(files.flatMap((file) => folderPattern.exec(file)?.[0] ?? []));
  const headingsByText = new Map();
  for (const folder of [...folders].sort()) {
    const { name, version, license } = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    );
    const notices = readdirSync(folder).filter((entry) => noticePattern.test(entry));
    const texts = notices.map((notice) => readFileSync(join(folder, notice), 'utf8').trim());
    const text = texts.join('\n\n') || license;
    const headings = headingsByText.get(text) ?? [];
    headingsByText.set(text, [...headings, `# ${name} ${version}\n`]);
  }
  const chapters = [...headingsByText].map(([text, headings]) => `${headings.join('')}\n${text}\n`);
  return chapters.join('\n');
}
