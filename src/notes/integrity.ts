import type { IntegrityCheck } from '../db/integrity.ts'
import type { Reader } from '../db/reader.ts'
import { scanByPk } from '../db/scan-by-pk.ts'
import { fold } from '../lib/text.ts'
import { indexLinksAtOnce } from './links/indexing.ts'
import { distinctLinkKeys } from './links/syntax.ts'
import { aliasColumns } from './store.ts'

const COUNTS = `SELECT w.pk, w.name, w.live_notes AS live, w.trashed_notes AS trashed,
    (SELECT count(*) FROM notes n WHERE n.workspace = w.pk AND n.deleted_at IS NULL) AS liveFound,
    (SELECT count(*) FROM notes n WHERE n.workspace = w.pk AND n.deleted_at IS NOT NULL) AS trashedFound
  FROM workspaces w`

interface Counts {
  pk: number
  name: string
  live: number
  trashed: number
  liveFound: number
  trashedFound: number
}

/** The workspaces count their active and trashed notes correctly. */
export const noteCountCheck: IntegrityCheck = {
  *faults({ sql }) {
    for (const { name, live, trashed, liveFound, trashedFound } of sql.all<Counts>(COUNTS)) {
      if (live === liveFound && trashed === trashedFound) continue
      yield `The workspace "${name}" counts ${live} notes and ${trashed} in the trash; it holds ${liveFound} and ${trashedFound}.`
    }
  },
  repair: ({ sql }) => {
    for (const { pk, liveFound, trashedFound } of sql.all<Counts>(COUNTS)) {
      sql.run(
        'UPDATE workspaces SET live_notes = ?, trashed_notes = ? WHERE pk = ?',
        liveFound,
        trashedFound,
        pk,
      )
    }
  },
}

interface NoteTexts {
  pk: number
  id: string
  workspace: number
  title: string
  titleFold: string
  alias: string | null
  aliasFold: string | null
  /** Null when the body is missing. */
  content: string | null
  /** The targets stored for the note, as a JSON array. */
  targets: string
  /** 1 when they are out of date and known to be. */
  isPending: 0 | 1
  isTrashed: 0 | 1
}

const BATCH_SIZE = 200

/** Every note, trashed ones too. */
const allNotes = ({ sql }: Reader) =>
  scanByPk((after) =>
    sql.all<NoteTexts>(
      `SELECT n.pk, n.id, n.workspace, n.title, n.title_fold AS titleFold, n.alias, n.alias_fold AS aliasFold,
         b.content, (SELECT json_group_array(l.target) FROM note_links l WHERE l.note = n.pk) AS targets,
         n.pk IN (SELECT note FROM links_pending) AS isPending,
         n.deleted_at IS NOT NULL AS isTrashed
       FROM notes n LEFT JOIN note_bodies b ON b.note = n.pk WHERE n.pk > ? ORDER BY n.pk LIMIT ?`,
      after,
      BATCH_SIZE,
    ),
  )

const foldsOf = ({ title, alias }: NoteTexts) => ({ titleFold: fold(title), ...aliasColumns(alias) })

function hasWrongFolds(note: NoteTexts): boolean {
  const { titleFold, aliasFold } = foldsOf(note)
  return note.titleFold !== titleFold || note.aliasFold !== aliasFold
}

/** A trashed note may lack links: its permanent removal may have begun. A restored one gets them back. */
function hasWrongLinks({ content, targets, isPending, isTrashed }: NoteTexts): boolean {
  if (isPending === 1) return false
  const expected = distinctLinkKeys(content ?? '')
  const stored = JSON.parse(targets) as string[]
  return stored.some((target) => !expected.has(target)) || (isTrashed === 0 && stored.length < expected.size)
}

/**
 * Corrects the stored links and folded names that differ from what this version derives from a note: an older version may
 * have derived them by another rule. Reads every body once and writes only differences.
 */
export function refreshNoteTexts(reader: Reader): void {
  for (const note of allNotes(reader)) {
    if (hasWrongLinks(note)) indexLinksAtOnce(reader, { workspace: note.workspace, note: note.pk })
    if (!hasWrongFolds(note)) continue
    const { titleFold, aliasFold } = foldsOf(note)
    reader.sql.run(
      'UPDATE notes SET title_fold = ?, alias_fold = ? WHERE pk = ?',
      titleFold,
      aliasFold,
      note.pk,
    )
  }
}

/** Every note has a body, its stored links are those of the body, and its folded names are those of its title and alias. */
export const noteTextCheck: IntegrityCheck = {
  *faults(reader) {
    for (const note of allNotes(reader)) {
      if (note.content === null) yield `The note ${note.id} has no body; restore it from a backup.`
      if (hasWrongLinks(note)) yield `The links stored for the note ${note.id} are not those of its body.`
      if (hasWrongFolds(note))
        yield `The folded names of the note ${note.id} are not those of its title and alias.`
    }
  },
  repair: refreshNoteTexts,
}
