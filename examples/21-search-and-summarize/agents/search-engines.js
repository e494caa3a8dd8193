// Two search engines. One is out of order, as Bing would say it; the other has the shape of SearXNG, and takes its time.
import { createServer } from 'node:http';

const { FAILING_PORT = 9021, SLOW_PORT = 9022 } = process.env;

const results = ['A first look at async', 'Tasks and event loops', 'Async in practice'].map(
  (title, index) => ({
    title,
    url: `https://example.org/${index}`,
    content: `${title}, step by step`,
    score: 3 - index,
  }),
);

function answer(response, status, body) {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

const failing = createServer((_, response) => {
  console.log('failing: asked');
  answer(response, 503, { error: { code: 'ServerError', message: 'out of order' } });
});
const slow = createServer((request, response) => {
  const query = new URL(request.url, 'http://localhost').searchParams.get('q');
  setTimeout(() => {
    console.log('slow: answers');
    answer(response, 200, { query, results });
  }, 500);
});
failing.listen(Number(FAILING_PORT), '127.0.0.1', () =>
  slow.listen(Number(SLOW_PORT), '127.0.0.1', () => console.log('search engines listen')),
);
