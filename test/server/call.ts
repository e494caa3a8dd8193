/** One call of the API over HTTP; throws what the server refuses. */
export async function call<Result>(url: string, method: string, params: object): Promise<Result> {
  const answer = await fetch(`${url}/rpc`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const { result, error } = (await answer.json()) as { result?: Result; error?: object };
  if (result === undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
  return result;
}
