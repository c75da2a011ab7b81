import { Elysia } from 'elysia'
import type { AppContext } from '../context.ts'
import { respondOnce } from '../http/idempotency/respond-once.ts'
import { keyed } from '../http/request-context.ts'
import { NoBody, NoQuery } from '../http/schema/types.ts'
import { presentPatchedProperty, presentProperty, presentPropertyWithUsage } from './present.ts'
import * as schema from './schema.ts'
import { createProperty, deleteProperty, getProperty, listProperties, patchProperty } from './service.ts'

const tags = ['Properties']

export const propertyRoutes = (ctx: AppContext) =>
  new Elysia({ prefix: '/v1/properties' })
    .use(keyed())
    .get('/', ({ caller }) => ({ properties: listProperties(ctx.db, caller).map(presentProperty) }), {
      query: NoQuery,
      response: schema.PropertiesAnswer,
      detail: { operationId: 'listProperties', tags, summary: 'List property definitions in their order' },
    })
    .post(
      '/',
      ({ caller, request, body }) =>
        respondOnce(ctx.db, request, (tx) => ({
          property: presentProperty(createProperty(tx, caller, body)),
        })),
      {
        write: true,
        creates: true,
        query: NoQuery,
        body: schema.CreatePropertyBody,
        response: { 201: schema.PropertyAnswer },
        detail: { operationId: 'createProperty', tags, summary: 'Define a property' },
      },
    )
    .get(
      '/:idOrKey',
      ({ caller, params }) => presentPropertyWithUsage(getProperty(ctx, caller, params.idOrKey)),
      {
        query: NoQuery,
        response: schema.PropertyWithUseAnswer,
        detail: { operationId: 'getProperty', tags, summary: 'Read a property and what uses it' },
      },
    )
    .patch(
      '/:idOrKey',
      async ({ caller, params, body }) =>
        presentPatchedProperty(await patchProperty(ctx, caller, params.idOrKey, body)),
      {
        write: true,
        query: NoQuery,
        body: schema.PatchPropertyBody,
        response: schema.PatchedPropertyAnswer,
        detail: { operationId: 'updateProperty', tags, summary: 'Change a property definition' },
      },
    )
    .delete(
      '/:idOrKey',
      async ({ caller, params }) => ({
        deleted: true,
        notes_affected: await deleteProperty(ctx, caller, params.idOrKey),
      }),
      {
        write: true,
        query: NoQuery,
        body: NoBody,
        response: schema.DeletedPropertyAnswer,
        detail: {
          operationId: 'deleteProperty',
          tags,
          summary: 'Delete a property with its value on every note',
        },
      },
    )
