import { type AnyElysia, Elysia } from 'elysia'
import { NoQuery } from '../schema/types.ts'
import type { ApiDescription, OpenApiDocument } from './document.ts'

/**
 * The OpenAPI document of an application, written when it is first asked for: the generator is loaded only
 * then, so that it costs nothing at start.
 */
export function createOpenApi(app: () => AnyElysia, api: ApiDescription): () => Promise<OpenApiDocument> {
  let document: Promise<OpenApiDocument> | undefined
  return () => {
    document ??= import('./document.ts').then(({ buildDocument }) => buildDocument(app(), api))
    return document
  }
}

/** `GET /openapi.json`, without a key. */
export const openApiRoutes = (openApi: () => Promise<OpenApiDocument>) =>
  new Elysia().get('/openapi.json', async () => Response.json(await openApi()), {
    query: NoQuery,
    detail: { hide: true },
  })
