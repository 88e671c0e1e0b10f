import { createHash } from 'node:crypto';

import type { StatusLine } from '../../core/facts.ts';
import { formatTime, type GaugeReading, type Status } from './status.ts';

/** Writes the state of a gateway as a page without scripts, in light or dark as the browser prefers. */
export const renderStatus = ({ title, state, at, readiness, gauges, lines }: Status): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(state)}: ${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<h1>${escapeHtml(title)}</h1>
<p class="state${state === 'ready' ? '' : ' warning'}">${escapeHtml(state)}</p>
<p class="at"><time>${escapeHtml(at)}</time></p>
</header>
<main>
<section>
<h2>Readiness</h2>
<dl>
${Object.entries(readiness).map(renderCheck).join('\n')}
</dl>
</section>
<section>
<h2>Status</h2>
<dl class="lines">
${lines.map(renderLine).join('\n')}
</dl>
</section>
<section>
<h2>Gauges</h2>
<dl>
${gauges.map(renderNumber).join('\n')}
</dl>
${gauges.map(renderTable).join('\n')}
</section>
</main>
</body>
</html>
`;

const renderCheck = ([name, result]: readonly [string, string]): string =>
  `<div><dt>${escapeHtml(name)}</dt><dd${result === 'ok' ? '' : ' class="warning"'}>${escapeHtml(result)}</dd></div>`;

const renderLine = ({ title, text }: StatusLine): string =>
  `<div><dt>${escapeHtml(title)}</dt><dd>${escapeHtml(text)}</dd></div>`;

const renderNumber = ({ name, help, value }: GaugeReading): string =>
  typeof value === 'number'
    ? `<div><dt>${escapeHtml(help)}<code>${escapeHtml(name)}</code></dt><dd>${formatNumber(name, value)}</dd></div>`
    : '';

/** A table of a gauge with a label. */
function renderTable({ name, help, label = '', value }: GaugeReading): string {
  if (typeof value === 'number' || Object.keys(value).length === 0) return '';
  const rows = Object.entries(value).map(
    ([of, number]) => `<tr><th scope="row">${escapeHtml(of)}</th><td>${formatNumber(name, number)}</td></tr>`,
  );
  return `<table>
<caption>${escapeHtml(help)}<code>${escapeHtml(name)}</code></caption>
<thead><tr><th scope="col">${escapeHtml(label)}</th><th scope="col">value</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>`;
}

/** Formats a number by the unit at the end of its name. */
function formatNumber(name: string, value: number): string {
  if (name.endsWith('_time_seconds')) return formatTime(value * 1_000);
  if (name.endsWith('_bytes')) return `${(value / 1_048_576).toFixed(1)} MiB`;
  const number = value.toLocaleString('en-US', { maximumFractionDigits: 3 });
  return name.includes('_seconds') ? `${number} s` : number;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');

const STYLE = `
:root { color-scheme: light dark; --ground: #f5f6f8; --card: #fff; --text: #1b1f24; --faint: #57606a; --line: #d8dde3;
  --good: #116329; --good-ground: #d9f2df; --warning: #8a3800; --warning-ground: #ffe8d1; }
@media (prefers-color-scheme: dark) { :root { --ground: #0e1116; --card: #171b22; --text: #e6e9ee; --faint: #9aa4b0;
  --line: #2c333d; --good: #7ddc94; --good-ground: #12301b; --warning: #ffb374; --warning-ground: #3d2410; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
header, main { max-width: 76rem; margin: 0 auto; padding: 1.25rem; }
header { display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem 1rem; padding-bottom: 0; }
h1 { margin: 0; font-size: 1.5rem; letter-spacing: -0.01em; }
h2 { margin: 0 0 0.5rem; font-size: 1.05rem; }
.state { margin: 0; padding: 0.1rem 0.7rem; border-radius: 1rem; background: var(--good-ground); color: var(--good); font-weight: 600; }
.state.warning { background: var(--warning-ground); color: var(--warning); }
.at { margin: 0 0 0 auto; color: var(--faint); font-variant-numeric: tabular-nums; }
main { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1rem; }
section { padding: 1rem 1.1rem; border: 1px solid var(--line); border-radius: 0.6rem; background: var(--card); }
dl { margin: 0; }
dl div { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1rem; padding: 0.25rem 0; border-top: 1px solid var(--line); }
dl div:first-child { border-top: 0; }
dt, caption { color: var(--faint); overflow-wrap: anywhere; }
code { display: block; font-size: 0.8rem; }
dd { margin: 0 0 0 auto; text-align: right; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
.lines dd { margin: 0; text-align: left; flex: 1 1 20rem; }
.lines dt { flex: 1 1 14rem; }
dd.warning { color: var(--warning); font-weight: 600; }
table { width: 100%; margin-top: 1rem; border-collapse: collapse; font-variant-numeric: tabular-nums; }
caption { text-align: left; }
th, td { padding: 0.3rem 0; border-top: 1px solid var(--line); text-align: left; font-weight: 400; }
th:last-child, td { text-align: right; }
`;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** Nothing but the page's own style is taken. */
export const STATUS_HEADERS = {
  'content-security-policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
};
