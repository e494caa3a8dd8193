// Two language models: one as Ollama serves it, one as OpenAI does. Both count what they are to sum up.
import { createServer } from 'node:http';

const { OLLAMA_PORT = 9023, OPENAI_PORT = 9024 } = process.env;

const summary = (prompt) =>
  `${prompt.match(/"title"/g)?.length ?? 0} tutorials, from a first look to practice.`;

function ollama({ model, prompt, stream = true }) {
  const [first, ...rest] = summary(prompt).split(/(?<= )/);
  const last = {
    model,
    response: rest.join(''),
    done: true,
    done_reason: 'stop',
    prompt_eval_count: 60,
    eval_count: 9,
  };
  if (!stream) return JSON.stringify({ ...last, response: first + rest.join('') });
  return `${JSON.stringify({ model, response: first, done: false })}\n${JSON.stringify(last)}\n`;
}

function openai({ model, messages, stream = false }) {
  const content = summary(messages.at(-1).content);
  const usage = { prompt_tokens: 60, completion_tokens: 9, total_tokens: 69 };
  const head = { id: 'chatcmpl-1', model };
  if (!stream) {
    const message = { role: 'assistant', content };
    return JSON.stringify({ ...head, choices: [{ index: 0, message, finish_reason: 'stop' }], usage });
  }
  const chunks = [
    { ...head, choices: [{ index: 0, delta: { role: 'assistant', content }, finish_reason: null }] },
    { ...head, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    { ...head, choices: [], usage },
  ];
  return [...chunks.map((chunk) => JSON.stringify(chunk)), '[DONE]']
    .map((data) => `data: ${data}\n\n`)
    .join('');
}

function serve(path, say, streamed) {
  return createServer(async (request, response) => {
    const body = JSON.parse((await request.toArray()).join(''));
    if (request.url !== path) return response.writeHead(404).end('{}');
    const isStream = body.stream ?? path === '/api/generate';
    response.writeHead(200, { 'content-type': isStream ? streamed : 'application/json' }).end(say(body));
  });
}

serve('/api/generate', ollama, 'application/x-ndjson').listen(Number(OLLAMA_PORT), '127.0.0.1', () =>
  serve('/v1/chat/completions', openai, 'text/event-stream').listen(Number(OPENAI_PORT), '127.0.0.1', () =>
    console.log('models listen'),
  ),
);
