import { Elysia } from 'elysia'
import type { AppContext } from '../context.ts'
import { respondOnce } from '../http/idempotency/respond-once.ts'
import { keyed } from '../http/request-context.ts'
import { NoQuery } from '../http/schema/types.ts'
import { presentStructure } from './present.ts'
import * as schema from './schema.ts'
import { createStructure, getStructure, listStructures, patchStructure } from './service.ts'

const tags = ['Structures']

export const structureRoutes = (ctx: AppContext) =>
  new Elysia({ prefix: '/v1/records/structures' })
    .use(keyed())
    .get('/', ({ caller }) => ({ structures: listStructures(ctx.db, caller).map(presentStructure) }), {
      query: NoQuery,
      response: schema.StructuresAnswer,
      detail: { operationId: 'listStructures', tags, summary: 'List structures by creation' },
    })
    .post(
      '/',
      ({ caller, request, body }) =>
        respondOnce(ctx.db, request, (tx) => ({
          structure: presentStructure(createStructure(tx, caller, body)),
        })),
      {
        write: true,
        creates: true,
        query: NoQuery,
        body: schema.CreateStructureBody,
        response: { 201: schema.StructureAnswer },
        detail: { operationId: 'createStructure', tags, summary: 'Declare a structure' },
      },
    )
    .get(
      '/:nameOrId',
      ({ caller, params }) => ({
        structure: presentStructure(getStructure(ctx.db, caller, params.nameOrId)),
      }),
      {
        query: NoQuery,
        response: schema.StructureAnswer,
        detail: { operationId: 'getStructure', tags, summary: 'Read a structure' },
      },
    )
    .patch(
      '/:nameOrId',
      async ({ caller, params, body }) => ({
        structure: presentStructure(await patchStructure(ctx, caller, params.nameOrId, body)),
      }),
      {
        write: true,
        query: NoQuery,
        body: schema.PatchStructureBody,
        response: schema.StructureAnswer,
        detail: {
          operationId: 'updateStructure',
          tags,
          summary: 'Change a structure; once it has had rows, fields are only added, relabelled or hidden',
        },
      },
    )
