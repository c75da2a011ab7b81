import type { AppContext } from '../../context.ts'
import { endpoints } from '../../http/endpoints.ts'
import { refreshLinks } from '../links/indexing.ts'
import { graphOfLens } from './graph.ts'
import * as schema from './schema.ts'
import { createLens, deleteLens, getLens, listLenses, patchLens } from './service.ts'

export const lensRoutes = (ctx: AppContext) =>
  endpoints('Lenses', '/v1', 'notes')
    .get('/lenses', ({ exchange }) => exchange.call(listLenses, {}), {
      access: 'read',
      response: schema.LensesResponse,
      operationId: 'listLenses',
      summary: 'List graph lenses by creation',
      description: 'The lens that is the default has `is_default: true`.',
    })
    .post('/lenses', ({ exchange, body }) => exchange.create(createLens, { body }), {
      access: 'write',
      once: true,
      body: schema.CreateLensBody,
      response: schema.LensResponse,
      operationId: 'createLens',
      summary: 'Save a graph lens',
      description:
        'Settings that are left out have their defaults. The first lens becomes the default. The operators of `scope` are in the description of `POST /v1/notes/query`.',
    })
    .get('/lenses/:id', ({ exchange, params }) => exchange.call(getLens, params), {
      access: 'read',
      response: schema.LensResponse,
      operationId: 'getLens',
      summary: 'Read a graph lens',
      description: 'The lens itself; what it shows is at `GET /v1/lenses/{id}/graph`.',
    })
    .patch('/lenses/:id', ({ exchange, params, body }) => exchange.call(patchLens, { ...params, body }), {
      access: 'write',
      body: schema.PatchLensBody,
      response: schema.LensResponse,
      operationId: 'updateLens',
      summary: 'Change a graph lens',
      description: 'Only what is sent changes: `settings` are merged one by one, `scope` is replaced whole.',
    })
    .delete('/lenses/:id', ({ exchange, params }) => exchange.call(deleteLens, params), {
      access: 'write',
      response: schema.DeletedLensResponse,
      operationId: 'deleteLens',
      summary: 'Delete a graph lens; the default passes to the next',
      description:
        'When it was the default, the next lens in the order of creation becomes the default, else the first.',
    })
    .get(
      '/lenses/:id/graph',
      async ({ exchange, caller, params }) => {
        await refreshLinks(ctx, caller)
        return exchange.call(graphOfLens, params)
      },
      {
        access: 'read',
        response: schema.GraphResponse,
        operationId: 'getLensGraph',
        summary: 'The graph that a lens shows now',
        description:
          'Evaluated at every call. The best connected nodes come first; `truncated` says whether nodes or edges were left out.',
      },
    )
    .get(
      '/graph',
      async ({ exchange, caller }) => {
        await refreshLinks(ctx, caller)
        return exchange.call(graphOfLens, {})
      },
      {
        access: 'read',
        response: schema.GraphResponse,
        operationId: 'getGraph',
        summary: 'The graph of the default lens; without any lens, of the whole workspace',
        description: 'Without any lens, the links between all notes.',
      },
    )
