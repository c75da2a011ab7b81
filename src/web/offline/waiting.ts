import { findDocument } from '../data/note-documents.ts'
import type { Place, StoredCell } from '../data/pending-cells.ts'
import { session } from '../data/session.ts'
import { TAB } from '../data/tabs.ts'
import { discardCell } from '../pages/records/edits.ts'
import { database, tellChanged } from './database.ts'
import { draftOf, keyOf, type StoredNote, writing } from './queue.ts'
import { openTabs } from './tabs.ts'
import { tellGivenUp } from './take-up.ts'

/** Something that was written and is not saved. */
export interface Waiting {
  readonly place: Place
  readonly name: string
  readonly text: string
  readonly at: number
  /** Where it can be settled, if it can. */
  readonly address: string | undefined
  /** Why it waits, in a sentence. */
  readonly error: string
}

const ownPlace = (): string => {
  const present = session.peek()
  return `${present?.user.id} ${present?.workspace.id}`
}

/** Why something of another workspace is not sent from here. */
function elsewhere(workspace: string): string | undefined {
  const present = session.peek()
  if (!present || present.workspace.id === workspace) return undefined
  const known = present.workspaces.find(({ id }) => id === workspace)
  return known
    ? `It belongs to ${known.name}: go there, and it is sent.`
    : 'You can no longer reach the workspace that it belongs to: copy what you need.'
}

const WAITS = 'It is sent when the server can be reached.'

/** All that the person who is signed in wrote in this browser and that is not saved, oldest first. */
export async function listWaiting(): Promise<Waiting[]> {
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
  const found = entries.map((entry): Waiting => {
    const isElsewhere = entry.tab !== TAB && open.has(entry.tab)
    const error = elsewhere(entry.workspace) ?? (isElsewhere ? 'It is open in another tab.' : undefined)
    if ('row' in entry) return cellOf(entry, error)
    const base = contents.get(keyOf(entry).join(' ')) ?? { ...entry, content: '' }
    return noteOf(entry, draftOf(entry, base).text, error)
  })
  return found.sort((one, other) => one.at - other.at)
}

const isHere = ({ user, workspace }: Place): boolean => `${user} ${workspace}` === ownPlace()

function cellOf(entry: StoredCell, error: string | undefined): Waiting {
  const { structure, field, state, at } = entry
  const own =
    state.kind === 'refused'
      ? state.error
      : state.kind === 'conflict'
        ? `Somebody else wrote “${state.theirs ?? ''}” there meanwhile.`
        : WAITS
  return {
    place: entry,
    name: `${field.label ?? field.key} of a row in ${structure.name}`,
    text: state.text,
    at,
    address: isHere(entry) ? `/app/records/${structure.id}` : undefined,
    error: error ?? own,
  }
}

function noteOf(
  entry: StoredNote,
  text: { title: string; content: string },
  error: string | undefined,
): Waiting {
  const state = isHere(entry) ? findDocument(entry.note)?.queue.state.peek() : undefined
  const own =
    state?.kind === 'refused'
      ? state.sentence
      : state?.kind === 'conflict'
        ? 'Somebody else changed the same lines meanwhile: open it, and choose.'
        : WAITS
  return {
    place: entry,
    name: text.title,
    text: text.content,
    at: entry.at,
    address: isHere(entry) ? `/app/notes/${entry.note}` : undefined,
    error: error ?? own,
  }
}

/** Gives up something that waits, in the tab that holds it and in what this browser keeps. */
export async function giveUp({ place }: Waiting): Promise<void> {
  const [kind, id = '', row = '', field = ''] = place.name.split(' ')
  if (place.tab !== TAB) tellGivenUp(place)
  else if (isHere(place) && kind === 'note') findDocument(id)?.queue.discard()
  else if (isHere(place)) discardCell([id, row, field])
  await writing((store) => {
    store('queue').delete(keyOf(place))
    store('bases').delete(keyOf(place))
  })
  tellChanged()
}
