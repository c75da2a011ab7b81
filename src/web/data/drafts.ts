import type { Draft, DraftKey } from './note-text.ts'

const STORE = 'drafts'
/** What the contents of drafts were before: stored once, as a long one takes as long to store as to type a word. */
const BASES = 'bases'

/** A draft as it is stored: of its content only what differs from that of its base. */
interface StoredDraft extends Omit<Draft, 'base' | 'text'> {
  readonly base: Omit<Draft['base'], 'content'>
  readonly title: string
  /** How much of the content of the base comes before and after what was inserted. */
  readonly before: number
  readonly after: number
  readonly inserted: string
}

interface StoredBase extends DraftKey {
  readonly content: string
}

/** How many characters two texts have in common at their start; halves are compared whole, which is fast. */
function commonStart(one: string, other: string): number {
  let same = 0
  let most = Math.min(one.length, other.length)
  while (same < most) {
    const middle = Math.ceil((same + most) / 2)
    if (one.slice(same, middle) === other.slice(same, middle)) same = middle
    else most = middle - 1
  }
  return same
}

/** The same at their end, of texts that differ. */
function commonEnd(one: string, other: string): number {
  let same = 0
  let most = Math.min(one.length, other.length)
  while (same < most) {
    const middle = Math.ceil((same + most) / 2)
    const [from, to] = [-middle, -same || undefined]
    if (one.slice(from, to) === other.slice(from, to)) same = middle
    else most = middle - 1
  }
  return same
}

function storedOf({ base: { content, ...base }, text, ...draft }: Draft): StoredDraft {
  const before = commonStart(content, text.content)
  const after = commonEnd(content.slice(before), text.content.slice(before))
  const inserted = text.content.slice(before, text.content.length - after)
  return { ...draft, base, title: text.title, before, after, inserted }
}

function draftOf(
  { base, title, before, after, inserted, ...draft }: StoredDraft,
  { content }: StoredBase,
): Draft {
  const text = content.slice(0, before) + inserted + content.slice(content.length - after)
  return { ...draft, base: { ...base, content }, text: { title, content: text } }
}

const keyOf = ({ user, workspace, note, tab }: DraftKey) => [user, workspace, note, tab]

const settled = <Result>(request: IDBRequest<Result>): Promise<Result> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })

let opened: Promise<IDBDatabase> | undefined

function openDatabase(): Promise<IDBDatabase> {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open('daybook-drafts', 1)
    request.onupgradeneeded = () => {
      for (const name of [STORE, BASES])
        request.result.createObjectStore(name, { keyPath: ['user', 'workspace', 'note', 'tab'] })
    }
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
  return opened
}

async function writing(act: (drafts: IDBObjectStore, bases: IDBObjectStore) => void): Promise<void> {
  const transaction = (await openDatabase()).transaction([STORE, BASES], 'readwrite')
  const done = new Promise<void>((resolve, reject) => {
    transaction.oncomplete = () => resolve()
    transaction.onabort = () => reject(transaction.error)
  })
  act(transaction.objectStore(STORE), transaction.objectStore(BASES))
  // Without this the browser decides when to write, and a tab that is closed before would lose it.
  transaction.commit()
  await done
}

/** The contents that are stored for the drafts of this tab. */
const storedBases = new Map<string, string>()

export async function putDraft(draft: Draft): Promise<void> {
  const { user, workspace, note, tab, base } = draft
  const name = keyOf(draft).join(' ')
  try {
    await writing((drafts, bases) => {
      if (storedBases.get(name) !== base.content)
        bases.put({ user, workspace, note, tab, content: base.content })
      storedBases.set(name, base.content)
      drafts.put(storedOf(draft))
    })
  } catch (error) {
    storedBases.delete(name)
    throw error
  }
}

export function removeDraft(key: DraftKey): Promise<void> {
  return writing((drafts, bases) => {
    storedBases.delete(keyOf(key).join(' '))
    drafts.delete(keyOf(key))
    bases.delete(keyOf(key))
  })
}

/** The drafts of a person in a workspace, oldest first. */
export async function listDrafts(user: string, workspace: string): Promise<Draft[]> {
  const transaction = (await openDatabase()).transaction([STORE, BASES])
  const range = IDBKeyRange.bound([user, workspace], [user, workspace, []])
  const [drafts, bases] = await Promise.all([
    settled<StoredDraft[]>(transaction.objectStore(STORE).getAll(range)),
    settled<StoredBase[]>(transaction.objectStore(BASES).getAll(range)),
  ])
  const contents = new Map(bases.map((base) => [keyOf(base).join(' '), base]))
  return drafts
    .flatMap((draft) => {
      const base = contents.get(keyOf(draft).join(' '))
      return base ? [draftOf(draft, base)] : []
    })
    .sort((one, other) => one.at - other.at)
}
