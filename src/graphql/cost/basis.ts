import type { Dialect } from '../../upstream/dialect.ts';
import type { PageLimits } from '../connection.ts';

/** What costs are computed from, besides the operation. */
export interface CostBasis {
  readonly pages: PageLimits;
  readonly dialect: Dialect;
}
