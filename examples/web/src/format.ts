const money = new Intl.NumberFormat('en', { style: 'currency', currency: 'EUR' });
const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });

/** An amount in EUR. Decimals are strings in the graph, so that no digit is lost; `Intl` takes them as they are. */
export const formatMoney = (amount: string | null | undefined): string =>
  amount == null ? '–' : money.format(amount as Intl.StringNumericLiteral);

export const formatDay = (date: string | null | undefined): string => (date == null ? '–' : day.format(new Date(date)));

/** An enum's value as people write it: `SUBMITTED` is "Submitted". */
export const formatChoice = (choice: string): string =>
  `${choice.charAt(0)}${choice.slice(1).toLowerCase().replaceAll('_', ' ')}`;
