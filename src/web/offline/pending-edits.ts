import type { PendingAction, RowsAction, StoredAction } from '../data/pending-actions.ts'
import type { EntryKey, StoredCell } from '../data/pending-cells.ts'
import { editText } from '../data/records/values.ts'
import { textOfValue } from '../data/send-action.ts'
import { session } from '../data/session.ts'
import { TAB } from '../data/tabs.ts'
import { requestDiscard } from './adopt.ts'
import { database, notifyCopyChange } from './database.ts'
import { findDocument } from './note-documents.ts'
import { discardAction, notesOf, wordsOf } from './pending-actions.ts'
import { syncCells } from './pending-cells.ts'
import { changingQueue, draftOf, keyOf, type StoredNote, writing } from './queue.ts'
import { ACTION_NAMES, currentForm } from './stored-actions.ts'
import { openTabs } from './tabs.ts'

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
  const user = session.peek()?.user.id
  if (user === undefined) return []
  const transaction = (await database()).transaction(['queue', 'bases'])
  const range = IDBKeyRange.bound([user], [user, []])
  const [entries, bases] = await Promise.all([
    transaction.objectStore('queue').getAll(range),
    transaction.objectStore('bases').getAll(range),
  ])
  const open = await openTabs()
  const contents = new Map(bases.map((base) => [keyOf(base).join(' '), base]))
  const found = entries.map((entry): PendingEdit => {
    const isElsewhere = entry.tab !== TAB && open.has(entry.tab)
    const error = refusalElsewhere(entry.workspace) ?? (isElsewhere ? 'Open in another tab.' : undefined)
    if ('action' in entry) return actionOf(currentForm(entry), error)
    if ('row' in entry) return cellOf(entry, error)
    const base = contents.get(keyOf(entry).join(' ')) ?? { ...entry, content: '' }
    return noteOf(entry, draftOf(entry, base).text, error)
  })
  return found.sort((one, other) => one.at - other.at)
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

function noteOf(
  entry: StoredNote,
  text: { title: string; content: string },
  error: string | undefined,
): PendingEdit {
  const state = isHere(entry) ? findDocument(entry.note)?.queue.state.peek() : undefined
  const own =
    state?.kind === 'refused'
      ? state.sentence
      : state?.kind === 'conflict'
        ? 'Someone else changed the same lines. Open the note to choose a version.'
        : WAITING_TEXT
  return {
    place: entry,
    name: text.title,
    text: text.content,
    at: entry.at,
    address: isHere(entry) ? `/app/notes/${entry.note}` : undefined,
    error: error ?? own,
  }
}

/** Discards a pending edit, in the database and in its tab. */
export async function discardPending({ place, at }: PendingEdit): Promise<void> {
  const { user, workspace, name, tab } = place
  if (ACTION_NAMES.some((kind) => name.startsWith(`${kind} `))) return discardAction(place)
  const ofAllTabs = IDBKeyRange.bound([user, workspace, name], [user, workspace, name, []])
  // Another tab may have adopted the edit since it was listed.
  const removed = await changingQueue(async (queue) => {
    const found = (await queue.getAll(ofAllTabs)).filter((entry) => entry.tab === tab || entry.at === at)
    for (const entry of found) void queue.delete(keyOf(entry))
    return found
  })
  for (const entry of removed) discardDraft(entry)
  await writing((store) => {
    for (const entry of removed) store('bases').delete(keyOf(entry))
  })
  await syncCells()
  notifyCopyChange()
}

/** Discards the draft of a note in its tab. */
function discardDraft(place: EntryKey): void {
  const [kind, id = ''] = place.name.split(' ')
  if (kind !== 'note') return
  if (place.tab !== TAB) requestDiscard(place)
  else if (isHere(place)) findDocument(id)?.queue.discard()
}
