/** Stands in for a search service: it knows these pages and no others. */
import { serve } from './json-rpc-lines.js';

const pages = [
  {
    title: 'Python async tutorials, from the first coroutine on',
    url: 'https://example.org/python-async',
    snippet: 'A coroutine is a function that can wait. An event loop runs many of them in one thread.',
  },
  {
    title: 'Python tutorials for people who know another language',
    url: 'https://example.org/python-tutorials',
    snippet: 'Lists, dictionaries and functions in an hour. Each chapter ends with a program that runs.',
  },
  {
    title: 'Durable workflows',
    url: 'https://example.org/durable-workflows',
    snippet:
      'Work that was accepted is finished, whatever is killed. Each step is recorded before the next begins.',
  },
  {
    title: 'JSON-RPC in one page',
    url: 'https://example.org/json-rpc',
    snippet: 'A request has a method, params and an id. The answer has a result or an error.',
  },
];

serve({
  search({ query, max_results = 10 }) {
    const words = query.toLowerCase().split(/\W+/).filter(Boolean);
    const found = pages
      .map((page) => ({ page, score: score(page, words) }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score);
    return { results: found.slice(0, max_results).map(({ page }) => page), total: found.length };
  },
});

function score({ title, snippet }, words) {
  const text = `${title} ${snippet}`.toLowerCase();
  return words.filter((word) => text.includes(word)).length;
}
