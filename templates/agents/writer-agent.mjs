/** Stands in for a language model: it keeps the first words of what it is given. */
import { serve } from './json-rpc-lines.mjs';

serve({
  generate({ prompt, max_words }) {
    const text = prompt.replace(/^[^:]*: /, '').replaceAll(/[{}[\]"]|title:|snippet:/g, ' ');
    const words = text.split(/\s+/).filter((word) => /\w/.test(word));
    return { text: words.slice(0, max_words).join(' ') };
  },
});
