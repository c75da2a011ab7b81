import { fail, nameTaken, refused } from '../lib/refusal.ts'
import { fold } from '../lib/text.ts'
import { CreateLensBody } from '../notes/lenses/schema.ts'
import { insertLens, type LensRequest, lensKind, parseLens } from '../notes/lenses/service.ts'
import { CreateItemBody } from '../notes/pinned/schema.ts'
import { insertItem, itemKind } from '../notes/pinned/service.ts'
import { CreatePresetBody } from '../notes/presets/schema.ts'
import {
  insertPreset,
  type PresetInput,
  type PresetProperty,
  type PresetPropertyInput,
  presetKind,
  replaceProperties,
  replaceTags,
} from '../notes/presets/service.ts'
import { CreatePropertyBody } from '../notes/properties/schema.ts'
import {
  findPropertyHeadByPk,
  insertProperty,
  type NewPropertyInput,
  propertyKind,
  removeProperty,
} from '../notes/properties/service.ts'
import { findNoteSummary } from '../notes/store.ts'
import { CreateViewBody } from '../notes/views/schema.ts'
import { insertView, parseView, type ViewRequest, viewKind } from '../notes/views/service.ts'
import { findPropertyRule } from '../notes/writing/properties.ts'
import { ensureTags } from '../notes/writing/tags.ts'
import type { Copy } from './copy.ts'
import { type FiledKind, filedKind } from './kind.ts'
import { withTagIds } from './tags.ts'

/* The small kinds of notes: properties, presets, views, lenses and Quick Access items. */

export const properties: FiledKind<ReturnType<typeof propertyKind.present>> = {
  ...filedKind(propertyKind, {
    label: 'key',
    file: {
      name: 'properties',
      schema: CreatePropertyBody,
      create: ({ tx, caller }, input: NewPropertyInput) => insertProperty(tx, caller, input),
      exported: ({ label, options, ...property }) => ({
        ...property,
        ...(label !== property.key && { label }),
        ...(options !== null && { options }),
      }),
    },
    columns: (_, { label, key }) => ({ label: label === key ? null : label }),
  }),
  remove: ({ tx, workspacePk }, ids) => {
    for (const id of ids) removeProperty(tx, workspacePk, id)
  },
}

export const presets = filedKind(presetKind, {
  label: 'name',
  file: {
    name: 'presets',
    schema: CreatePresetBody,
    /** Inserts without the checks of the API: a value that is no longer among a property's options stays. */
    create: ({ tx, caller }, input: PresetInput & { name: string }) => {
      const { name, tags = [], properties = [], ask = [] } = input
      const { workspacePk: workspace } = caller
      if (presetKind.findByName(tx, workspace, fold(name)))
        throw nameTaken(`A preset named "${name}" exists already; rename one of them.`)
      const entries = (list: readonly PresetPropertyInput[]) =>
        list.map(({ key, value = null }) => ({
          rule: findPropertyRule(tx, workspace, key) ?? fail(refused(`There is no property "${key}".`)),
          value,
        }))
      insertPreset(tx, caller, {
        columns: { isPinned: 0, ...presetKind.columnsOf(input) },
        properties: entries(properties),
        asks: entries(ask),
        tags: ensureTags(tx, caller, tags),
      })
    },
    exported: ({ asks, ...preset }) => ({ ...preset, ask: asks }),
    isByAge: true,
  },
  columns: (_, { content = null }) => ({ content }),
  writeOthers: (copy, pk, shown) => {
    const entries = (list: readonly { key: string; value: unknown }[]): PresetProperty[] =>
      list.flatMap(({ key, value }) => {
        const rule = propertyNamed(copy, key)
        return rule ? [{ rule, value }] : []
      })
    replaceTags(copy.tx, pk, copy.names.findAll('tag', shown.tags))
    replaceProperties(copy.tx, pk, { properties: entries(shown.properties), asks: entries(shown.asks) })
  },
})

export const views = filedKind(viewKind, {
  label: 'name',
  file: {
    name: 'views',
    schema: CreateViewBody,
    create: ({ tx, caller, tags }, input: ViewRequest & { name: string }) => {
      const view = parseView(input)
      insertView(tx, caller, { ...view, filter: view.filter ? withTagIds(view.filter, tags) : null })
    },
  },
  columns: (copy, { sort, display_properties }) => {
    const idOf = (key: string): string | undefined => propertyNamed(copy, key)?.id
    return {
      sortField: sort.field,
      sortDirection: sort.direction,
      sortProperty: sort.property === undefined ? null : (idOf(sort.property) ?? null),
      displayProperties: JSON.stringify(display_properties.map(idOf).filter((id) => id !== undefined)),
    }
  },
})

function propertyNamed({ tx, names }: Copy, key: string) {
  const pk = names.find('property', key)
  return pk === undefined ? undefined : findPropertyHeadByPk(tx, pk)
}

export const lenses = filedKind(lensKind, {
  label: 'name',
  file: {
    name: 'lenses',
    schema: CreateLensBody,
    create: ({ tx, caller, tags }, input: LensRequest & { name: string }) => {
      const lens = parseLens(input)
      insertLens(tx, caller, { ...lens, scope: lens.scope ? withTagIds(lens.scope, tags) : null })
    },
  },
})

export const items = filedKind(itemKind, {
  label: '(SELECT title FROM notes WHERE pk = note)',
  file: {
    name: 'quick-access',
    schema: CreateItemBody,
    create: ({ tx, caller }, input: { note_id: string }) => insertItem(tx, caller, input),
  },
  columns: ({ tx, workspacePk }, { note_id }) => {
    const note = findNoteSummary(tx, workspacePk, note_id)?.pk
    return note === undefined ? undefined : { note }
  },
})
