import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { ALL_SETTINGS } from '../src/app.ts';
import { factsOf } from '../src/config/setting-types.ts';

/** `docs/settings.md`: one table for each group. */
function settingsMarkdown(): string {
  const tables = ALL_SETTINGS.map((group) => {
    const rows = factsOf(group).map(({ name, unit, isSecret, description, ...setting }) => {
      const fallback = setting.default === undefined ? (setting.whenUnset ?? '') : `\`${setting.default}\``;
      const secret = isSecret ? ' Secret.' : '';
      return `| \`${name}\` | ${formatUnit(unit)} | ${fallback} | ${description}${secret} |`;
    });
    const title = `## ${group.meta()?.title}`;
    return [title, '', '| Setting | Value | Default | Description |', '|---|---|---|---|', ...rows].join('\n');
  });
  return [
    '# Settings',
    'Configure the gateway by environment variables, or by lines of a file `.env` in the working folder.\n' +
      'The environment takes precedence. An empty value counts as not set. A secret may be in a file: set\n' +
      '`NAME_FILE` to its path, for example `UPSTREAM_PASSWORD_FILE`. At startup all problems are reported\n' +
      'together, also unknown names that look like a setting. [Limits](limits.md) has limits without a\n' +
      'setting.',
    '`npm run -s settings` writes this page from `src/config/settings.ts` and from the features.',
    ...tables,
    TRACES,
  ]
    .join('\n\n')
    .concat('\n');
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
    '# Copy to .env and set what differs; it is read from the folder that Caseway is started in.\n' +
    '# docs/settings.md describes each setting.';
  return `${[head, ...groups].join('\n\n')}\n`;
}

/** `npm run -s settings`: writes what follows from the table of settings; with `--check` it fails where that is stale. */
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
