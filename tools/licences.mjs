import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Returns the licences of the packages in a bundle as text, each text once. `files` are the bundle's
 * source files. Most licences must be distributed with the code.
 */
export function licencesOf(files) {
  const folderPattern = /^.*\bnode_modules\/(@[^/]+\/)?[^/]+/;
  const noticePattern = /^(licen[cs]e|third-?party-?notices)\b/i;
  const folders = new Set(files.flatMap((file) => folderPattern.exec(file)?.[0] ?? []));
  const licences = [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    );
    const notices = readdirSync(folder).filter((entry) => noticePattern.test(entry));
    const texts = notices.map((notice) => readFileSync(join(folder, notice), 'utf8').trim());
    return { heading: `# ${name} ${version}`, text: texts.join('\n\n') || license };
  });
  // Many packages have the same licence and owner.
  const chapters = [...Map.groupBy(licences, ({ text }) => text)].map(([text, packages]) => {
    const headings = packages.map(({ heading }) => heading);
    return `${headings.join('\n')}\n\n${text}\n`;
  });
  return chapters.join('\n');
}
