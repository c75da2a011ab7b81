import { effect, signal } from '@preact/signals'
import { api } from '../../data/api.ts'
import { type AppliedChange, applyChanges, NotApplied } from '../../data/apply.ts'
import { newIds } from '../../data/new-ids.ts'
import { unfinished } from '../../data/pending.ts'
import { Away, isPutOff, request, retryDelayOf } from '../../data/request.ts'
import { whose } from '../../data/whose.ts'
import { isMarkdown, isOwn, type ReadNote, readNote, type VaultFile, withFiles } from './vault.ts'

/** Notes are written in batches of up to this many, and of this many characters. */
const BATCH = 100
const BATCH_CHARACTERS = 2_000_000

export interface Progress {
  readonly isRunning: boolean
  readonly of: number
  readonly done: number
  readonly notes: number
  readonly files: number
  /** What an earlier run of the same folder brought in. */
  readonly before: number
  readonly refused: readonly { readonly path: string; readonly why: string }[]
  /** Why it ended early; it goes on where it was when the folder is chosen again. */
  readonly stopped?: string
}

/** The import of this person that runs, or what came of the last. */
export const progress = signal<Progress | undefined>(undefined)

let abort: AbortController | undefined

export const stop = (): void => abort?.abort(new Error('Stopped.'))

/** What is brought in, by path: the id of its note or file, and which state of the file it was; none while it is sent. */
type Done = Record<string, { readonly id: string; readonly state?: string }>

const stateOf = ({ file }: VaultFile): string => `${file.size} ${file.lastModified}`
const nameOf = (folder: string): string => `import ${whose.peek()} ${folder}`

function doneOf(folder: string): Done {
  try {
    return JSON.parse(localStorage.getItem(nameOf(folder)) ?? '{}')
  } catch {
    return {}
  }
}

function keep(folder: string, done: Done): void {
  try {
    localStorage.setItem(nameOf(folder), JSON.stringify(done))
  } catch {
    // With a full storage the same folder, chosen again, would begin anew.
  }
}

/** Waits while the server is away or busy; a refusal is the caller's. */
async function patiently<Result>(act: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
  for (;;) {
    try {
      signal.throwIfAborted()
      return await act()
    } catch (error) {
      if (!(error instanceof Away || isPutOff(error as Error))) throw error
      await new Promise((resolve) => setTimeout(resolve, retryDelayOf(error as Error)))
    }
  }
}

/** Brings the files of a folder in; what an earlier run brought in stays as it is. */
export async function importFolder(folder: string, all: readonly VaultFile[]): Promise<void> {
  const controller = new AbortController()
  abort = controller
  const stopped = controller.signal
  const done = doneOf(folder)
  const files = all.filter(({ path }) => !isOwn(path))
  const left = files.filter((one) => done[one.path]?.state !== stateOf(one))
  const refused: { path: string; why: string }[] = []
  let now: Progress = {
    isRunning: true,
    of: left.length,
    done: 0,
    notes: 0,
    files: 0,
    before: files.length - left.length,
    refused,
  }
  const report = (change: Partial<Progress>) => {
    now = { ...now, ...change }
    progress.value = now
  }
  const refuse = ({ path }: VaultFile, error: unknown) => {
    refused.push({ path, why: (error as Error).message })
    report({ done: now.done + 1 })
  }
  const finish = (one: VaultFile, id: string) => {
    done[one.path] = { id, state: stateOf(one) }
  }
  report({})
  try {
    for (const one of left.filter((file) => !isMarkdown(file))) {
      try {
        finish(one, await patiently(() => storeFile(one), stopped))
        keep(folder, done)
        report({ done: now.done + 1, files: now.files + 1 })
      } catch (error) {
        stopped.throwIfAborted()
        refuse(one, error)
      }
    }
    const find = finder(done)
    for await (const batch of batches(left.filter(isMarkdown), done, find)) {
      for (const { one, id } of batch) done[one.path] = { id }
      keep(folder, done)
      const written = await writeNotes(batch, stopped, refuse)
      for (const { one, id } of written) finish(one, id)
      keep(folder, done)
      report({ done: now.done + written.length, notes: now.notes + written.length })
    }
    report({ isRunning: false })
  } catch (error) {
    report({ isRunning: false, stopped: (error as Error).message })
  }
}

