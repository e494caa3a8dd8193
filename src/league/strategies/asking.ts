import { canonicalJson } from '../../core/canonical.ts';
import { isObject, type Json, type JsonObject } from '../../core/json.ts';
import { draw, type Question, type Strategy } from './strategy.ts';

/** One durable call through the engine: its result, or an error where it failed. */
export type AskEngine = (task: EngineTask, signal: AbortSignal) => Promise<Json>;

export type EngineTask = {
  readonly protocol: string;
  readonly method: string;
  readonly params: JsonObject;
};

/** Asks a language model of `llm/v1`, whosever it is, for the number of a choice. */
export function modelStrategy(ask: AskEngine, model: string | null): Strategy {
  const choose = async (question: Question): Promise<JsonObject> => {
    const params = { prompt: promptOf(question), ...(model === null ? {} : { model }) };
    const task = { protocol: 'llm/v1', method: 'generate', params };
    return numbered(await ask(task, question.signal), question) ?? draw(question);
  };
  return { name: 'llm', choose };
}

/** Asks any method of any protocol, a tool of an MCP server say: it is told everything and answers with the move. */
export function methodStrategy(ask: AskEngine, { protocol, method }: Omit<EngineTask, 'params'>): Strategy {
  const choose = async (question: Question): Promise<JsonObject> => {
    const { game_type, step_number, context, choices } = question;
    const params = { game_type, step_number, step_context: context, choices };
    const answer = await ask({ protocol, method, params }, question.signal);
    return moveIn(answer, question) ?? numbered(answer, question) ?? draw(question);
  };
  return { name: 'task', choose };
}

function promptOf({ game_type, context, choices }: Question): string {
  return [
    `You play ${game_type}. This is what you see:`,
    JSON.stringify(context),
    'Your choices:',
    ...choices.map((choice, index) => `${index}: ${JSON.stringify(choice)}`),
    'Answer with the number of your choice and nothing else.',
  ].join('\n');
}

/** The first number in what was said, if there is a choice of that number. Models like to add a sentence. */
function numbered(answer: Json, { choices }: Question): JsonObject | null {
  const found = /\d+/.exec(textOf(answer))?.[0];
  return found === undefined ? null : (choices[Number(found)] ?? null);
}

function textOf(answer: Json): string {
  if (typeof answer === 'string' || typeof answer === 'number') return String(answer);
  if (!isObject(answer)) return '';
  const { text, response, content } = answer;
  return textOf(text ?? response ?? content ?? '');
}

/** `{move_payload}`, or the move itself where it is one of the choices. */
function moveIn(answer: Json, { choices }: Question): JsonObject | null {
  if (!isObject(answer)) return null;
  const { move_payload } = answer;
  if (isObject(move_payload)) return move_payload;
  return choices.find((choice) => canonicalJson(choice) === canonicalJson(answer)) ?? null;
}
