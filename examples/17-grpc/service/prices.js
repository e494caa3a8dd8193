// A gRPC service as its own makers would write it.
import { Server, ServerCredentials, status } from '@grpc/grpc-js';
import { load } from '@grpc/proto-loader';

const definition = await load(new URL('prices.proto', import.meta.url).pathname);
const prices = { ACME: 40, GLZ: 42.5 };

function find({ request: { symbol } }, reply) {
  if (Object.hasOwn(prices, symbol)) reply(null, { symbol, price: prices[symbol] });
  else reply({ code: status.NOT_FOUND, details: `nobody trades ${symbol}` });
}

function follow(call) {
  const { symbol, days } = call.request;
  for (let day = 1; day <= days; day++) call.write({ symbol, price: prices[symbol] + day / 2, day });
  call.end();
}

const server = new Server();
server.addService(definition['prices.v1.Prices'], { Find: find, Follow: follow });
const address = `127.0.0.1:${process.env.PRICES_PORT ?? 50051}`;
server.bindAsync(address, ServerCredentials.createInsecure(), (error) => {
  if (error) throw error;
  console.log(`prices listens on ${address}`);
});
