import { createHash } from 'node:crypto';

import type { StatusFact, StatusSection, StatusTable } from '../../core/facts.ts';

/** The state of a gateway. */
export interface Status {
  readonly title: string;
  /** In one word. */
  readonly state: string;
  readonly isWarning: boolean;
  readonly at: string;
  readonly sections: readonly StatusSection[];
}

/** Writes the state of a gateway as a page without scripts, in light or dark as the browser prefers. */
export const renderStatus = ({ title, state, isWarning, at, sections }: Status): string => `<!doctype html>
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
<p class="state${isWarning ? ' warning' : ''}">${escapeHtml(state)}</p>
<p class="at"><time>${escapeHtml(at)}</time></p>
</header>
<main>
${sections.map(renderSection).join('\n')}
</main>
</body>
</html>
`;

const renderSection = ({
  title,
  facts,
  tables = [],
}: StatusSection): string => `<section${tables.length > 0 ? ' class="wide"' : ''}>
<h2>${escapeHtml(title)}</h2>
${facts.length > 0 ? `<dl>\n${facts.map(renderFact).join('\n')}\n</dl>` : ''}
${tables.map(renderTable).join('\n')}
</section>`;

const renderFact = ({ name, value, share, isWarning = false }: StatusFact): string => {
  const meter = share === undefined ? '' : renderMeter(name, share);
  return `<div><dt>${escapeHtml(name)}</dt><dd${isWarning ? ' class="warning"' : ''}>${escapeHtml(value)}${meter}</dd></div>`;
};

const renderMeter = (name: string, share: number): string =>
  ` <meter min="0" max="1" high="0.8" optimum="0" value="${Math.min(1, share).toFixed(3)}" aria-label="${escapeHtml(name)}"></meter>`;

function renderTable({ caption, columns, rows, whenEmpty }: StatusTable): string {
  const title = `<h3>${escapeHtml(caption)}</h3>`;
  if (rows.length === 0) return `${title}\n<p class="empty">${escapeHtml(whenEmpty)}</p>`;
  const head = columns.map((column) => `<th scope="col">${escapeHtml(column)}</th>`).join('');
  const body = rows.map((row) => `<tr>${row.map((cell) => `<td>${escapeHtml(cell)}</td>`).join('')}</tr>`);
  // Where it is wider than the page, it can be scrolled by keys.
  return `${title}
<div class="table" tabindex="0" role="region" aria-label="${escapeHtml(caption)}">
<table aria-label="${escapeHtml(caption)}">
<thead><tr>${head}</tr></thead>
<tbody>
${body.join('\n')}
</tbody>
</table>
</div>`;
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
h3 { margin: 1rem 0 0.25rem; font-size: 0.9rem; }
.state { margin: 0; padding: 0.1rem 0.7rem; border-radius: 1rem; background: var(--good-ground); color: var(--good); font-weight: 600; }
.state.warning { background: var(--warning-ground); color: var(--warning); }
.at { margin: 0 0 0 auto; color: var(--faint); font-variant-numeric: tabular-nums; }
main { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(27rem, 100%), 1fr)); gap: 1rem; }
section { min-width: 0; padding: 1rem 1.1rem; border: 1px solid var(--line); border-radius: 0.6rem; background: var(--card); }
section.wide { grid-column: 1 / -1; }
dl { margin: 0; }
dl div { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1rem; padding: 0.25rem 0; border-top: 1px solid var(--line); }
dl div:first-child { border-top: 0; }
section.wide dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(19rem, 100%), 1fr)); gap: 0 2.5rem; }
section.wide dl div { border-top: 0; border-bottom: 1px solid var(--line); }
dt { color: var(--faint); }
dd { margin: 0 0 0 auto; text-align: right; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
dd.warning { color: var(--warning); font-weight: 600; }
meter { display: block; width: 9rem; height: 0.7rem; margin-left: auto; }
.table { overflow-x: auto; }
table { width: 100%; min-width: 34rem; border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 0.3rem 0.9rem 0.3rem 0; border-top: 1px solid var(--line); text-align: left; vertical-align: top; }
td:last-child { padding-right: 0; }
th { color: var(--faint); font-weight: 500; }
.empty { margin: 0; color: var(--faint); }
`;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** Nothing but the page's own style is taken. */
export const STATUS_HEADERS = {
  'content-security-policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
};
