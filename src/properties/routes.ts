import type { AppContext } from '../context.ts'
import { respondOnce } from '../http/idempotency.ts'
import { routes } from '../http/routes.ts'
import { respondWhole } from '../http/whole-list.ts'
import { deleteProperty } from './deletion.ts'
import { propertiesQuery } from './list.ts'
import * as schema from './schema.ts'
import { defineProperty, getProperty, patchProperty } from './service.ts'

export const propertyRoutes = (ctx: AppContext) =>
  routes('Properties', '/v1/properties')
    .get(
      '/',
      'listProperties',
      'List property definitions in their order',
      ({ caller }) => respondWhole(ctx, caller, propertiesQuery, {}),
      {
        response: schema.PropertiesResponse,
        description: 'By `position`; each with the number of active notes that hold a value.',
      },
    )
    .post(
      '/',
      'createProperty',
      'Define a property',
      (request) =>
        respondOnce(ctx.db, request, (tx) => ({
          property: defineProperty(tx, request.caller, request.body),
        })),
      {
        write: true,
        creates: true,
        body: schema.CreatePropertyBody,
        response: schema.PropertyResponse,
        description: 'Notes can then hold a value of this type under `key`. Without `position` it goes last.',
      },
    )
    .get(
      '/:idOrKey',
      'getProperty',
      'Read a property and what uses it',
      ({ caller, params }) => getProperty(ctx, caller, params.idOrKey),
      {
        response: schema.PropertyWithUseResponse,
        description:
          '`used_by` names the views with the role in which they use it, the presets and the lenses.',
      },
    )
    .patch(
      '/:idOrKey',
      'updateProperty',
      'Change a property definition',
      ({ caller, params, body }) => patchProperty(ctx, caller, params.idOrKey, body),
      {
        write: true,
        body: schema.PatchPropertyBody,
        response: schema.PatchedPropertyResponse,
        description:
          'The type can change only while no note holds a value. Values that are no longer among the `options` stay on their notes and are listed in `stranded_values`.',
      },
    )
    .delete(
      '/:idOrKey',
      'deleteProperty',
      'Delete a property with its value on every note',
      async ({ caller, params }) => ({
        deleted: true,
        notes_affected: await deleteProperty(ctx, caller, params.idOrKey),
      }),
      {
        write: true,
        response: schema.DeletedPropertyResponse,
        description: 'Refused (409) while a view, a preset or a lens uses it; the sentence names them.',
      },
    )
