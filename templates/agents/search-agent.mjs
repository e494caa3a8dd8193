/** Stands in for a search service: it knows these pages and no others. */
import { serve } from './json-rpc-lines.mjs';

const pages = [
  { title: 'Durable workflows', snippet: 'Work that was accepted is finished, whatever is killed.' },
  {
    title: 'JSON-RPC in one page',
    snippet: 'A request has a method, params and an id; the answer a result or an error.',
  },
  { title: 'Retries that help', snippet: 'Wait longer each time, and never all at once.' },
];

serve({
  search({ query, limit }) {
    const words = query.toLowerCase().split(/\W+/).filter(Boolean);
    const hits = ({ title, snippet }) =>
      words.filter((word) => `${title} ${snippet}`.toLowerCase().includes(word)).length;
    return { pages: pages.toSorted((a, b) => hits(b) - hits(a)).slice(0, limit) };
  },
});
