import type { SubmitEvent } from 'react';

import { formatChoice } from '../shared/format.ts';
import { addressOf } from '../shared/place.ts';
import { type Choices, STATUSES, writeChoices } from './choices.ts';

/** What the inbox is narrowed to. A status is chosen at once, texts when they are finished. */
export function Filters({ choices }: { readonly choices: Choices }) {
  const choose = (changed: Partial<Choices>) => {
    location.hash = addressOf('/', writeChoices(choices, changed));
  };
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    choose({ text: String(form.get('text')).trim(), atLeast: String(form.get('atLeast')) });
  };

  return (
    <search>
      <form className="filters" onSubmit={submit}>
        <label>
          Status
          <select
            value={choices.status ?? ''}
            onChange={({ target }) => choose({ status: STATUSES.find((status) => status === target.value) })}
          >
            <option value="">All</option>
            {STATUSES.map((status) => (
              <option key={status} value={status}>
                {formatChoice(status)}
              </option>
            ))}
          </select>
        </label>
        <label>
          Title
          <input name="text" type="search" defaultValue={choices.text} placeholder="Any" />
        </label>
        <label>
          Amount from, in EUR
          <input name="atLeast" type="number" min="0" step="any" defaultValue={choices.atLeast} placeholder="0" />
        </label>
        <button type="submit">Find</button>
      </form>
    </search>
  );
}
