import type { AppContext } from '../context.ts'
import { applicationEndpoints, endpoints } from '../http/endpoints.ts'
import { deleteStructureNamed } from './deletion.ts'
import { presentStructure } from './present.ts'
import * as schema from './schema.ts'
import { declareStructure, listStructures, patchStructure, readStructure, tryPatch } from './service.ts'

export const structureRoutes = (ctx: AppContext) =>
  endpoints('Structures', '/v1/records/structures', 'structures')
    .get('', ({ exchange }) => exchange.call(listStructures, {}), {
      access: 'read',
      response: schema.StructuresResponse,
      operationId: 'listStructures',
      summary: 'List structures by creation',
      description: 'Each with the number of its live rows.',
    })
    .post('', ({ exchange, body }) => exchange.create(declareStructure, { body }), {
      access: 'write',
      once: true,
      body: schema.CreateStructureBody,
      response: schema.StructureResponse,
      operationId: 'createStructure',
      summary: 'Declare a structure',
      description:
        'Fields are typed; `unique`, `unique_together`, `min`, `max`, `options`, `max_rows` and `immutable` are rules that every write must keep.',
    })
    .get('/:nameOrId', ({ exchange, params }) => exchange.call(readStructure, params), {
      access: 'read',
      response: schema.StructureResponse,
      operationId: 'getStructure',
      summary: 'Read a structure',
      description: 'By its id or by its name, ignoring case.',
    })
    .patch(
      '/:nameOrId',
      async ({ caller, params, body: { dry_run: isDryRun, ...patch } }) =>
        isDryRun
          ? await tryPatch(ctx, caller, params.nameOrId, patch)
          : { structure: presentStructure(await patchStructure(ctx, caller, params.nameOrId, patch)) },
      {
        access: 'write',
        body: schema.PatchStructureBody,
        response: schema.PatchedStructureResponse,
        operationId: 'updateStructure',
        summary: 'Change a structure; once it has had rows, fields are only added, relabelled or hidden',
        description:
          '`fields` is the whole list: once there have been rows it must hold every field, with its type. A field sent again without `label`, `unit`, `hidden`, `unique`, `min` or `max` keeps them.',
      },
    )

/** What only a person does who is signed in to the application. */
export const structureManagementRoutes = (ctx: AppContext) =>
  applicationEndpoints('structures').delete(
    '/structures/:id',
    async ({ caller, params, body }) => ({
      deleted: true as const,
      id: await deleteStructureNamed(ctx, caller, params.id, body.name),
    }),
    { access: 'session-write', body: schema.StructureName, response: schema.StructureDeleted },
  )
