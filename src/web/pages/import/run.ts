import { effect, signal } from '@preact/signals'
import { counted } from '../../data/formats.ts'
import { unsavedWork } from '../../data/pending.ts'
import { serverNow } from '../../data/request.ts'
import { sessionKey } from '../../data/session-key.ts'
import { sampleDigests } from './digests.ts'
import type { Remark, SelectedFolder } from './folder.ts'
import { FolderTagging } from './folder-tags.ts'
import { InterruptedImport } from './interrupted.ts'
import type { ImportPreview } from './preview.ts'
import { Remarks, readFolder } from './read-folder.ts'
import { FolderSender, ImportCalls } from './send-folder.ts'
import { sourceOf, withoutProgramFiles } from './source.ts'

/** Numbers of objects that an undo removed. */
interface Removed {
  readonly objects: number
  readonly tables: number
  readonly tags: number
  readonly properties: number
}

/** The progress and the result of an import. */
export interface Progress {
  readonly isRunning: boolean
  /** Whether the selected folder could be opened. */
  readonly isOpen: boolean
  /** The completed fraction. */
  readonly share: number
  readonly notes: number
  readonly files: number
  readonly tables: number
  readonly properties: number
  readonly links: number
  /** The objects that an undo removed. */
  readonly removed?: Removed
  /** Tags notes with the paths of their folders; absent if all notes have these tags. */
  readonly tagFolders?: (() => Promise<void>) | undefined
  /** The number of notes that were tagged with the paths of their folders after the import. */
  readonly tagged?: number | undefined
  /** The number of notes, files and tables that an earlier import of the same folder created. */
  readonly before: number
  readonly refused: readonly Remark[]
  /** Files that are stored differently than in the folder. */
  readonly changed: readonly Remark[]
  readonly skipped: readonly Remark[]
  /** Whether the import waits for the server. */
  readonly isWaiting: boolean
  /** Shown until the user starts or cancels the import. */
  readonly preview?: ImportPreview | undefined
  /** Removes what the import created; absent while it runs and while nothing is new. */
  readonly undo?: (() => Promise<void>) | undefined
  /** Why the import ended early. */
  readonly stopped?: string
}

export const NO_PROGRESS: Progress = {
  isRunning: true,
  isOpen: false,
  share: 0,
  notes: 0,
  files: 0,
  tables: 0,
  properties: 0,
  links: 0,
  before: 0,
  refused: [],
  changed: [],
  skipped: [],
  isWaiting: false,
}

/** The current import of this user, or the result of the last. */
export const progress = signal<Progress | undefined>(undefined)

const READING_SHARE = 0.3

let abort: AbortController | undefined

export const stop = (): void => abort?.abort(new Error('You stopped the import.'))

let startWriting: (() => void) | undefined

/** Starts the import that is shown as a preview. */
export const confirm = (): void => startWriting?.()

export const countText = (count: number, one: string, many: string): string | false =>
  count > 0 && counted(count, one, many)

export interface ImportOptions {
  /** Whether to tag each note with the path of its folder. */
  readonly foldersAsTags: boolean
}

/** Imports a folder. Notes and files of earlier imports stay as they are. */
export async function importFolder(
  open: () => SelectedFolder | Promise<SelectedFolder>,
  { foldersAsTags }: ImportOptions,
): Promise<void> {
  if (progress.peek()?.isRunning) return
  const { signal, report } = begin(NO_PROGRESS)
  let undo: Progress['undo']
  let tagging: FolderTagging | undefined
  try {
    const selected = await open()
    const source = await sourceOf(selected)
    const folder = withoutProgramFiles(selected, source)
    const calls = new ImportCalls(folder.name, signal, (isWaiting) => report({ isWaiting }))
    const remarks = new Remarks(folder.skipped)
    report({ isOpen: true, ...remarks })
    const earlier = await calls.earlier(await sampleDigests(folder, signal))
    if (earlier !== null) throw new Error(earlier)
    const now = serverNow()
    const onProgress = (share: number) => report({ share: share * READING_SHARE })
    const interrupted = new InterruptedImport(folder.name)
    const confirm = async (preview: ImportPreview, startedAt: number) => {
      const since = interrupted.since ?? startedAt
      const remove = () => undoImport(folder.name, since, tagging)
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      startWriting = resolve
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      report({ preview, undo: interrupted.since === undefined ? undefined : remove })
      await promise.finally(() => report({ preview: undefined, undo: undefined }))
      interrupted.begin(since)
      undo = remove
    }
    const reading = { folder, source, calls, signal, remarks, foldersAsTags, onProgress, confirm }
    const read = await readFolder(reading, now)
    report({ before: read.before, properties: read.defined })
    const onSent = ({ share = 0, ...counts }: Partial<Progress>) =>
      report({ ...counts, share: READING_SHARE + share * (1 - READING_SHARE) })
    await new FolderSender(read, { calls, foldersAsTags, signal, now, remarks }, onSent).send()
    interrupted.end()
    const added = new FolderTagging(read.folderTags)
    tagging = added
    const tagFolders = async () => report({ tagged: await added.add(), tagFolders: undefined })
    const mayLackTags = added.hasTags && (read.before > 0 || !foldersAsTags)
    report({ isRunning: false, share: 1, undo, ...(mayLackTags && { tagFolders }) })
  } catch (error) {
    report({ isRunning: false, isWaiting: false, stopped: (error as Error).message, undo })
  }
}

/** Shows a new run instead of the last one. */
function begin(first: Progress) {
  const controller = new AbortController()
  const { signal } = controller
  abort = controller
  let state = first
  const report = (change: Partial<Progress>) => {
    state = { ...state, ...change }
    if (abort === controller) progress.value = state
  }
  report({})
  return { signal, report }
}

/**
 * Removes the objects that an import created, in several requests, after the tags that were added to them. Notes and
 * tables that were changed since stay.
 */
async function undoImport(folder: string, since: number, tagging?: FolderTagging): Promise<void> {
  abort?.abort()
  const removed = { objects: 0, tables: 0, tags: 0, properties: 0 }
  const { signal, report } = begin({ ...NO_PROGRESS, isOpen: true, removed })
  const calls = new ImportCalls(folder, signal, (isWaiting) => report({ isWaiting }))
  const kept: Remark[] = []
  try {
    await tagging?.undo()
    for (let after: number | null | undefined; after !== null; ) {
      const some = await calls.undo(since, after)
      removed.objects += some.notes + some.files
      removed.tables += some.structures
      removed.tags += some.tags
      removed.properties += some.properties
      kept.push(...some.kept.map(({ path, error }) => ({ place: path, what: error })))
      report({ removed: { ...removed } })
      ;({ after } = some)
    }
    new InterruptedImport(folder).end()
    report({ isRunning: false, share: 1, skipped: kept })
  } catch (error) {
    const undo = () => undoImport(folder, since, tagging)
    report({ isRunning: false, isWaiting: false, stopped: (error as Error).message, undo })
  }
}

effect(() => {
  void sessionKey.value
  stop()
  abort = undefined
  progress.value = undefined
})
unsavedWork.add({ isUnsafe: () => progress.peek()?.isRunning === true })
