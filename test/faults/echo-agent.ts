/* An agent over stdio that repeats what it is told. It says when it is there, so that no test has to guess. */
process.stdin.setEncoding('utf8');
let rest = '';
process.stdin.on('data', (chunk) => {
  const lines = (rest + chunk).split('\n');
  rest = lines.pop() ?? '';
  for (const line of lines) {
    const { id, params } = JSON.parse(line);
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: params.value })}\n`);
  }
});
process.stderr.write('ready\n');
