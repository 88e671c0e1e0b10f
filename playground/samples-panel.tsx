import { type GraphiQLPlugin, useGraphiQLActions } from '@graphiql/react';
import { useState } from 'react';

import { FilterField, hasWords } from './filter-field.tsx';
import { PluginIcon } from './plugin-icon.tsx';
import type { Sample } from './samples/sample.ts';
import { useTabs } from './tabs.ts';

/** Returns whether the page is wide enough for the panel beside the editors. */
export const isWide = (): boolean => matchMedia('(width > 700px)').matches;

/** Creates the panel that lists the samples in groups, with a filter. */
export function createSamplesPanel(samples: readonly Sample[]): GraphiQLPlugin {
  return { title: 'Samples', icon: SamplesIcon, content: () => <SamplesPanel samples={samples} /> };
}

function SamplesPanel({ samples }: { readonly samples: readonly Sample[] }) {
  const { activeTitle, open, reset } = useTabs(samples);
  const { setVisiblePlugin } = useGraphiQLActions();
  const [filter, setFilter] = useState('');
  const shown = samples.filter(({ name, operation, group, kind }) =>
    hasWords(`${name} ${operation} ${group} ${kind}`, filter),
  );
  const groups = [...new Set(shown.map(({ group }) => group))];
  const choose = (sample: Sample) => {
    open(sample);
    if (!isWide()) setVisiblePlugin(null);
  };
  return (
    <section className="samples" aria-label="Samples">
      <div className="samples-head">
        <h2 className="samples-title">Samples</h2>
        <button
          type="button"
          className="small-button"
          title="Restore the tabs of the first visit. Your own tabs stay."
          onClick={reset}
        >
          Reset tabs
        </button>
      </div>
      <FilterField
        label="Filter samples"
        placeholder="Filter by form, operation …"
        value={filter}
        onChange={setFilter}
      />
      {groups.map((group) => (
        <div key={group}>
          <h3 className="samples-group">{group}</h3>
          <ul className="samples-list">
            {shown
              .filter((sample) => sample.group === group)
              .map((sample) => (
                <li key={sample.name}>
                  <button
                    type="button"
                    className="sample"
                    aria-current={sample.name === activeTitle}
                    onClick={() => choose(sample)}
                  >
                    <span className="sample-name">{sample.name}</span>
                    <span className={`sample-kind sample-kind-${sample.kind}`}>{sample.kind}</span>
                    <span className="sample-operation">{sample.operation}</span>
                  </button>
                </li>
              ))}
          </ul>
        </div>
      ))}
      {groups.length === 0 && <p className="samples-none">No sample matches.</p>}
    </section>
  );
}

function SamplesIcon() {
  return <PluginIcon path="M3 5h.01M3 10h.01M3 15h.01M7 5h10M7 10h10M7 15h10" />;
}
