import type { AppContext } from '../context.ts'
import { respondOnce } from '../http/idempotency/respond-once.ts'
import { routes } from '../http/routes.ts'
import { presentStructure } from './present.ts'
import * as schema from './schema.ts'
import { createStructure, getStructure, listStructures, patchStructure } from './service.ts'

export const structureRoutes = (ctx: AppContext) =>
  routes('Structures', '/v1/records/structures')
    .get(
      '/',
      'listStructures',
      'List structures by creation',
      ({ caller }) => ({ structures: listStructures(ctx.db, caller).map(presentStructure) }),
      { response: schema.StructuresResponse },
    )
    .post(
      '/',
      'createStructure',
      'Declare a structure',
      (request) =>
        respondOnce(ctx.db, request, (tx) => ({
          structure: presentStructure(createStructure(tx, request.caller, request.body)),
        })),
      { write: true, creates: true, body: schema.CreateStructureBody, response: schema.StructureResponse },
    )
    .get(
      '/:nameOrId',
      'getStructure',
      'Read a structure',
      ({ caller, params }) => ({
        structure: presentStructure(getStructure(ctx.db, caller, params.nameOrId)),
      }),
      { response: schema.StructureResponse },
    )
    .patch(
      '/:nameOrId',
      'updateStructure',
      'Change a structure; once it has had rows, fields are only added, relabelled or hidden',
      async ({ caller, params, body }) => ({
        structure: presentStructure(await patchStructure(ctx, caller, params.nameOrId, body)),
      }),
      { write: true, body: schema.PatchStructureBody, response: schema.StructureResponse },
    )
