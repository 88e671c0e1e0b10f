const money = new Intl.NumberFormat('en', { style: 'currency', currency: 'EUR' });
const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });

/** Writes an amount, which comes as a text so that no cent is lost on the way. */
export const formatMoney = (amount: string | null | undefined): string =>
  amount == null ? '–' : money.format(amount as Intl.StringNumericLiteral);

export const formatDay = (date: string | null | undefined): string => (date == null ? '–' : day.format(new Date(date)));

/** Writes an enum's value as people do: `SUBMITTED` is "Submitted". */
export const formatChoice = (choice: string): string =>
  `${choice.charAt(0)}${choice.slice(1).toLowerCase().replaceAll('_', ' ')}`;
