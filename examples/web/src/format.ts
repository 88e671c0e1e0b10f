const money = new Intl.NumberFormat('en', { style: 'currency', currency: 'EUR' });
const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });

/**
 * Formats an amount in EUR. Decimals are strings in the graph and in `Intl`, so that no digit is
 * lost.
 */
export const formatMoney = (amount: string | null | undefined): string =>
  amount == null ? '–' : money.format(amount as Intl.StringNumericLiteral);

export const formatDay = (date: string | null | undefined): string =>
  date == null ? '–' : day.format(new Date(date));

/** Formats an enum's value for people: `SUBMITTED` becomes "Submitted". */
export const formatChoice = (choice: string): string =>
  `${choice.charAt(0)}${choice.slice(1).toLowerCase().replaceAll('_', ' ')}`;
