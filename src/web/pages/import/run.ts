import { effect } from '@preact/signals'
import { unfinished } from '../../data/pending.ts'
import { serverNow } from '../../data/request.ts'
import { whose } from '../../data/whose.ts'
import type { ChosenFolder } from './folder.ts'
import { NOTHING_DONE, type Progress, progress } from './progress.ts'
import { readFolder } from './read-folder.ts'
import { Remarks } from './remarks.ts'
import { FolderSender } from './send-folder.ts'
import { ImportCalls } from './sending.ts'

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
  void whose.value
  stop()
  abort = undefined
  progress.value = undefined
})
unfinished.add(() => progress.peek()?.isRunning === true)
