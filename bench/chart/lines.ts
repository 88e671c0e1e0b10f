import { COLOURS, picture, round, text } from './svg.ts';

export interface Series {
  readonly name: string;
  readonly isDashed?: boolean;
  /** Which colour of the list it has; series that belong together may share one. */
  readonly colour: number;
  readonly points: readonly (readonly [x: number, y: number])[];
}

/** Lines over a logarithmic scale, with a scale of its own upwards, from 0. */
export interface LinePanel {
  readonly title: string;
  readonly xLabel: string;
  readonly series: readonly Series[];
}

const PLOT = { width: 560, height: 200, left: 56, top: 34 };
const LEGEND_LEFT = PLOT.left + PLOT.width + 16;
const PANEL_HEIGHT = PLOT.top + PLOT.height + 52;
const STEPS = 4;

/** Draws panels of lines below one another. */
export function drawLines(title: string, panels: readonly LinePanel[]): string {
  const marks = panels.flatMap((panel, index) => drawPanel(panel, 24 + index * PANEL_HEIGHT));
  return picture(title, 24 + panels.length * PANEL_HEIGHT, marks);
}

function drawPanel({ title, xLabel, series }: LinePanel, top: number): string[] {
  const xs = [...new Set(series.flatMap(({ points }) => points.map(([x]) => x)))].sort((a, b) => a - b);
  const most = niceAbove(Math.max(...series.flatMap(({ points }) => points.map(([, y]) => y))));
  const [first = 1, last = 1] = [xs.at(0), xs.at(-1)];
  const bottom = top + PLOT.top + PLOT.height;
  const placeX = (x: number) => PLOT.left + (Math.log(x / first) / Math.log(last / first)) * PLOT.width;
  const placeY = (y: number) => bottom - (y / most) * PLOT.height;

  const grid = Array.from({ length: STEPS + 1 }, (_, step) => (most * step) / STEPS).flatMap((y) => [
    `<path class="grid" d="M${PLOT.left} ${round(placeY(y))}h${PLOT.width}"/>`,
    text(PLOT.left - 6, placeY(y) + 4, y.toLocaleString('en'), { className: 'faint', anchor: 'end' }),
  ]);
  const ticks = xs.map((x) =>
    text(placeX(x), bottom + 16, x.toLocaleString('en'), { className: 'faint', anchor: 'middle' }),
  );
  return [
    text(0, top + 20, title, { className: 'title' }),
    ...grid,
    ...ticks,
    text(PLOT.left + PLOT.width / 2, bottom + 34, xLabel, { anchor: 'middle' }),
    ...series.flatMap((one, index) => [
      drawSeries(one, placeX, placeY),
      ...drawKey(one, top + PLOT.top + 12 + index * 20),
    ]),
  ];
}

type Place = (value: number) => number;

function drawSeries({ points, ...look }: Series, placeX: Place, placeY: Place): string {
  const path = points.map(([x, y]) => `${round(placeX(x))} ${round(placeY(y))}`).join('L');
  return `<path d="M${path}" ${strokeOf(look)}/>`;
}

function drawKey({ name, ...look }: Series, y: number): string[] {
  return [`<path d="M${LEGEND_LEFT} ${y - 4}h24" ${strokeOf(look)}/>`, text(LEGEND_LEFT + 32, y, name)];
}

const strokeOf = ({ colour, isDashed = false }: Pick<Series, 'colour' | 'isDashed'>): string =>
  `fill="none" stroke="${COLOURS[colour % COLOURS.length]}" stroke-width="2"${isDashed ? ' stroke-dasharray="6 4"' : ''}`;

/** Gives the next number above that reads well: 1, 2, 4, 6, 8 or 10 times a power of ten. */
function niceAbove(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
  return (([1, 2, 4, 6, 8, 10] as const).find((times) => times * power >= value) ?? 10) * power;
}
