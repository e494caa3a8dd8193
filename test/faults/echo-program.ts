/* A program for one call, which repeats what it is told. */
let told = '';
for await (const piece of process.stdin.setEncoding('utf8')) told += piece;
process.stdout.write(JSON.stringify(JSON.parse(told).value));

export {};
