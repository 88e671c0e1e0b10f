import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { ALL_SETTINGS } from '../src/app.ts';
import { factsOf } from '../src/config/setting-types.ts';

/** `docs/settings.md`: one table for each group. */
function settingsMarkdown(): string {
  const tables = ALL_SETTINGS.map((group) => {
    const rows = factsOf(group).map(({ name, unit, isSecret, description, ...setting }) => {
      const fallback = setting.default === undefined ? (setting.whenUnset ?? '') : `\`${setting.default}\``;
      const file = isSecret ? ` Secret; also as \`${name}_FILE\`.` : '';
      return `| \`${name}\` | ${unit || 'text'} | ${fallback} | ${description}${file} |`;
    });
    const title = `## ${group.meta()?.title}`;
    return [title, '', '| Setting | Value | Default | Description |', '|---|---|---|---|', ...rows].join('\n');
  });
  return [
    '# Settings',
    'All settings are environment variables, or lines of a file `.env` in the working folder; the environment takes precedence.\n' +
      'An empty value counts as not set. A secret may be read from the file whose path is in `NAME_FILE` instead. Every problem is reported at\n' +
      'once at startup, and so is an unknown name that looks like a setting.',
    'This file is written by `npm run -s settings` from the objects of settings in `src/config/settings.ts` and in the features.',
    ...tables,
    TRACES,
  ]
    .join('\n\n')
    .concat('\n');
}

/** Variables that are no settings of the gateway. */
const TRACES = `## Traces

Traces are set up by OpenTelemetry's own variables, which are not in these tables: \`OTEL_EXPORTER_OTLP_ENDPOINT\`, \`OTEL_SERVICE_NAME\`,
\`OTEL_TRACES_SAMPLER\` and others. [Operations](operations.md#traces) names them.`;

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
