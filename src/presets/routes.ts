import type { AppContext } from '../context.ts'
import { respondOnce } from '../http/idempotency.ts'
import { routes } from '../http/routes.ts'
import { respondWhole } from '../http/whole-list.ts'
import { applyPreset } from './apply.ts'
import { presetsQuery } from './list.ts'
import * as schema from './schema.ts'
import { createPreset, deletePreset, patchPreset, presetKind } from './service.ts'

export const presetRoutes = (ctx: AppContext) =>
  routes('Presets', '/v1/presets')
    .get(
      '/',
      'listPresets',
      'List presets by name',
      ({ caller }) => respondWhole(ctx, caller, presetsQuery, {}),
      { response: schema.PresetsResponse, description: 'Names are ordered ignoring case.' },
    )
    .post(
      '/',
      'createPreset',
      'Save a preset',
      (request) =>
        respondOnce(ctx.db, request, (tx) => ({
          preset: createPreset(tx, request.caller, request.body),
        })),
      {
        write: true,
        creates: true,
        body: schema.CreatePresetBody,
        response: schema.PresetResponse,
        description:
          '`properties` are the values it sets, `ask` those it asks for when it is applied; no key may be in both. Tags that do not exist are created.',
      },
    )
    .get(
      '/:idOrName',
      'getPreset',
      'Read a preset',
      ({ caller, params }) => ({ preset: presetKind.get(ctx.db, caller, params.idOrName) }),
      { response: schema.PresetResponse, description: '`asks` has null where no answer is pre-filled.' },
    )
    .patch(
      '/:idOrName',
      'updatePreset',
      'Change a preset; lists are replaced whole',
      async ({ caller, params, body }) => ({
        preset: await patchPreset(ctx, caller, params.idOrName, body),
      }),
      {
        write: true,
        body: schema.PatchPresetBody,
        response: schema.PresetResponse,
        description: 'Only what is sent changes; `tags`, `properties` and `ask` are each replaced whole.',
      },
    )
    .delete(
      '/:idOrName',
      'deletePreset',
      'Delete a preset; notes keep their values',
      async ({ caller, params }) => ({
        deleted: true,
        id: await deletePreset(ctx, caller, params.idOrName),
      }),
      {
        write: true,
        response: schema.DeletedPresetResponse,
        description: 'The tags and values that it wrote onto notes stay.',
      },
    )
    .post(
      '/:idOrName/apply',
      'applyPreset',
      'Write a preset onto a note; it only adds',
      ({ caller, params, body }) => applyPreset(ctx, caller, params.idOrName, body),
      {
        write: true,
        body: schema.ApplyPresetBody,
        response: schema.AppliedResponse,
        description:
          'A value that the note holds is kept unless `overwrite` is true. What has neither an answer nor a pre-filled one is listed in `properties_unanswered`. An answer to a key that is not asked for is refused.',
      },
    )
