import { Elysia } from 'elysia'
import type { AppContext } from '../context.ts'
import { respondOnce } from '../http/idempotency/respond-once.ts'
import { keyed } from '../http/request-context.ts'
import { NoBody, NoQuery } from '../http/schema/types.ts'
import { graphOfLens } from './graph.ts'
import { presentGraph, presentLens } from './present.ts'
import * as schema from './schema.ts'
import { createLens, deleteLens, getLens, listLenses, patchLens } from './service.ts'

const tags = ['Lenses']

export const lensRoutes = (ctx: AppContext) =>
  new Elysia({ prefix: '/v1' })
    .use(keyed())
    .get('/lenses', ({ caller }) => ({ lenses: listLenses(ctx.db, caller).map(presentLens) }), {
      query: NoQuery,
      response: schema.LensesAnswer,
      detail: { operationId: 'listLenses', tags, summary: 'List graph lenses by creation' },
    })
    .post(
      '/lenses',
      ({ caller, request, body }) =>
        respondOnce(ctx.db, request, (tx) => ({ lens: presentLens(createLens(tx, caller, body)) })),
      {
        write: true,
        creates: true,
        query: NoQuery,
        body: schema.CreateLensBody,
        response: { 201: schema.LensAnswer },
        detail: { operationId: 'createLens', tags, summary: 'Save a graph lens' },
      },
    )
    .get('/lenses/:id', ({ caller, params }) => ({ lens: presentLens(getLens(ctx.db, caller, params.id)) }), {
      query: NoQuery,
      response: schema.LensAnswer,
      detail: { operationId: 'getLens', tags, summary: 'Read a graph lens' },
    })
    .patch(
      '/lenses/:id',
      async ({ caller, params, body }) => ({
        lens: presentLens(await patchLens(ctx, caller, params.id, body)),
      }),
      {
        write: true,
        query: NoQuery,
        body: schema.PatchLensBody,
        response: schema.LensAnswer,
        detail: { operationId: 'updateLens', tags, summary: 'Change a graph lens' },
      },
    )
    .delete(
      '/lenses/:id',
      async ({ caller, params }) => {
        await deleteLens(ctx, caller, params.id)
        return { deleted: true, id: params.id }
      },
      {
        write: true,
        query: NoQuery,
        body: NoBody,
        response: schema.DeletedLensAnswer,
        detail: {
          operationId: 'deleteLens',
          tags,
          summary: 'Delete a graph lens; the default passes to the next',
        },
      },
    )
    .get(
      '/lenses/:id/graph',
      async ({ caller, params }) => presentGraph(await graphOfLens(ctx, caller, params.id)),
      {
        query: NoQuery,
        response: schema.GraphAnswer,
        detail: { operationId: 'getLensGraph', tags, summary: 'The graph that a lens shows now' },
      },
    )
    .get('/graph', async ({ caller }) => presentGraph(await graphOfLens(ctx, caller, undefined)), {
      query: NoQuery,
      response: schema.GraphAnswer,
      detail: {
        operationId: 'getGraph',
        tags,
        summary: 'The graph of the default lens; without any lens, of the whole workspace',
      },
    })
