import type { PendingAction, RowsAction, StoredAction } from '../data/pending-actions.ts'
import type { EntryKey, StoredCell } from '../data/pending-cells.ts'
import { editText } from '../data/records/values.ts'
import { textOfValue } from '../data/send-action.ts'
import { session } from '../data/session.ts'
import { database, notifyCopyChange } from './database.ts'
import { findDocument } from './note-documents.ts'
import { foldNotes, type PendingNote } from './note-folding.ts'
import { discardNote, type StoredNote } from './note-store.ts'
import { discardAction, notesOf, wordsOf } from './pending-actions.ts'
import { syncCells } from './pending-cells.ts'
import { changingQueue, keyOf, NO_TAB } from './queue.ts'
import { ACTION_NAMES, currentForm } from './stored-actions.ts'

/** A pending edit. */
export interface PendingEdit {
  readonly place: EntryKey
  readonly name: string
  readonly text: string
  readonly at: number
  /** The address at which a conflict can be resolved. */
  readonly address: string | undefined
  /** Why it is pending, as a sentence. */
  readonly error: string
}

const currentScope = (): string => {
  const current = session.peek()
  return `${current?.user.id} ${current?.workspace.id}`
}

/** Why an edit of another workspace cannot be sent here. */
function refusalElsewhere(workspace: string): string | undefined {
  const current = session.peek()
  if (!current || current.workspace.id === workspace) return undefined
  const known = current.workspaces.find(({ id }) => id === workspace)
  return known
    ? `This change belongs to ${known.name}. Open that workspace to send it.`
    : 'You no longer have access to the workspace of this change. Copy what you need.'
}

const WAITING_TEXT = 'Sent when the server can be reached.'

/** All pending edits of the current user in this browser, oldest first. */
export async function listPending(): Promise<PendingEdit[]> {
  const current = session.peek()
  if (!current) return []
  const user = current.user.id
  const range = IDBKeyRange.bound([user], [user, []])
  const keys = await (await database()).getAllKeys('queue', range)
  // Also the current one without entries, because merging updates its notice.
  const workspaces = new Set([current.workspace.id, ...keys.map(([, workspace = '']) => workspace)])
  const notes = await Promise.all([...workspaces].map((workspace) => foldNotes({ user, workspace })))
  const entries = await (await database()).getAll('queue', range)
  const others = entries.flatMap((entry): PendingEdit[] => {
    const error = refusalElsewhere(entry.workspace)
    if ('inserted' in entry) return entry.name.startsWith('lost ') ? [lostEditOf(entry)] : []
    if ('action' in entry) return [actionOf(currentForm(entry), error)]
    return 'row' in entry && entry.tab === NO_TAB ? [cellOf(entry, error)] : []
  })
  return [...notes.flat().map(noteOf), ...others].sort((one, other) => one.at - other.at)
}

const isHere = ({ user, workspace }: EntryKey): boolean => `${user} ${workspace}` === currentScope()

function cellOf(entry: StoredCell, error: string | undefined): PendingEdit {
  const { structure, field, state, at } = entry
  const own =
    state.kind === 'refused'
      ? state.error
      : state.kind === 'conflict'
        ? `Someone else changed this cell to “${state.theirs ?? ''}”.`
        : WAITING_TEXT
  return {
    place: entry,
    name: `${field.label ?? field.key} of a row in ${structure.name}`,
    text: state.text,
    at,
    address: isHere(entry) ? `/app/records/${structure.id}` : undefined,
    error: error ?? own,
  }
}

/** The values of rows as text that can be pasted into the grid. */
const cellsOf = ({ changed, created }: RowsAction): string =>
  [...changed, ...created]
    .map(({ data }) =>
      Object.values(data)
        .map((value) => editText(value ?? undefined))
        .join('\t'),
    )
    .join('\n')

function textOf(action: PendingAction): string {
  if (action.kind === 'rows') return cellsOf(action)
  return action.kind === 'tag' ? action.tag : textOfValue(action.value)
}

function actionOf(entry: StoredAction, error: string | undefined): PendingEdit {
  const { action, at } = entry
  const [note, ...others] = notesOf(action)
  const to =
    action.kind === 'rows'
      ? `/app/records/${action.structure.id}`
      : `/app/notes${note && others.length === 0 ? `/${note.id}` : ''}`
  return {
    place: entry,
    name: wordsOf(action),
    text: textOf(action),
    at,
    address: isHere(entry) ? to : undefined,
    error: error ?? entry.error ?? WAITING_TEXT,
  }
}

function noteOf({ user, workspace, note, text, at }: PendingNote): PendingEdit {
  const place = { user, workspace, name: `text ${note}`, tab: NO_TAB }
  const state = isHere(place) ? findDocument(note)?.draft.state.peek() : undefined
  const own =
    state?.kind === 'refused'
      ? state.sentence
      : state?.kind === 'conflict'
        ? 'Someone else changed the same lines. Open the note to choose a version.'
        : WAITING_TEXT
  return {
    place,
    name: text.title,
    text: text.content,
    at,
    address: isHere(place) ? `/app/notes/${note}` : undefined,
    error: refusalElsewhere(workspace) ?? own,
  }
}

const LOST_TEXT =
  'This browser no longer has the text around this change. Copy what you need into the note, then discard it.'

const lostEditOf = (entry: StoredNote): PendingEdit => ({
  place: entry,
  name: entry.title,
  text: entry.inserted,
  at: entry.at,
  address: isHere(entry) ? `/app/notes/${entry.note}` : undefined,
  error: LOST_TEXT,
})

/** Discards a pending edit, in all tabs. */
export async function discardPending({ place }: PendingEdit): Promise<void> {
  const { user, workspace, name } = place
  if (ACTION_NAMES.some((kind) => name.startsWith(`${kind} `))) return discardAction(place)
  const [kind, note = ''] = name.split(' ')
  if (kind === 'text') {
    if (isHere(place)) findDocument(note)?.draft.discard()
    await discardNote({ user, workspace, note })
  } else {
    await changingQueue(async (queue) => queue.delete(keyOf(place)))
    await syncCells()
  }
  notifyCopyChange()
}
