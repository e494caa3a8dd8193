import type { IncomingMessage } from 'node:http';
import { inWordsOf, nothingThere, type Refusal, wrongMethod } from './refusal.ts';
import { pathOf } from './request-view.ts';
import type { Route, TreeRoute } from './route.ts';

const everyMethod = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/** A stream has no end, so nobody can ask how long it is. */
export function methodsOf({ kind }: Route): readonly (typeof everyMethod)[number][] {
  if (kind === 'tree') return everyMethod;
  if (kind === 'rpc' || kind === 'hook') return ['POST'];
  return kind === 'get' ? ['GET', 'HEAD'] : ['GET'];
}

/** Where the listener looks for a route. */
export function urlsOf({ kind, path }: Route): readonly string[] {
  return kind === 'tree' ? [path, `${path}/*`] : [path];
}

/** What is where, for those who ask in vain. */
export class Paths {
  readonly #routes = new Map<string, Route>();
  readonly #trees: TreeRoute[] = [];

  add(route: Route): void {
    if (route.kind === 'tree') this.#trees.push(route);
    else this.#routes.set(route.path, route);
  }

  envelopeAt(path: string): 'rpc' | 'plain' {
    return this.#routes.get(path)?.kind === 'rpc' ? 'rpc' : 'plain';
  }

  /** A refusal as whoever is asked at this path says it. */
  inWordsAt(path: string, refusal: Refusal): Refusal {
    const route = this.#routes.get(path);
    return route?.kind === 'rpc' ? inWordsOf(route.policy, refusal) : refusal;
  }

  /**
   * Whether everybody may ask here, by whatever name: those who look whether we live have none to ask by, and those who
   * sign what they send need none.
   */
  isOpen(path: string): boolean {
    const route = this.#routes.get(path);
    return route?.kind === 'hook' || (route?.kind === 'get' && route.access === 'open');
  }

  refusal(request: IncomingMessage): Refusal {
    const path = pathOf(request);
    const { method = '' } = request;
    const tree = this.#trees.find((one) => path === one.path || path.startsWith(`${one.path}/`));
    if (tree !== undefined) return inTree(tree, method, path);
    const route = this.#routes.get(path);
    if (route !== undefined)
      return wrongMethod(method, methodsOf(route).join(', '), `there is ${describe(route)}`);
    return nothingThere(path, [...this.#routes.values(), ...this.#trees].map(describe));
  }
}

function inTree({ methodsAt, there }: TreeRoute, method: string, path: string): Refusal {
  const methods = methodsAt(path).join(', ');
  if (methods === '') return nothingThere(path, there(path));
  return wrongMethod(method, methods, `possible are ${methods}`);
}

function describe(route: Route): string {
  if (route.kind === 'tree') return `REST below ${route.path}`;
  if (route.kind === 'hook') return `a hook by POST ${route.path}`;
  if (route.kind !== 'rpc') return `GET ${route.path}`;
  const socket = route.websocket === false ? '' : ' or over a WebSocket';
  return `JSON-RPC by POST ${route.path}${socket}`;
}
