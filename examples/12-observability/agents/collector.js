// Stands in for an OpenTelemetry collector: takes spans over OTLP/HTTP and prints their names, the parents first.
import { createServer } from 'node:http';

createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const { resourceSpans = [] } = JSON.parse(Buffer.concat(chunks).toString());
  const spans = resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
  for (const { name, traceId } of spans) console.log(`${traceId.slice(0, 8)} ${name}`);
  response.setHeader('content-type', 'application/json');
  response.end('{}');
}).listen(Number(process.env.COLLECTOR_PORT ?? 4318), '127.0.0.1', () =>
  console.log('the collector listens'),
);
