/** A colour for each series, legible on white and on black. */
export const COLOURS = ['#2f7ed8', '#c8701a', '#2f9a4f', '#b0479c', '#8a6fd1', '#7d8a99'];

/** Of every picture. */
export const WIDTH = 860;

// A picture within a page cannot know the page's colours, but it is told whether the reader prefers dark ones.
const STYLE = `
  text { font: 12px system-ui, sans-serif; fill: #24292f; }
  .title { font-weight: 600; font-size: 14px; }
  .faint { fill: #57606a; }
  .axis { stroke: #8c959f; stroke-width: 1; fill: none; }
  .grid { stroke: #8c959f; stroke-width: 0.5; opacity: 0.4; }
  .ours { fill: #2f7ed8; }
  .theirs { fill: #8c959f; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .faint { fill: #9ea7b3; }
  }
`;

/** Wraps marks into a whole picture, under a title that is also read aloud. */
export function picture(title: string, height: number, marks: readonly string[]): string {
  const size = `width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}"`;
  const head = `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img">\n<title>${escapeXml(title)}</title>`;
  const shown = [text(0, 16, title, { className: 'title' }), ...marks].join('\n');
  return `${head}\n<style>${STYLE}</style>\n${shown}\n</svg>\n`;
}

interface TextStyle {
  readonly className?: 'title' | 'faint';
  readonly anchor?: 'start' | 'middle' | 'end';
}

/** Writes a text at a place; `y` is its base line. */
export function text(x: number, y: number, content: string, { className, anchor = 'start' }: TextStyle = {}): string {
  const named = className === undefined ? '' : ` class="${className}"`;
  return `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}"${named}>${escapeXml(content)}</text>`;
}

/** As many digits as a picture needs. */
export const round = (value: number): number => Number(value.toFixed(1));

const escapeXml = (content: string) => content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
