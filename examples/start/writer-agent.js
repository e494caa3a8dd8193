/** Stands in for a language model: it picks sentences out of its prompt and makes none up. */
import { serve } from './json-rpc-lines.js';

serve({
  generate({ prompt, max_tokens = 100 }) {
    const quoted = [...prompt.matchAll(/"snippet":\s*"((?:[^"\\]|\\.)*)"/g)].map(([, text]) => text);
    const source = quoted.length > 0 ? quoted.join(' ') : prompt;
    const words = firstSentences(source).split(' ').slice(0, max_tokens);
    return {
      text: words.join(' '),
      usage: { prompt_tokens: prompt.split(/\s+/).length, completion_tokens: words.length },
    };
  },
});

/** The first sentence of each pair: a summary of sorts. */
function firstSentences(text) {
  const sentences = text.match(/[^.!?]+[.!?]?/g) ?? [];
  return sentences
    .filter((_, index) => index % 2 === 0)
    .map((sentence) => sentence.trim())
    .join(' ');
}
