/** What an instance holds, by field. */
export type Values = Record<string, unknown>;

export interface Field {
  readonly id: string;
  readonly title: string;
  readonly type: string;
  readonly mandatory: boolean;
  readonly choices?: readonly string[];
  /** The form whose instances the field refers to. */
  readonly refersTo?: string;
}

export interface Form {
  readonly id: string;
  readonly title: string;
  readonly revision: string;
  readonly fields: readonly Field[];
}

export const FORMS: readonly Form[] = [
  {
    id: 'driver',
    title: 'Driver',
    revision: '3',
    fields: [
      { id: 'name', title: 'Full name', type: 'string', mandatory: true },
      { id: 'licence', title: 'Licence class', type: 'choice', mandatory: true, choices: ['B', 'C', 'CE'] },
      { id: 'mentor', title: 'Mentor', type: 'link', mandatory: false, refersTo: 'driver' },
    ],
  },
  {
    id: 'vehicle',
    title: 'Vehicle',
    revision: '12',
    fields: [
      { id: 'plate', title: 'Number plate', type: 'string', mandatory: true },
      { id: 'axles', title: 'Axles', type: 'integer', mandatory: true },
      { id: 'isElectric', title: 'Electric', type: 'boolean', mandatory: false },
      { id: 'driver', title: 'Regular driver', type: 'link', mandatory: false, refersTo: 'driver' },
    ],
  },
];

/** Many more forms than one page has. */
export const DEPOTS: readonly Form[] = Array.from({ length: 68 }, (_, index) => ({
  id: `depot-${index + 1}`,
  title: `Depot ${index + 1}`,
  revision: '1',
  fields: [{ id: 'bays', title: 'Bays', type: 'integer', mandatory: false }],
}));

const DRIVERS = 26;
const VEHICLES = 30;
const FIRST_DRIVER = 501;
const FIRST_VEHICLE = 101;

/** Makes the instances that a platform starts with, by form and id: 26 drivers, and vehicles that share ten of them. */
export function createFleet(vehicles = VEHICLES): Map<string, Map<number, Values>> {
  return new Map([
    ['driver', numbered(FIRST_DRIVER, DRIVERS, driver)],
    ['vehicle', numbered(FIRST_VEHICLE, vehicles, vehicle)],
  ]);
}

function driver(index: number): Values {
  const mentor = index === 0 ? null : FIRST_DRIVER + Math.floor(index / 2);
  return { name: `Driver ${String.fromCodePoint(65 + index)}`, licence: ['B', 'C', 'CE'][index % 3], mentor };
}

function vehicle(index: number): Values {
  const plate = `CW ${100 + index}`;
  // The last one has no driver.
  const driverId = index === VEHICLES - 1 ? null : FIRST_DRIVER + (index % 10);
  return { plate, axles: 2 + (index % 4), isElectric: index % 2 === 0, driver: driverId };
}

function numbered(first: number, count: number, make: (index: number) => Values): Map<number, Values> {
  return new Map(Array.from({ length: count }, (_, index) => [first + index, make(index)]));
}
