import type { Api } from '../../src/api.ts'
import { ACCESS, type EndpointMarks } from '../../src/http/endpoints.ts'
import { NoBody } from '../../src/http/schema/types.ts'

/** An endpoint as registered in the Elysia application. */
export interface Route {
  readonly method: string
  /** For example `/v1/notes/:id`. */
  readonly path: string
  readonly access: EndpointMarks['access']
  readonly covers: EndpointMarks['covers']
  readonly needsSession: boolean
  readonly needsWrite: boolean
  readonly needsOwner: boolean
  readonly takesBody: boolean
}

/** Returns the endpoints of the service, without the handlers that refuse other methods of a path. */
export const routesOf = ({ elysia }: Pick<Api, 'elysia'>): Route[] =>
  elysia.routes
    .filter(({ method }) => method !== 'ALL')
    .map(({ method, path, hooks }) => {
      const { access, covers, body } = hooks.detail as EndpointMarks
      const rule = access === 'open' ? {} : ACCESS[access]
      return {
        method,
        path,
        access,
        covers,
        needsSession: 'session' in rule,
        needsWrite: 'write' in rule,
        needsOwner: 'owner' in rule,
        takesBody: body !== NoBody,
      }
    })
