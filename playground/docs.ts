/** Searches the documentation: while there are words to look for, the contents are the headings of the parts that have them all. */
const MAX_FOUND = 40;

const [field, found, results, pages] = ['search', 'found', 'results', 'pages'].map((id) => document.getElementById(id));
const parts = [...document.querySelectorAll('section > :is(h1, h2, h3)')].map((heading) => {
  const section = heading.closest('section');
  const page = section?.querySelector('h1')?.textContent ?? '';
  const title = heading.textContent;
  return {
    address: `#${heading.id || section?.id}`,
    title: title === page ? page : `${page}: ${title}`,
    body: textBelow(heading),
    text: `${page} ${title} ${textBelow(heading)}`.toLowerCase(),
  };
});

/** The text that follows a heading, up to the next one. */
function textBelow(heading: Element): string {
  const texts: string[] = [];
  for (let next = heading.nextElementSibling; next && !/^H[1-3]$/.test(next.tagName); next = next.nextElementSibling)
    texts.push(next.textContent);
  return texts.join(' ');
}

function search(words: readonly string[]): void {
  const isOn = words.length > 0;
  const matching = parts.filter(({ text }) => isOn && words.every((word) => text.includes(word)));
  // A part whose heading has the words is likelier the one that is looked for.
  const isNamed = ({ title }: { readonly title: string }) => words.every((word) => title.toLowerCase().includes(word));
  const shown = matching.toSorted((one, other) => Number(isNamed(other)) - Number(isNamed(one))).slice(0, MAX_FOUND);
  const count = matching.length > 1 ? `${matching.length} parts have` : `${matching.length || 'No'} part has`;
  if (found) found.textContent = isOn ? `${count} these words.` : '';
  results?.replaceChildren(
    ...shown.map(({ address, title, body }) => {
      const item = document.createElement('li');
      const link = document.createElement('a');
      link.href = address;
      link.textContent = title;
      item.append(link, excerptOf(body, words[0] ?? ''));
      return item;
    }),
  );
  results?.toggleAttribute('hidden', !isOn);
  pages?.toggleAttribute('hidden', isOn);
  if (isOn && !matchMedia('(width > 900px)').matches) scrollTo(0, 0);
}

/** The words around the first place of one. */
function excerptOf(text: string, word: string): HTMLElement {
  const found = text.toLowerCase().indexOf(word);
  const at = Math.max(0, found);
  // The title may have it, and not the text.
  const end = found < 0 ? 0 : at + word.length;
  const excerpt = document.createElement('small');
  const mark = document.createElement('mark');
  mark.textContent = text.slice(at, end);
  excerpt.append(
    text.slice(Math.max(0, at - 30), at).replace(/^\S*\s/, ''),
    mark,
    text.slice(end, end + 60).replace(/\s\S*$/, ''),
    ' …',
  );
  return excerpt;
}

// The first part that is found is a key away.
field?.addEventListener('keydown', ({ key }) => {
  if (key === 'Enter') results?.querySelector('a')?.click();
});

field?.addEventListener('input', () => {
  search((field as HTMLInputElement).value.toLowerCase().split(/\s+/).filter(Boolean));
});

export {};
