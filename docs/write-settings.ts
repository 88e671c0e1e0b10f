import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { ALL_SETTINGS } from '../src/app.ts';
import { groupsOf, unitOf } from '../src/config/settings.ts';

/** `docs/settings.md`: one table for each group. */
function settingsMarkdown(): string {
  const tables = groupsOf(ALL_SETTINGS).map((group) => {
    const rows = settingsOf(group).map(([name, setting]) => {
      const unit = unitOf(setting) || 'text';
      const fallback = setting.default === undefined ? (setting.whenUnset ?? '') : `\`${setting.default}\``;
      const file = setting.isSecret ? ` Secret; also as \`${name}_FILE\`.` : '';
      return `| \`${name}\` | ${unit} | ${fallback} | ${setting.description}${file} |`;
    });
    return [`## ${group}`, '', '| Setting | Value | Default | Description |', '|---|---|---|---|', ...rows].join('\n');
  });
  return [
    '# Settings',
    'All settings are environment variables, or lines of a file `.env` in the working folder; the environment takes precedence.\n' +
      'An empty value counts as not set. A secret may be read from the file whose path is in `NAME_FILE` instead. Every problem is reported at\n' +
      'once at startup, and an unknown name that looks like a setting is reported with the nearest setting.',
    'This file is written by `npm run -s settings` from the table in `src/config/settings.ts` and those of the features.',
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
  const groups = groupsOf(ALL_SETTINGS).map((group) => {
    const lines = settingsOf(group).map(([name, setting]) => `# ${name}=${setting.default ?? ''}`);
    return [`# ${group}`, ...lines].join('\n');
  });
  const head =
    '# Copy to .env and set what differs; it is read from the folder that Caseway is started in.\n' +
    '# docs/settings.md describes each setting.';
  return `${[head, ...groups].join('\n\n')}\n`;
}

function settingsOf(group: string) {
  return Object.entries(ALL_SETTINGS).filter(([, setting]) => setting.group === group);
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
