/** What the specification calls a response, read from its text and from nothing of ours. */
export function isResponse(text: string): boolean {
  const said: unknown = JSON.parse(text);
  if (typeof said !== 'object' || said === null || Array.isArray(said)) return false;
  const { jsonrpc, id, error, ...rest } = said as Record<string, unknown>;
  if (jsonrpc !== '2.0' || (id !== null && typeof id !== 'string')) return false;
  if (Object.keys(rest).length > 0 || typeof error !== 'object' || error === null) return false;
  const { code, message } = error as Record<string, unknown>;
  return (
    Number.isInteger(code) && Number(code) <= -32000 && Number(code) >= -32768 && typeof message === 'string'
  );
}
