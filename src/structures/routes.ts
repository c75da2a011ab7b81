import type { AppContext } from '../context.ts'
import { respondOnce } from '../http/idempotency.ts'
import { routes, sessionRoutes } from '../http/routes.ts'
import { respondWhole } from '../http/whole-list.ts'
import { deleteStructureNamed } from './deletion.ts'
import { structuresQuery } from './list.ts'
import { presentStructure } from './present.ts'
import * as schema from './schema.ts'
import { declareStructure, patchStructure } from './service.ts'
import { getStructure } from './store.ts'

export const structureRoutes = (ctx: AppContext) =>
  routes('Structures', '/v1/records/structures')
    .get(
      '/',
      'listStructures',
      'List structures by creation',
      ({ caller }) => respondWhole(ctx, caller, structuresQuery, {}),
      { response: schema.StructuresResponse, description: 'Each with the number of its live rows.' },
    )
    .post(
      '/',
      'createStructure',
      'Declare a structure',
      (request) =>
        respondOnce(ctx.db, request, (tx) => ({
          structure: presentStructure(declareStructure(tx, request.caller, request.body)),
        })),
      {
        write: true,
        creates: true,
        body: schema.CreateStructureBody,
        response: schema.StructureResponse,
        description:
          'Fields are typed; `unique`, `unique_together`, `min`, `max`, `options`, `max_rows` and `immutable` are rules that every write must keep.',
      },
    )
    .get(
      '/:nameOrId',
      'getStructure',
      'Read a structure',
      ({ caller, params }) => ({
        structure: presentStructure(getStructure(ctx.db, caller, params.nameOrId)),
      }),
      { response: schema.StructureResponse, description: 'By its id or by its name, ignoring case.' },
    )
    .patch(
      '/:nameOrId',
      'updateStructure',
      'Change a structure; once it has had rows, fields are only added, relabelled or hidden',
      async ({ caller, params, body }) => ({
        structure: presentStructure(await patchStructure(ctx, caller, params.nameOrId, body)),
      }),
      {
        write: true,
        body: schema.PatchStructureBody,
        response: schema.StructureResponse,
        description:
          '`fields` is the whole list: once there have been rows it must hold every field, with its type. A field sent again without `label`, `unit`, `hidden`, `unique`, `min` or `max` keeps them.',
      },
    )

/** What only a person does who is signed in to the application. */
export const structureManagementRoutes = (ctx: AppContext) =>
  sessionRoutes().delete(
    '/structures/:id',
    'deleteStructure',
    'Delete a structure and its rows; the body repeats its name',
    async ({ caller, params, body }) => ({
      deleted: true as const,
      id: await deleteStructureNamed(ctx, caller, params.id, body.name),
    }),
    { write: true, body: schema.StructureName, response: schema.StructureDeleted },
  )
