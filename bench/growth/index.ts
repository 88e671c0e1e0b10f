import { type Benchmark, counted, timed } from '../benchmark.ts';
import { onStage } from '../stage/index.ts';
import { drawCrowds, drawLists } from './charts.ts';
import { growCrowds } from './crowds.ts';
import { growLists } from './lists.ts';
import { formatTables } from './tables.ts';

/** What UPSTREAM_CONNECTIONS is unless it is set. */
const CONNECTIONS = 128;

/** How requests and memory grow with what is asked, by how many, and with a platform that takes its time. */
export const growth: Benchmark = {
  name: 'growth',
  about: 'rps and memory over longer lists, more clients, two processes and a slower platform, and what bounds each',
  isApart: true,
  run: ({ isShort }) =>
    onStage(async (stage) => {
      const lists = await growLists(stage, isShort);
      const crowds = await growCrowds(stage, isShort);
      const points = [...lists.values(), ...crowds];
      const charts = '\n![longer lists](growth-lists.svg)\n\n![more clients](growth-clients.svg)\n';
      return {
        figures: [
          counted(
            'answers that failed',
            points.reduce((sum, { failed }) => sum + failed, 0),
            '',
            { atMost: 0 },
          ),
          timed('peak RSS, lists of 10,000', lists.get(10_000)?.peakRssMb ?? 0, 'MB'),
          timed('peak RSS, 256 clients', Math.max(...crowds.map(({ peakRssMb }) => peakRssMb)), 'MB', { atMost: 512 }),
          timed('most requests a second, one gateway', most(crowds, 1), 'rps'),
          timed('most requests a second, two gateways', most(crowds, 2), 'rps'),
        ],
        text: charts + formatTables(lists, crowds, CONNECTIONS),
        files: { 'growth-lists.svg': drawLists(lists), 'growth-clients.svg': drawCrowds(crowds) },
      };
    }),
};

const most = (points: readonly { readonly processes: number; readonly rps: number }[], count: number): number =>
  Math.max(...points.filter(({ processes }) => processes === count).map(({ rps }) => rps));
