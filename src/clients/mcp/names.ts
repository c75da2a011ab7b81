import type { InWorkspace } from '../../context.ts'
import { getFile } from '../../files/service.ts'
import { listFileRows } from '../../files/store.ts'
import { isId } from '../../lib/ids.ts'
import { fail, notFound, Refusal, refused } from '../../lib/refusal.ts'
import { fold } from '../../lib/text.ts'
import { targetKey } from '../../lib/wiki-links.ts'
import { resolveTarget } from '../../notes/links/resolve-target.ts'
import { aliasesOf, getNoteSummary, loadTitles } from '../../notes/store.ts'
import { listViewNames, type ViewRow, viewKind } from '../../notes/views/service.ts'
import type { Reader } from '../../storage/reader.ts'

/* Resolves names in calls: a note by its id, alias or title, a view or a file by its id or name. */

/** The id of an active note, resolved like the target of a link; if several notes have the title, the oldest. */
export function noteIdOf(reader: Reader, { workspacePk }: InWorkspace, named: string): string {
  const pk = resolveTarget(reader, workspacePk, targetKey(named))
  if (pk !== undefined) return loadTitles(reader, [pk]).get(pk)?.id ?? fail(notFound('note'))
  if (isId(named)) throw notFound('note')
  throw new Refusal(
    'not_found',
    `No note in this workspace has the id, alias or title "${named.slice(0, 100)}"; search for it.`,
  )
}

const SAME_TITLE = `SELECT id FROM notes WHERE workspace = ? AND title_fold = ? AND deleted_at IS NULL
  ORDER BY created_at, id LIMIT 4`

/** The same for a change, which is refused if several notes have the name as their title. */
export function changedNoteId(reader: Reader, caller: InWorkspace, named: string): string {
  const id = noteIdOf(reader, caller, named)
  const note = getNoteSummary(reader, caller, id)
  const { title } = note
  const trimmed = fold(named.trim())
  if ([id, ...aliasesOf(note).map(fold)].includes(trimmed)) return id
  const ids = reader.sql.column<string>(SAME_TITLE, caller.workspacePk, fold(title))
  if (ids.length < 2) return id
  throw refused(
    `Several notes have the title "${title.slice(0, 100)}"; name the one that is meant by its id, such as ${ids.join(', ')}.`,
  )
}

/** A view by its id or its name, ignoring case. */
export function getViewNamed(reader: Reader, caller: InWorkspace, named: string): ViewRow {
  const views = listViewNames(reader, caller.workspacePk)
  const wanted = fold(named)
  const found = views.find(({ id }) => id === named) ?? views.find(({ name }) => fold(name) === wanted)
  return viewKind.getRow(reader, caller, found?.id ?? fail(notFound('view')))
}

/** The id of a file, by its id or name; if several files have the name, the newest. */
export function fileIdOf(reader: Reader, caller: Parameters<typeof getFile>[1], named: string): string {
  if (isId(named)) return getFile(reader, caller, named).id
  const wanted = fold(named)
  const found = listFileRows(reader, caller).findLast(({ fileName }) => fold(fileName) === wanted)
  return found?.id ?? fail(notFound('file'))
}
