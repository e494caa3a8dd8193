import { createRequire } from 'node:module';
import type { AgentCard, Message, TaskState } from 'a2a-sdk-0.3';
import {
  type AgentExecutor,
  DefaultRequestHandler,
  type ExecutionEventBus,
  InMemoryTaskStore,
  type RequestContext,
} from 'a2a-sdk-0.3/server';
import { agentCardHandler, jsonRpcHandler, UserBuilder } from 'a2a-sdk-0.3/server/express';
import { type Express, listenOn } from './listen.ts';

/** An agent made with the A2A SDK of 0.3, and the express server that comes with it. */

const [port = '0', said = '0.3.0'] = process.argv.slice(2);
const url = `http://127.0.0.1:${port}/a2a/jsonrpc`;

function words(text: string): Message {
  return { kind: 'message', messageId: crypto.randomUUID(), role: 'agent', parts: [{ kind: 'text', text }] };
}

/** Those who wait, by what ends it. */
const waiting = new Map<string, () => void>();

class Executor implements AgentExecutor {
  async execute(
    { userMessage, taskId, contextId, task }: RequestContext,
    bus: ExecutionEventBus,
  ): Promise<void> {
    const [part] = userMessage.parts;
    const text = part?.kind === 'text' ? part.text : '';
    const ids = { taskId, contextId };
    const tell = (state: TaskState, message?: Message) => {
      const final = state !== 'working';
      bus.publish({ kind: 'status-update', ...ids, status: { state, ...(message && { message }) }, final });
    };
    if (text.startsWith('say ')) bus.publish(words(text.slice(4)));
    else {
      if (task === undefined)
        bus.publish({
          kind: 'task',
          id: taskId,
          contextId,
          status: { state: 'submitted' },
          history: [userMessage],
        });
      if (text === 'ask' && task === undefined) tell('input-required', words('which city?'));
      else
        await this.#work(bus, { text: task === undefined ? text.toUpperCase() : `city: ${text}`, ids, tell });
    }
    bus.finished();
  }

  async #work(
    bus: ExecutionEventBus,
    {
      text,
      ids,
      tell,
    }: {
      text: string;
      ids: { taskId: string; contextId: string };
      tell: (state: TaskState, message?: Message) => void;
    },
  ): Promise<void> {
    tell('working', words('on it'));
    if (text === 'LATER') await new Promise((resolve) => setTimeout(resolve, 1000));
    if (text === 'FAIL') return tell('failed', words('it broke'));
    if (text === 'WAIT') {
      await new Promise<void>((resolve) => waiting.set(ids.taskId, resolve));
      return tell('canceled');
    }
    const half = Math.floor(text.length / 2);
    const piece = (from: string) => ({ artifactId: 'a', parts: [{ kind: 'text' as const, text: from }] });
    bus.publish({ kind: 'artifact-update', ...ids, artifact: piece(text.slice(0, half)) });
    bus.publish({
      kind: 'artifact-update',
      ...ids,
      artifact: piece(text.slice(half)),
      append: true,
      lastChunk: true,
    });
    tell('completed');
  }

  async cancelTask(taskId: string): Promise<void> {
    waiting.get(taskId)?.();
  }
}

const card: AgentCard = {
  name: 'sdk-0.3',
  description: 'made with the SDK',
  protocolVersion: said,
  version: '1',
  url,
  capabilities: { streaming: true, pushNotifications: true },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [{ id: 'upper', name: 'upper', description: 'upper', tags: ['text'] }],
};
const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), new Executor());
const express = createRequire(import.meta.url)('express') as () => Express;
const app = express();
app.use('/.well-known/agent-card.json', agentCardHandler({ agentCardProvider: requestHandler }));
app.use('/a2a/jsonrpc', jsonRpcHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication }));
listenOn(app, Number(port));
