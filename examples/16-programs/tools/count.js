// Reads the params of its task as JSON and prints its result as JSON.
let text = '';
for await (const chunk of process.stdin) text += chunk;
const { words } = JSON.parse(text);

// Lines like this one on standard error tell how it is getting on.
console.error(JSON.stringify({ progress: 0, total: words.length, message: 'counting' }));

if (words.length === 0) {
  // The last line says what went wrong, the exit code that trying again is of no use.
  console.log(JSON.stringify({ error: { message: 'there is nothing to count' } }));
  process.exit(1);
}
const counts = {};
for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
console.log(JSON.stringify(counts));
