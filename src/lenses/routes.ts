import type { AppContext } from '../context.ts'
import { endpoints } from '../http/endpoints.ts'
import { respondOnce } from '../http/idempotency.ts'
import { jsonResponse } from '../http/responses.ts'
import { respondWhole } from '../http/whole-list.ts'
import { graphOfLens } from './graph.ts'
import * as schema from './schema.ts'
import { createLens, deleteLens, lensesQuery, lensKind, parseLens, patchLens } from './service.ts'

export const lensRoutes = (ctx: AppContext) =>
  endpoints('Lenses', '/v1', 'notes')
    .get('/lenses', ({ caller }) => respondWhole(ctx, caller, lensesQuery, {}), {
      access: 'read',
      response: schema.LensesResponse,
      operationId: 'listLenses',
      summary: 'List graph lenses by creation',
      description: 'The lens that is the default has `is_default: true`.',
    })
    .post(
      '/lenses',
      ({ exchange, caller, body }) =>
        respondOnce(ctx.db, exchange, (tx) => ({ lens: createLens(tx, caller, parseLens(body)) })),
      {
        access: 'write',
        once: true,
        body: schema.CreateLensBody,
        response: schema.LensResponse,
        operationId: 'createLens',
        summary: 'Save a graph lens',
        description:
          'Settings that are left out have their defaults. The first lens becomes the default. The operators of `scope` are in the description of `POST /v1/notes/query`.',
      },
    )
    .get('/lenses/:id', ({ caller, params }) => ({ lens: lensKind.get(ctx.db, caller, params.id) }), {
      access: 'read',
      response: schema.LensResponse,
      operationId: 'getLens',
      summary: 'Read a graph lens',
      description: 'The lens itself; what it shows is at `GET /v1/lenses/{id}/graph`.',
    })
    .patch(
      '/lenses/:id',
      async ({ caller, params, body }) => ({
        lens: await patchLens(ctx, caller, params.id, parseLens(body)),
      }),
      {
        access: 'write',
        body: schema.PatchLensBody,
        response: schema.LensResponse,
        operationId: 'updateLens',
        summary: 'Change a graph lens',
        description:
          'Only what is sent changes: `settings` are merged one by one, `scope` is replaced whole.',
      },
    )
    .delete(
      '/lenses/:id',
      async ({ caller, params }) => {
        await deleteLens(ctx, caller, params.id)
        return { deleted: true, id: params.id }
      },
      {
        access: 'write',
        response: schema.DeletedLensResponse,
        operationId: 'deleteLens',
        summary: 'Delete a graph lens; the default passes to the next',
        description:
          'When it was the default, the next lens in the order of creation becomes the default, else the first.',
      },
    )
    .get(
      '/lenses/:id/graph',
      async ({ caller, params }) => jsonResponse(await graphOfLens(ctx, caller, params.id)),
      {
        access: 'read',
        response: schema.GraphResponse,
        operationId: 'getLensGraph',
        summary: 'The graph that a lens shows now',
        description:
          'Evaluated at every call. The best connected nodes come first; `truncated` says whether nodes or edges were left out.',
      },
    )
    .get('/graph', async ({ caller }) => jsonResponse(await graphOfLens(ctx, caller, undefined)), {
      access: 'read',
      response: schema.GraphResponse,
      operationId: 'getGraph',
      summary: 'The graph of the default lens; without any lens, of the whole workspace',
      description: 'Without any lens, the links between all notes.',
    })
