// Prints the words it reads, one a line.
let text = '';
for await (const chunk of process.stdin) text += chunk;
for (const word of text.split(/[\s,;]+/)) console.log(word);
