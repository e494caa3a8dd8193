import { createInterface } from 'node:readline';
import type { JsonObject } from '../../core/json.ts';
import { answerTo, createActor, formality, type Message, type PeerEra } from './peer-acts.suite.ts';

/** A program that is an MCP server of the era its first argument names. */
const era: PeerEra = process.argv[2] === 'modern' ? 'modern' : 'session';
const play = createActor();
const environment = { token: process.env['PEER_TOKEN'] ?? '' } satisfies JsonObject;

createInterface({ input: process.stdin }).on('line', async (line) => {
  const message = JSON.parse(line) as Message;
  if (message.method !== 'tools/call') return say(formality(era, message));
  const params = (message.params?.['arguments'] ?? {}) as JsonObject;
  const act = await play({ id: message.id ?? null, method: 'act', headers: environment }, params);
  if (act.act === 'cut') process.exit(1);
  const text = answerTo(message.id ?? null, act, era);
  if (text !== null) process.stdout.write(`${text}\n`);
});

function say(answer: JsonObject | null): void {
  if (answer !== null) process.stdout.write(`${JSON.stringify(answer)}\n`);
}
