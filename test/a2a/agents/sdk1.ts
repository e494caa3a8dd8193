import { createRequire } from 'node:module';
import { type AgentCard, type Message, type Part, Role, TaskState } from 'a2a-sdk-1';
import {
  AgentEvent,
  type AgentExecutor,
  DefaultRequestHandler,
  type ExecutionEventBus,
  InMemoryTaskStore,
  type RequestContext,
} from 'a2a-sdk-1/server';
import { agentCardHandler, jsonRpcHandler, UserBuilder } from 'a2a-sdk-1/server/express';
import { type Express, listenOn } from './listen.ts';

/** An agent made with the A2A SDK of 1.x, and the express server that comes with it. It speaks 1.0 alone, or 0.3 besides. */

const [port = '0', speaks = '1.0', said = speaks] = process.argv.slice(2);
const url = `http://127.0.0.1:${port}/rpc`;

function part(value: string): Part {
  return { content: { $case: 'text', value }, metadata: undefined, filename: '', mediaType: 'text/plain' };
}

type Ids = { readonly taskId: string; readonly contextId: string };

function words({ taskId, contextId }: Ids, text: string): Message {
  return {
    messageId: crypto.randomUUID(),
    role: Role.ROLE_AGENT,
    parts: [part(text)],
    taskId,
    contextId,
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  };
}

const waiting = new Map<string, () => void>();

class Executor implements AgentExecutor {
  async execute(context: RequestContext, bus: ExecutionEventBus): Promise<void> {
    const { userMessage, taskId, contextId, task } = context;
    const content = userMessage.parts[0]?.content;
    const text = content?.$case === 'text' ? content.value : '';
    const ids = { taskId, contextId };
    const tell = (state: TaskState, message?: Message) =>
      bus.publish(
        AgentEvent.statusUpdate({
          ...ids,
          status: { state, message, timestamp: undefined },
          metadata: undefined,
        }),
      );
    if (text.startsWith('say '))
      bus.publish(AgentEvent.message(words({ ...ids, taskId: '' }, text.slice(4))));
    else {
      const status = { state: TaskState.TASK_STATE_SUBMITTED, message: undefined, timestamp: undefined };
      const begun = {
        id: taskId,
        contextId,
        status,
        artifacts: [],
        history: [userMessage],
        metadata: undefined,
      };
      bus.publish(AgentEvent.task(task ?? begun));
      if (text === 'ask' && task === undefined)
        tell(TaskState.TASK_STATE_INPUT_REQUIRED, words(ids, 'which city?'));
      else
        await this.#work(bus, { text: task === undefined ? text.toUpperCase() : `city: ${text}`, ids, tell });
    }
    bus.finished();
  }

  async #work(
    bus: ExecutionEventBus,
    { text, ids, tell }: { text: string; ids: Ids; tell: (state: TaskState, message?: Message) => void },
  ): Promise<void> {
    tell(TaskState.TASK_STATE_WORKING, words(ids, 'on it'));
    if (text === 'LATER') await new Promise((resolve) => setTimeout(resolve, 1000));
    if (text === 'FAIL') return tell(TaskState.TASK_STATE_FAILED, words(ids, 'it broke'));
    if (text === 'WAIT') {
      await new Promise<void>((resolve) => waiting.set(ids.taskId, resolve));
      return tell(TaskState.TASK_STATE_CANCELED);
    }
    const half = Math.floor(text.length / 2);
    const piece = (from: string, append: boolean) =>
      bus.publish(
        AgentEvent.artifactUpdate({
          ...ids,
          artifact: {
            artifactId: 'a',
            name: '',
            description: '',
            parts: [part(from)],
            metadata: undefined,
            extensions: [],
          },
          append,
          lastChunk: append,
          metadata: undefined,
        }),
      );
    piece(text.slice(0, half), false);
    piece(text.slice(half), true);
    tell(TaskState.TASK_STATE_COMPLETED);
  }

  async cancelTask(taskId: string): Promise<void> {
    waiting.get(taskId)?.();
  }
}

const versions = speaks === 'both' ? ['1.0', '0.3'] : ['1.0'];
const listed = (version: string) => ({
  url,
  protocolBinding: 'JSONRPC',
  protocolVersion: version,
  tenant: '',
});
const card: AgentCard = {
  name: 'sdk-1',
  description: 'made with the SDK',
  version: '1',
  supportedInterfaces: versions.map(listed),
  provider: undefined,
  capabilities: { streaming: true, pushNotifications: true, extensions: [] },
  securitySchemes: {},
  securityRequirements: [],
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [],
  signatures: [],
};
const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), new Executor());
const express = createRequire(import.meta.url)('express') as () => Express;
const app = express();
const legacyCompat = { enabled: speaks === 'both' };
// A card that says another version than is spoken.
const shown = { ...card, supportedInterfaces: (said === 'both' ? versions : [said]).map(listed) };
app.use(
  '/.well-known/agent-card.json',
  agentCardHandler({ agentCardProvider: async () => shown, legacyCompat }),
);
app.use('/rpc', jsonRpcHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication, legacyCompat }));
listenOn(app, Number(port));
