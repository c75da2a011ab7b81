import { effect, signal } from '@preact/signals'
import { unfinished } from '../../data/pending.ts'
import { serverNow } from '../../data/request.ts'
import { sessionKey } from '../../data/session-key.ts'
import type { ChosenFolder, Remark } from './folder.ts'
import { Remarks, readFolder } from './read-folder.ts'
import { FolderSender, ImportCalls } from './send-folder.ts'

/** How far an import is, and what came of it. */
export interface Progress {
  readonly isRunning: boolean
  /** Whether what was chosen can be imported. */
  readonly isOpen: boolean
  /** What is done, from 0 to 1. */
  readonly share: number
  readonly notes: number
  readonly files: number
  readonly properties: number
  readonly links: number
  /** How many notes and files an earlier import of the same folder made. */
  readonly before: number
  readonly refused: readonly Remark[]
  /** What is stored differently from how the folder has it. */
  readonly changed: readonly Remark[]
  readonly skipped: readonly Remark[]
  /** Whether the server is waited for. */
  readonly isWaiting: boolean
  /** Why it ended early. */
  readonly stopped?: string
}

export const NOTHING_DONE: Progress = {
  isRunning: true,
  isOpen: false,
  share: 0,
  notes: 0,
  files: 0,
  properties: 0,
  links: 0,
  before: 0,
  refused: [],
  changed: [],
  skipped: [],
  isWaiting: false,
}

/** The import of this person that runs, or what came of the last. */
export const progress = signal<Progress | undefined>(undefined)

const SHARE_OF_READING = 0.3

let abort: AbortController | undefined

export const stop = (): void => abort?.abort(new Error('You stopped it.'))

export interface ImportOptions {
  /** Whether each note gets the path of its folder as a tag. */
  readonly foldersAsTags: boolean
}

/** Imports a folder; what an earlier import of it made stays as it is. */
export async function importFolder(
  open: () => ChosenFolder | Promise<ChosenFolder>,
  { foldersAsTags }: ImportOptions,
): Promise<void> {
  if (progress.peek()?.isRunning) return
  const controller = new AbortController()
  const { signal } = controller
  abort = controller
  let state = NOTHING_DONE
  const report = (change: Partial<Progress>) => {
    state = { ...state, ...change }
    if (abort === controller) progress.value = state
  }
  report({})
  try {
    const folder = await open()
    const calls = new ImportCalls(folder.name, signal, (isWaiting) => report({ isWaiting }))
    const remarks = new Remarks(folder.skipped)
    report({ isOpen: true, ...remarks })
    const now = serverNow()
    const onProgress = (share: number) => report({ share: share * SHARE_OF_READING })
    const read = await readFolder({ folder, calls, signal, remarks, onProgress }, now)
    report({ before: read.before, properties: read.defined })
    const onSent = ({ share = 0, ...counts }: Partial<Progress>) =>
      report({ ...counts, share: SHARE_OF_READING + share * (1 - SHARE_OF_READING) })
    await new FolderSender(read, { calls, foldersAsTags, signal, now, remarks }, onSent).send()
    report({ isRunning: false, share: 1 })
  } catch (error) {
    report({ isRunning: false, isWaiting: false, stopped: (error as Error).message })
  }
}

effect(() => {
  void sessionKey.value
  stop()
  abort = undefined
  progress.value = undefined
})
unfinished.add(() => progress.peek()?.isRunning === true)
