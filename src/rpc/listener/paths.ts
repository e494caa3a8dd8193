import type { IncomingMessage } from 'node:http';
import { nothingThere, type Refusal, wrongMethod } from './refusal.ts';
import { pathOf } from './request-view.ts';
import type { Route } from './route.ts';

/** A stream has no end, so nobody can ask how long it is. */
export function methodsOf({ kind }: Route): readonly ('GET' | 'HEAD' | 'POST')[] {
  if (kind === 'rpc') return ['POST'];
  return kind === 'get' ? ['GET', 'HEAD'] : ['GET'];
}

/** What is where, for those who ask in vain. */
export class Paths {
  readonly #routes = new Map<string, Route>();

  add(route: Route): void {
    this.#routes.set(route.path, route);
  }

  envelopeAt(path: string): 'rpc' | 'plain' {
    return this.#routes.get(path)?.kind === 'rpc' ? 'rpc' : 'plain';
  }

  /** Whether everybody may ask here, by whatever name: those who look whether we live have none to ask by. */
  isOpen(path: string): boolean {
    const route = this.#routes.get(path);
    return route?.kind === 'get' && route.access === 'open';
  }

  refusal(request: IncomingMessage): Refusal {
    const path = pathOf(request);
    const route = this.#routes.get(path);
    if (route === undefined) return nothingThere(path, [...this.#routes.values()].map(describe));
    return wrongMethod(request.method ?? '', methodsOf(route).join(', '), `there is ${describe(route)}`);
  }
}

function describe(route: Route): string {
  if (route.kind !== 'rpc') return `GET ${route.path}`;
  const socket = route.websocket === false ? '' : ' or over a WebSocket';
  return `JSON-RPC by POST ${route.path}${socket}`;
}
