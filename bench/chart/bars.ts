import { picture, round, text, WIDTH } from './svg.ts';

/** One group of bars, with a scale of its own. */
export interface BarPanel {
  readonly title: string;
  readonly bars: readonly { readonly label: string; readonly value: number; readonly isOurs: boolean }[];
}

const LABEL_WIDTH = 330;
const VALUE_WIDTH = 70;
const ROW = 20;
const PANEL_HEAD = 34;

/** Draws panels of horizontal bars below one another. */
export function drawBars(title: string, panels: readonly BarPanel[]): string {
  const marks: string[] = [];
  let y = 24;
  for (const panel of panels) {
    marks.push(...drawPanel(panel, y));
    y += PANEL_HEAD + panel.bars.length * ROW + 8;
  }
  return picture(title, y, marks);
}

function drawPanel({ title, bars }: BarPanel, top: number): string[] {
  const most = Math.max(...bars.map(({ value }) => value));
  const perUnit = (WIDTH - LABEL_WIDTH - VALUE_WIDTH) / most;
  const rows = bars.flatMap(({ label, value, isOurs }, index) => {
    const y = top + PANEL_HEAD + index * ROW;
    const length = Math.max(1, value * perUnit);
    const bar = `<rect x="${LABEL_WIDTH}" y="${y}" width="${round(length)}" height="${ROW - 6}" class="${isOurs ? 'ours' : 'theirs'}"/>`;
    const said = value < 100 ? value.toFixed(1) : String(Math.round(value));
    return [
      text(LABEL_WIDTH - 8, y + 11, label, { anchor: 'end' }),
      bar,
      text(LABEL_WIDTH + length + 6, y + 11, said, { className: 'faint' }),
    ];
  });
  return [text(0, top + 22, title, { className: 'title' }), ...rows];
}
