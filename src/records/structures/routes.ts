import { endpoints } from '../../http/endpoints.ts'
import * as schema from './schema.ts'
import { declareStructure, listStructures, patchStructure, readStructure, tryStructure } from './service.ts'

export function structureRoutes() {
  return endpoints('Structures', '/v1/records/structures', 'structures')
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
      entity: true,
      response: schema.StructureResponse,
      operationId: 'getStructure',
      summary: 'Read a structure',
      description: 'By its id or by its name, ignoring case.',
    })
    .patch(
      '/:nameOrId',
      ({ exchange, params, body }) =>
        exchange.call(body.dry_run ? tryStructure : patchStructure, { ...params, body }),
      {
        access: 'write',
        entity: true,
        body: schema.PatchStructureBody,
        response: schema.PatchedStructureResponse,
        operationId: 'updateStructure',
        summary: 'Change a structure; once it has had rows, fields are only added, relabelled or hidden',
        description:
          '`fields` is the whole list: once there have been rows it must hold every field, with its type. A field sent again without `label`, `unit`, `hidden`, `unique`, `min`, `max` or `format` keeps them; `multiple` must be sent again.',
      },
    )
}
