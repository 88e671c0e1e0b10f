import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { ALL_SETTINGS } from '../src/app/index.ts';
import { factsOf } from '../src/config/setting-types.ts';

/** `docs/settings.md`: one table for each group. */
function settingsMarkdown(): string {
  const tables = ALL_SETTINGS.map((group) => {
    const rows = factsOf(group).map(({ name, unit, isSecret, description, ...setting }) => {
      const { whenUnset = '' } = setting;
      const fallback = setting.default === undefined ? whenUnset : `\`${setting.default}\``;
      const secret = isSecret ? ' Secret.' : '';
      return `| \`${name}\` | ${formatUnit(unit)} | ${fallback} | ${description}${secret} |`;
    });
    const title = `## ${group.meta()?.title}`;
    return [title, '', HEAD, '|---|---|---|---|', ...rows].join('\n');
  });
  return ['# Settings', INTRODUCTION, ...tables, TRACES].join('\n\n').concat('\n');
}

/** Returns the unit of a setting, or the words that it is one of, each as code. */
function formatUnit(unit: string): string {
  const isChoice = /^[a-z]+(, [a-z]+)+$/.test(unit);
  if (isChoice)
    return unit
      .split(', ')
      .map((word) => `\`${word}\``)
      .join(', ');
  return unit || 'text';
}

const HEAD = '| Setting | Value | Default | Description |';

const INTRODUCTION = `Configure the gateway by environment variables, or lines of \`.env\` in the working folder. The
environment takes precedence. An empty value counts as not set. A secret may be in a file: set
\`NAME_FILE\` to its path, for example \`UPSTREAM_PASSWORD_FILE\`. At startup all problems are reported
together, also unknown names that look like a setting; then problems in extensions and documents.
[Limits](limits.md) has limits without a setting.

\`npm run -s settings\` writes this page from \`src\`.`;

/** Variables that are not settings of the gateway. */
const TRACES = `## Traces

OpenTelemetry's own variables, such as \`OTEL_EXPORTER_OTLP_ENDPOINT\`, configure
[traces](operations.md#traces).`;

/** `.env.example`: every setting with its default. */
function envExample(): string {
  const groups = ALL_SETTINGS.map((group) => {
    const lines = factsOf(group).map((setting) => `# ${setting.name}=${setting.default ?? ''}`);
    return [`# ${group.meta()?.title}`, ...lines].join('\n');
  });
  const head =
    '# Copy to .env in the working folder, and set what differs.\n' +
    '# docs/settings.md describes each setting.';
  return `${[head, ...groups].join('\n\n')}\n`;
}

/** `npm run -s settings` writes both files. With `--check` it fails if one of them is stale. */
const files = { 'docs/settings.md': settingsMarkdown(), '.env.example': envExample() };
const root = join(import.meta.dirname, '..');

for (const [file, text] of Object.entries(files)) {
  const path = join(root, file);
  if (!process.argv.includes('--check')) writeFileSync(path, text);
  else if (readFileSync(path, 'utf8') !== text) {
    process.stderr.write(`${file} is stale: run npm run -s settings\n`);
    process.exitCode = 1;
  }
}
