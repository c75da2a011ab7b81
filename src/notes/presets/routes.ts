import { endpoints } from '../../http/endpoints.ts'
import { applyPreset } from './apply.ts'
import * as schema from './schema.ts'
import { createPreset, deletePreset, getPreset, listPresets, patchPreset } from './service.ts'

export const presetRoutes = () =>
  endpoints('Presets', '/v1/presets', 'notes')
    .get('', ({ exchange }) => exchange.call(listPresets, {}), {
      access: 'read',
      response: schema.PresetsResponse,
      operationId: 'listPresets',
      summary: 'List presets by name',
      description: 'Names are ordered ignoring case.',
    })
    .post('', ({ exchange, body }) => exchange.create(createPreset, { body }), {
      access: 'write',
      once: true,
      body: schema.CreatePresetBody,
      response: schema.PresetResponse,
      operationId: 'createPreset',
      summary: 'Save a preset',
      description:
        '`properties` are the values it sets, `ask` those it asks for when it is applied; no key may be in both. Tags that do not exist are created.',
    })
    .get('/:idOrName', ({ exchange, params }) => exchange.call(getPreset, params), {
      access: 'read',
      entity: true,
      response: schema.PresetResponse,
      operationId: 'getPreset',
      summary: 'Read a preset',
      description: '`asks` has null where no answer is pre-filled.',
    })
    .patch('/:idOrName', ({ exchange, params, body }) => exchange.call(patchPreset, { ...params, body }), {
      access: 'write',
      entity: true,
      body: schema.PatchPresetBody,
      response: schema.PresetResponse,
      operationId: 'updatePreset',
      summary: 'Change a preset; lists are replaced whole',
      description: 'Only what is sent changes; `tags`, `properties` and `ask` are each replaced whole.',
    })
    .delete('/:idOrName', ({ exchange, params }) => exchange.call(deletePreset, params), {
      access: 'write',
      entity: true,
      response: schema.DeletedPresetResponse,
      operationId: 'deletePreset',
      summary: 'Delete a preset; notes keep their values',
      description: 'The tags and values that it wrote onto notes stay.',
    })
    .post(
      '/:idOrName/apply',
      ({ exchange, params, body }) => exchange.call(applyPreset, { ...params, body }),
      {
        access: 'write',
        body: schema.ApplyPresetBody,
        response: schema.AppliedResponse,
        operationId: 'applyPreset',
        summary: 'Write a preset onto a note; it only adds',
        description:
          'Its text is appended. A value that the note holds is kept unless `overwrite` is true. Questions with neither an answer nor a pre-filled value are listed in `properties_unanswered`. An answer to a key that is not asked for is refused.',
      },
    )
