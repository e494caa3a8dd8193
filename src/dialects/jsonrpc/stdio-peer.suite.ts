import { createInterface } from 'node:readline';
import type { JsonObject } from '../../core/json.ts';
import { createActor } from '../testing/actor.suite.ts';
import { messageFor, type Request, unknownMethod } from './peers.suite.ts';

/** A program that speaks JSON-RPC over its standard input and output, one message a line. */
const play = createActor();
const environment = { token: process.env['PEER_TOKEN'] ?? '' } satisfies JsonObject;

createInterface({ input: process.stdin }).on('line', async (line) => {
  const asked = JSON.parse(line) as Request;
  const unknown = unknownMethod(asked);
  if (unknown !== null) return void process.stdout.write(`${unknown}\n`);
  const { id, method, params } = asked;
  const act = await play({ id, method, headers: environment }, params);
  if (act.act === 'cut') process.exit(1);
  const message = messageFor(id, act);
  if (message !== null) process.stdout.write(`${message}\n`);
});