/** Finds a stored file by its path, or by its name where only one has it. */
function finder(done: Done) {
  const byName = new Map<string, { id: string; name: string }>()
  for (const [path, { id }] of Object.entries(done)) {
    const name = path.split('/').at(-1) ?? path
    byName.set(path, { id, name })
    if (!byName.has(name)) byName.set(name, { id, name })
  }
  return (name: string) => byName.get(name) ?? byName.get(name.split('/').at(-1) ?? name)
}

async function storeFile({ path, file }: VaultFile): Promise<string> {
  const query = new URLSearchParams({ file_name: path.split('/').at(-1) ?? path })
  const { file: stored } = await request<{ file: { id: string } }>('POST', `/app/api/files?${query}`, {
    body: file,
  })
  return stored.id
}

interface Waiting {
  readonly one: VaultFile
  readonly id: string
  readonly note: ReadNote
}

async function* batches(
  files: readonly VaultFile[],
  done: Done,
  find: Parameters<typeof withFiles>[1],
): AsyncGenerator<readonly Waiting[]> {
  const ids = newIds(files.length)
  let batch: Waiting[] = []
  let characters = 0
  for (const [at, one] of files.entries()) {
    const note = readNote(one.path, await one.file.text())
    const sent = done[one.path]
    // With the id of a sending whose answer was lost, nothing is written twice; a file that changed is another note.
    const id = (sent?.state === undefined ? sent?.id : undefined) ?? ids[at] ?? ''
    batch.push({ one, id, note: { ...note, content: withFiles(note.content, find) } })
    characters += note.content.length
    if (batch.length < BATCH && characters < BATCH_CHARACTERS) continue
    yield batch
    batch = []
    characters = 0
  }
  if (batch.length > 0) yield batch
}

/** Writes notes; of a batch that is refused the note at fault is left out and named, and the others are sent again. */
async function writeNotes(
  batch: readonly Waiting[],
  stopped: AbortSignal,
  refuse: (one: VaultFile, error: unknown) => void,
): Promise<readonly Waiting[]> {
  let rest = batch
  const there: Waiting[] = []
  await makeProperties(rest)
  while (rest.length > 0) {
    try {
      await patiently(() => applyChanges(rest.map(changeOf)), stopped)
      break
    } catch (error) {
      if (!(error instanceof NotApplied)) throw error
      const fault = rest[error.at ?? 0]
      if (!fault) throw error
      if (error.code === 'name_taken') there.push(fault)
      else refuse(fault.one, error)
      rest = rest.filter((other) => other !== fault)
    }
  }
  return [...there, ...rest]
}

const changeOf = ({ id, note: { title, content, tags, alias, values } }: Waiting): AppliedChange => ({
  kind: 'note',
  op: 'created',
  id,
  data: {
    title,
    content,
    ...(tags.length > 0 && { tags }),
    ...(alias !== undefined && { alias }),
    ...(Object.keys(values).length > 0 && { properties: values }),
  } as never,
})

/** Front matter becomes properties of text, where there are none of these keys. */
async function makeProperties(batch: readonly Waiting[]): Promise<void> {
  const wanted = new Set(batch.flatMap(({ note }) => Object.keys(note.values)))
  if (wanted.size === 0) return
  const { properties } = await api.get('/v1/properties', {})
  for (const { key } of properties) wanted.delete(key)
  for (const key of wanted) await api.post('/v1/properties', { body: { key, type: 'text' } })
}

effect(() => {
  void whose.value
  stop()
  progress.value = undefined
})
unfinished.add(() => progress.peek()?.isRunning === true)
