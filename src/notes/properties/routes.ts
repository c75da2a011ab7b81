import { endpoints } from '../../http/endpoints.ts'
import { deleteProperty } from './deletion.ts'
import { findPropertyUsage, patchProperty, readProperty } from './operations.ts'
import * as schema from './schema.ts'
import { createProperty, listProperties } from './service.ts'

export function propertyRoutes() {
  return endpoints('Properties', '/v1/properties', 'notes')
    .get('', ({ exchange }) => exchange.call(listProperties, {}), {
      access: 'read',
      response: schema.PropertiesResponse,
      operationId: 'listProperties',
      summary: 'List property definitions in their order',
      description: 'By `position`; each with the number of active notes that hold a value.',
    })
    .post('', ({ exchange, body }) => exchange.create(createProperty, { body }), {
      access: 'write',
      once: true,
      body: schema.CreatePropertyBody,
      response: schema.PropertyResponse,
      operationId: 'createProperty',
      summary: 'Define a property',
      description: 'Notes can then hold a value of this type under `key`. Without `position` it goes last.',
    })
    .get('/:idOrKey', ({ exchange, params }) => exchange.call(readProperty, params), {
      access: 'read',
      response: schema.PropertyWithUseResponse,
      operationId: 'getProperty',
      summary: 'Read a property and what uses it',
      description:
        '`used_by` names the views with the role in which they use it, the presets and the lenses.',
    })
    .patch(
      '/:idOrKey',
      async ({ exchange, params, body }) => {
        const sent = { ...params, body }
        const inUse = body.type === undefined ? undefined : await exchange.outputOf(findPropertyUsage, sent)
        return exchange.call(patchProperty, { ...sent, inUse })
      },
      {
        access: 'write',
        body: schema.PatchPropertyBody,
        response: schema.PatchedPropertyResponse,
        operationId: 'updateProperty',
        summary: 'Change a property definition',
        description:
          'The type can change only while no note holds a value. Values that are no longer among the `options` stay on their notes and are listed in `stranded_values`.',
      },
    )
    .delete(
      '/:idOrKey',
      async ({ exchange, params }) =>
        exchange.call(deleteProperty, await exchange.outputOf(findPropertyUsage, params)),
      {
        access: 'write',
        response: schema.DeletedPropertyResponse,
        operationId: 'deleteProperty',
        summary: 'Delete a property with its value on every note',
        description: 'Refused (409) while a view, a preset or a lens uses it; the sentence names them.',
      },
    )
}
