import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The licences of the packages that files of a bundle come from, as text: they ask to be passed on with the code. */
export function licencesOf(files) {
  const folders = new Set(files.flatMap((file) => /^.*\bnode_modules\/(@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []));
  const texts = [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const notices = readdirSync(folder).filter((entry) => /^(licen[cs]e|third-?party-?notices)\b/i.test(entry));
    const text = notices.map((notice) => readFileSync(join(folder, notice), 'utf8').trim()).join('\n\n');
    return `# ${name} ${version}\n\n${text || license}\n`;
  });
  return texts.join('\n');
}
