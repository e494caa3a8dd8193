// A bookshop as there are many: a REST API with pages and orders that take a while, and GraphQL beside it.
// It knows nothing of JSON-RPC. http://127.0.0.1:9006
import { createServer } from 'node:http';

const books = ['Time and Work', 'Time Zones', 'The Time Before', 'Working Hours', 'Time to Rest'].map(
  (name, index) => ({ isbn: `97${index}`, name, price_cents: 900 + 100 * index }),
);
const orders = new Map();

function list({ searchParams }) {
  const page = Number(searchParams.get('page') ?? 1);
  const found = books.filter(({ name }) => name.includes(searchParams.get('q') ?? ''));
  const next = page * 2 < found.length ? `/api/books?q=${searchParams.get('q')}&page=${page + 1}` : null;
  return [200, { books: found.slice(page * 2 - 2, page * 2), next }];
}

function order(_, { isbn, copies }) {
  const id = `order ${orders.size + 1}`;
  if (copies > 10) return [422, { problem: { text: `${copies} copies are too many` } }];
  orders.set(id, { id, isbn, copies, asked: 0 });
  return [202, { id, state: 'packing' }];
}

function orderState({ pathname }) {
  const found = orders.get(decodeURIComponent(pathname.split('/').at(-1)));
  if (found === undefined) return [404, { problem: { text: 'no such order' } }];
  found.asked++;
  const state = found.asked < 3 ? 'packing' : 'sent';
  return [
    200,
    { ...found, state, percent: found.asked * 33, of: 100, ...(state === 'sent' ? { parcel: 'P-1' } : {}) },
  ];
}

function graphql(_, { variables }) {
  const found = books.findIndex(({ isbn }) => isbn === variables.isbn);
  if (found === -1) return [200, { data: null, errors: [{ message: `no book ${variables.isbn}` }] }];
  return [200, { data: { stock: { isbn: variables.isbn, copies: found * 3 } } }];
}

const routes = [
  [/^GET \/api\/books$/, list],
  [/^POST \/api\/orders$/, order],
  [/^GET \/api\/orders\/[^/]+$/, orderState],
  [/^POST \/graphql$/, graphql],
];

createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  const url = new URL(request.url, 'http://shop');
  const [, answer] = routes.find(([pattern]) => pattern.test(`${request.method} ${url.pathname}`)) ?? [];
  const allowed = request.headers['x-shop-key'] === 'let me in';
  const [status, body] = !allowed
    ? [401, { problem: { text: 'who are you?' } }]
    : (answer?.(url, text === '' ? {} : JSON.parse(text)) ?? [404, { problem: { text: 'nothing here' } }]);
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}).listen(Number(process.env.SHOP_PORT ?? 9006), '127.0.0.1', () => console.log('the bookshop listens'));
