import type { Static } from '@sinclair/typebox'
import { searchFiles } from '../files/search.ts'
import { type Caller, checkCovered, type Kind } from '../kernel/caller.ts'
import { read, type Snapshot } from '../kernel/operation.ts'
import { recordLabel } from '../lib/record-label.ts'
import { listPresets } from '../notes/presets/service.ts'
import { listNotes } from '../notes/query/list.ts'
import { queryNotes } from '../notes/query/tree-query.ts'
import { recordJson } from '../records/rows/present.ts'
import { firstRows } from '../records/rows/query/list.ts'
import { parseRequest } from '../records/rows/query/row-query.ts'
import { learnOfRows } from '../records/rows/query/total-cache.ts'
import { listStructureRows, presentStructure } from '../records/structures/store.ts'
import { asPrefixes, findNotes, type NoteReads } from '../search/find-notes.ts'
import { isPresetFound, isStructureFound, MOST, rowFilter } from '../search/finder.ts'
import type { FindQuery, FindResponse, KINDS } from './schema.ts'

type Found = Static<typeof FindResponse>
type FoundNote = Found['notes'][number]

const DEFAULT_NOTES = 8
/** Hits on pages, several of which may be of one file. */
const MAX_PAGES = 20

/**
 * Finds objects of several kinds by a typed text. A search finds only indexed notes, so call `refreshSearch` first.
 */
export const find = read({
  name: 'finder.find',
  covers: 'several',
  run: (snapshot, caller, { q = '', kind, limit = DEFAULT_NOTES }: Static<typeof FindQuery>): Found => {
    const text = q.trim()
    const wants = (wanted: (typeof KINDS)[number]) => kind === undefined || kind === wanted
    const filter = wants('records') ? rowFilter(text) : undefined
    const structures = filter === undefined ? [] : structuresOf(snapshot, caller, text)
    return {
      notes: wants('notes') ? notesOf(snapshot, callerFor(caller, 'notes'), text, limit) : [],
      structures,
      records: filter === undefined ? [] : rowsOf(snapshot, caller, filter, MOST.rows - structures.length),
      files: wants('files') ? filesOf(snapshot, callerFor(caller, 'files'), text) : [],
      presets: wants('presets') ? presetsOf(snapshot, callerFor(caller, 'notes'), text) : [],
    }
  },
  learn: learnOfRows,
})

/** The caller as an operation that covers one kind would get it. */
const callerFor = (caller: Caller, covers: Kind): Caller => ({
  ...caller,
  workspacePk: checkCovered(caller.rights, caller.workspacePk, { covers, isWrite: false, isNamed: false }),
})

type NoteHead = Omit<FoundNote, 'match' | 'matched_alias'> & { readonly edited_at?: string }

function notesOf(snapshot: Snapshot, caller: Caller, text: string, limit: number): FoundNote[] {
  const shown = { offset: 0, content: false, excerpt: true }
  const notesIn = (page: string) => (JSON.parse(page) as { notes: NoteHead[] }).notes
  const reads: NoteReads<NoteHead> = {
    lastEdited: (most) =>
      notesIn(listNotes.run(snapshot, caller, { ...shown, sort: 'edited_at', limit: most })),
    named: (filter, most) =>
      notesIn(queryNotes.run(snapshot, caller, { body: { ...shown, filter, limit: most } })),
    withWords: (search, most, match) =>
      notesIn(
        listNotes.run(snapshot, caller, { ...shown, search, ...(match === 'any' && { match }), limit: most }),
      ),
  }
  return findNotes(reads, text, limit).map(({ note: { edited_at: _, ...head }, match, matchedAlias }) => ({
    ...head,
    match,
    ...(matchedAlias !== undefined && { matched_alias: matchedAlias }),
  }))
}

function structuresOf(snapshot: Snapshot, caller: Caller, text: string): Found['structures'] {
  return listStructureRows(snapshot, caller)
    .filter(({ name }) => isStructureFound(name, text))
    .slice(0, MOST.structures)
    .map(({ id, name }) => ({ id, name }))
}

/** Reads one structure after the other, until enough rows are found. */
function rowsOf(snapshot: Snapshot, caller: Caller, filter: string, limit: number): Found['records'] {
  const found: Found['records'] = []
  for (const structure of listStructureRows(snapshot, caller, 'read')) {
    if (found.length >= limit) break
    const request = parseRequest({
      structure: structure.id,
      filter,
      limit: limit - found.length,
      offset: 0,
      direction: 'desc' as const,
    })
    const shape = presentStructure(structure)
    for (const row of firstRows(snapshot, { caller, request }))
      found.push({
        id: row.id,
        structure_id: structure.id,
        structure: structure.name,
        label: recordLabel(shape, JSON.parse(recordJson(row))),
      })
  }
  return found
}

function filesOf(snapshot: Snapshot, caller: Caller, text: string): Found['files'] {
  const q = asPrefixes(text)
  if (q === '') return []
  const { results } = searchFiles.run(snapshot, caller, { q, limit: MAX_PAGES, offset: 0 })
  const names = new Map(results.map(({ file }) => [file.id, file.file_name]))
  return [...names].slice(0, MOST.files).map(([id, file_name]) => ({ id, file_name: String(file_name) }))
}

function presetsOf(snapshot: Snapshot, caller: Caller, text: string): Found['presets'] {
  return listPresets
    .run(snapshot, caller, {})
    .presets.filter(({ name, content }) => content !== undefined && isPresetFound(name, text))
    .slice(0, MOST.presets)
    .map(({ id, name }) => ({ id, name }))
}
