import { isObject, type JsonObject } from '../../core/json.ts';
import { listIn, objectIn, textIn } from '../../core/members.ts';

/** What a provider is told to show of us, by the first way in that the document names and we have. */
export function securityOf(document: JsonObject, notes: string[]): JsonObject {
  const schemes = objectIn(objectIn(document, 'components'), 'securitySchemes');
  const names = listIn(document, 'security')
    .filter(isObject)
    .flatMap((way) => Object.keys(way));
  const [name] = names.length > 0 ? names : Object.keys(schemes);
  if (name === undefined) return {};
  const secret = `\${secrets.${name.replace(/\W+/g, '_').replace(/^(?=\d)/, '_')}}`;
  const auth = authOf(objectIn(schemes, name), secret);
  if (auth === null) {
    notes.push(`the service asks for ${name}, which is not taken over: see auth`);
    return {};
  }
  notes.push(`the service asks for ${name}: name the secret ${secret} under secrets`);
  return { auth };
}

function authOf(scheme: JsonObject, secret: string): JsonObject | null {
  const type = textIn(scheme, 'type');
  const style = textIn(scheme, 'scheme')?.toLowerCase();
  if (type === 'http' && style === 'bearer') return { type: 'bearer', token: secret };
  if (type === 'http' && style === 'basic') return { type: 'basic', username: 'name', password: secret };
  if (type === 'apiKey') return apiKey(scheme, secret);
  const { tokenUrl, scopes } = objectIn(objectIn(scheme, 'flows'), 'clientCredentials');
  if (type !== 'oauth2' || typeof tokenUrl !== 'string') return null;
  const scope = isObject(scopes) ? Object.keys(scopes).join(' ') : '';
  return {
    type: 'oauth2',
    token_url: tokenUrl,
    client_id: 'name',
    client_secret: secret,
    ...(scope === '' ? {} : { scope }),
  };
}

function apiKey(scheme: JsonObject, value: string): JsonObject | null {
  const name = textIn(scheme, 'name');
  const place = textIn(scheme, 'in');
  if (name === null || (place !== 'header' && place !== 'query')) return null;
  return { type: 'api_key', [place]: name, value };
}
