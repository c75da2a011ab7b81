import { recordLabel } from '../../lib/record-label.ts'
import { findNotes } from '../../search/find-notes.ts'
import { isPresetFound, isStructureFound, MOST, rowFilter } from '../../search/finder.ts'
import type { components } from '../data/api-types.d.ts'
import type { Structure } from '../data/records/model.ts'
import { database, isWhole, type Mark } from './database.ts'
import type { OfflineNotes } from './offline-notes.ts'
import type { OfflineRows } from './offline-rows.ts'

type Preset = components['schemas']['Preset']

interface Copy {
  readonly notes: Promise<OfflineNotes>
  readonly marks: readonly Mark[]
  rows(structure: Structure): Promise<OfflineRows>
}

const savedOr = async <Response extends object>(path: string, otherwise: Response): Promise<Response> =>
  ((await (await database()).get('answers', path)) as Response | undefined) ?? otherwise

/** Files are not searched offline, and only rows of the tables that are kept. */
export async function find(
  copy: Copy,
  { q = '', kind, limit = '8' }: Readonly<Record<string, string>>,
): Promise<object> {
  const text = q.trim()
  const wants = (wanted: string) => kind === undefined || kind === wanted
  const filter = wants('records') ? rowFilter(text) : undefined
  const structures = filter === undefined ? [] : await structuresNamed(text)
  const found = wants('notes') ? findNotes(await copy.notes, text, Number(limit)) : []
  return {
    notes: found.map(({ note, match, matchedAlias }) => ({ ...note, match, matched_alias: matchedAlias })),
    structures,
    records: filter === undefined ? [] : await findRows(copy, filter, MOST.rows - structures.length),
    files: [],
    presets: wants('presets') ? await presetsNamed(text) : [],
  }
}

async function structuresNamed(text: string) {
  const { structures } = await savedOr<{ structures: Structure[] }>('/v1/records/structures', {
    structures: [],
  })
  return structures.filter(({ name }) => isStructureFound(name, text)).slice(0, MOST.structures)
}

async function presetsNamed(text: string) {
  const { presets } = await savedOr<{ presets: Preset[] }>('/v1/presets', { presets: [] })
  return presets
    .filter(({ name, content }) => content !== undefined && isPresetFound(name, text))
    .slice(0, MOST.presets)
}

async function findRows(copy: Copy, filter: string, limit: number) {
  const { structures } = await savedOr<{ structures: Structure[] }>('/v1/records/structures', {
    structures: [],
  })
  const kept = structures.filter(({ id }) =>
    copy.marks.some((mark) => mark.structure === id && isWhole(mark)),
  )
  const found: object[] = []
  for (const structure of kept) {
    if (found.length >= limit) break
    const rows = (await copy.rows(structure)).list({ filter, limit: limit - found.length, offset: 0 })
    for (const row of rows.records)
      found.push({
        id: row.id,
        structure_id: structure.id,
        structure: structure.name,
        label: recordLabel(structure, row),
      })
  }
  return found
}
