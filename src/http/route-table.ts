import type { TSchema } from '@sinclair/typebox'

/** One endpoint as the edge needs to know it before a body is read. */
export interface Route {
  readonly method: string
  /** `/v1/notes/:id` */
  readonly pattern: string
  readonly needsKey: boolean
  readonly needsWrite: boolean
  /** Whether the key may stand in the query. */
  readonly takesToken: boolean
  readonly query: TSchema | undefined
  readonly body: TSchema | undefined
  /** Whether there must be a body. */
  readonly takesBody: boolean
}

/** The routes of one path by method. */
export type RoutesOfPath = ReadonlyMap<string, Route>

interface Node {
  readonly named: Map<string, Node>
  parameter?: Node
  routes: Map<string, Route>
}

const newNode = (): Node => ({ named: new Map(), routes: new Map() })

const segmentsOf = (path: string) => path.split('/').slice(1)

/** Finds the routes of a path; a literal segment wins over a parameter (`/v1/notes/trash` over `/v1/notes/:id`). */
export class RouteTable {
  readonly #root = newNode()

  constructor(readonly routes: readonly Route[]) {
    for (const route of routes) this.#add(route)
  }

  #add(route: Route): void {
    let node = this.#root
    for (const segment of segmentsOf(route.pattern)) {
      if (segment.startsWith(':')) {
        node.parameter ??= newNode()
        node = node.parameter
      } else {
        const next = node.named.get(segment) ?? newNode()
        node.named.set(segment, next)
        node = next
      }
    }
    node.routes.set(route.method, route)
  }

  /** Undefined for an unknown path, also one with a trailing slash or malformed percent-encoding. */
  find(path: string): RoutesOfPath | undefined {
    let node: Node | undefined = this.#root
    for (const segment of segmentsOf(path)) {
      const next: Node | undefined = node.named.get(segment)
      node = next ?? (isParameterValue(segment) ? node.parameter : undefined)
      if (!node) return undefined
    }
    return node.routes.size > 0 ? node.routes : undefined
  }
}

function isParameterValue(segment: string): boolean {
  if (segment === '') return false
  if (!segment.includes('%')) return true
  try {
    decodeURIComponent(segment)
    return true
  } catch {
    return false
  }
}

/** The value of an `Allow` header: `GET` brings `HEAD` along. */
export function allowedMethods(routes: RoutesOfPath): string {
  const methods = [...routes.keys()].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
  return methods.join(', ')
}
