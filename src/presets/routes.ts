import { Elysia } from 'elysia'
import type { AppContext } from '../context.ts'
import { respondOnce } from '../http/idempotency/respond-once.ts'
import { keyed } from '../http/request-context.ts'
import { NoBody, NoQuery } from '../http/schema/types.ts'
import { applyPreset } from './apply.ts'
import { presentApplied, presentPreset } from './present.ts'
import * as schema from './schema.ts'
import { createPreset, deletePreset, getPreset, listPresets, patchPreset } from './service.ts'

const tags = ['Presets']

export const presetRoutes = (ctx: AppContext) =>
  new Elysia({ prefix: '/v1/presets' })
    .use(keyed())
    .get('/', ({ caller }) => ({ presets: listPresets(ctx.db, caller).map(presentPreset) }), {
      query: NoQuery,
      response: schema.PresetsAnswer,
      detail: { operationId: 'listPresets', tags, summary: 'List presets by name' },
    })
    .post(
      '/',
      ({ caller, request, body }) =>
        respondOnce(ctx.db, request, (tx) => ({ preset: presentPreset(createPreset(tx, caller, body)) })),
      {
        write: true,
        creates: true,
        query: NoQuery,
        body: schema.CreatePresetBody,
        response: { 201: schema.PresetAnswer },
        detail: { operationId: 'createPreset', tags, summary: 'Save a preset' },
      },
    )
    .get(
      '/:idOrName',
      ({ caller, params }) => ({ preset: presentPreset(getPreset(ctx.db, caller, params.idOrName)) }),
      {
        query: NoQuery,
        response: schema.PresetAnswer,
        detail: { operationId: 'getPreset', tags, summary: 'Read a preset' },
      },
    )
    .patch(
      '/:idOrName',
      async ({ caller, params, body }) => ({
        preset: presentPreset(await patchPreset(ctx, caller, params.idOrName, body)),
      }),
      {
        write: true,
        query: NoQuery,
        body: schema.PatchPresetBody,
        response: schema.PresetAnswer,
        detail: { operationId: 'updatePreset', tags, summary: 'Change a preset; lists are replaced whole' },
      },
    )
    .delete(
      '/:idOrName',
      async ({ caller, params }) => ({
        deleted: true,
        id: await deletePreset(ctx, caller, params.idOrName),
      }),
      {
        write: true,
        query: NoQuery,
        body: NoBody,
        response: schema.DeletedPresetAnswer,
        detail: { operationId: 'deletePreset', tags, summary: 'Delete a preset; notes keep their values' },
      },
    )
    .post(
      '/:idOrName/apply',
      async ({ caller, params, body }) =>
        presentApplied(await applyPreset(ctx, caller, params.idOrName, body)),
      {
        write: true,
        query: NoQuery,
        body: schema.ApplyPresetBody,
        response: schema.AppliedAnswer,
        detail: { operationId: 'applyPreset', tags, summary: 'Write a preset onto a note; it only adds' },
      },
    )
