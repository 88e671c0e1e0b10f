/** Whether a `.dockerignore` keeps a path out of the build: the last line that fits the path or a folder above it decides. */
export function isIgnored(path: string, dockerignore: string): boolean {
  const rules = dockerignore.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const decisive = rules.findLast((rule) => fits(path, rule.replace(/^!/, '')));
  return decisive !== undefined && !decisive.startsWith('!');
}

function fits(path: string, pattern: string): boolean {
  const parts = path.split('/');
  const above = parts.map((_part, index) => parts.slice(0, index + 1).join('/'));
  const source = pattern
    .replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll('**/', '\u0000')
    .replaceAll('*', '[^/]*')
    .replaceAll('\u0000', '(.*/)?');
  return above.some((folder) => new RegExp(`^${source}$`).test(folder));
}
