interface FilterFieldProps {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** The field above a list that filters its entries. */
export function FilterField({ label, placeholder, value, onChange }: FilterFieldProps) {
  return (
    <input
      className="field filter"
      type="search"
      aria-label={label}
      placeholder={placeholder}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

/** Returns whether a text contains every word of a filter, ignoring case. */
export function hasWords(text: string, filter: string): boolean {
  const words = filter.toLowerCase().split(/\s+/);
  return words.every((word) => text.toLowerCase().includes(word));
}
