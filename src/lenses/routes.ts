import type { AppContext } from '../context.ts'
import { respondOnce } from '../http/idempotency.ts'
import { jsonResponse } from '../http/responses.ts'
import { routes } from '../http/routes.ts'
import { respondWhole } from '../http/whole-list.ts'
import { graphOfLens } from './graph.ts'
import { lensesQuery } from './list.ts'
import * as schema from './schema.ts'
import { createLens, deleteLens, lensKind, parseLens, patchLens } from './service.ts'

export const lensRoutes = (ctx: AppContext) =>
  routes('Lenses', '/v1')
    .get(
      '/lenses',
      'listLenses',
      'List graph lenses by creation',
      ({ caller }) => respondWhole(ctx, caller, lensesQuery, {}),
      {
        response: schema.LensesResponse,
        description: 'The lens that is the default has `is_default: true`.',
      },
    )
    .post(
      '/lenses',
      'createLens',
      'Save a graph lens',
      (request) =>
        respondOnce(ctx.db, request, (tx) => ({
          lens: createLens(tx, request.caller, parseLens(request.body)),
        })),
      {
        write: true,
        creates: true,
        body: schema.CreateLensBody,
        response: schema.LensResponse,
        description:
          'Settings that are left out have their defaults. The first lens becomes the default. The operators of `scope` are in the description of `POST /v1/notes/query`.',
      },
    )
    .get(
      '/lenses/:id',
      'getLens',
      'Read a graph lens',
      ({ caller, params }) => ({ lens: lensKind.get(ctx.db, caller, params.id) }),
      {
        response: schema.LensResponse,
        description: 'The lens itself; what it shows is at `GET /v1/lenses/{id}/graph`.',
      },
    )
    .patch(
      '/lenses/:id',
      'updateLens',
      'Change a graph lens',
      async ({ caller, params, body }) => ({
        lens: await patchLens(ctx, caller, params.id, parseLens(body)),
      }),
      {
        write: true,
        body: schema.PatchLensBody,
        response: schema.LensResponse,
        description:
          'Only what is sent changes: `settings` are merged one by one, `scope` is replaced whole.',
      },
    )
    .delete(
      '/lenses/:id',
      'deleteLens',
      'Delete a graph lens; the default passes to the next',
      async ({ caller, params }) => {
        await deleteLens(ctx, caller, params.id)
        return { deleted: true, id: params.id }
      },
      {
        write: true,
        response: schema.DeletedLensResponse,
        description:
          'When it was the default, the next lens in the order of creation becomes the default, else the first.',
      },
    )
    .get(
      '/lenses/:id/graph',
      'getLensGraph',
      'The graph that a lens shows now',
      async ({ caller, params }) => jsonResponse(await graphOfLens(ctx, caller, params.id)),
      {
        response: schema.GraphResponse,
        description:
          'Evaluated at every call. The best connected nodes come first; `truncated` says whether nodes or edges were left out.',
      },
    )
    .get(
      '/graph',
      'getGraph',
      'The graph of the default lens; without any lens, of the whole workspace',
      async ({ caller }) => jsonResponse(await graphOfLens(ctx, caller, undefined)),
      { response: schema.GraphResponse, description: 'Without any lens, the links between all notes.' },
    )
