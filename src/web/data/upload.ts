import { computed, effect, signal } from '@preact/signals'
import { invalidate } from './cache.ts'
import type { StoredFile } from './files.ts'
import { unsavedWork } from './pending.ts'
import { ACCEPT, isSignedOut, refusalOf, Unreachable } from './request.ts'
import { sessionKey } from './session-key.ts'

interface Purpose {
  /** The note to attach the files to. */
  readonly note?: string
  /** Called for each stored file. */
  readonly onStored?: ((stored: StoredFile) => Promise<void>) | undefined
}

/** A file that is being uploaded. */
export interface Upload extends Purpose {
  readonly id: number
  readonly file: File
  /** The session key of the sender; in other sessions the upload is paused. */
  readonly sender: string | undefined
  /** The sent fraction. */
  readonly sent: number
  readonly stored?: StoredFile
  /** Why the upload failed. */
  readonly refusal?: string
}

const all = signal<readonly Upload[]>([])

/** The current and failed uploads of the user, in order. */
export const uploads = computed(() => all.value.filter(({ sender }) => sender === sessionKey.value))

let made = 0
let isRunning = false
const started = new Set<number>()

/** Uploads files one after the other; each is removed from the list when it is stored. */
export function upload(files: Iterable<File>, purpose: Purpose = {}): void {
  const sender = sessionKey.peek()
  const added = [...files].map((file): Upload => ({ ...purpose, id: made++, file, sender, sent: 0 }))
  all.value = [...all.value, ...added]
  void sendAll()
}

export function retryUpload(id: number): void {
  started.delete(id)
  all.value = all.value.map(({ refusal, ...one }) =>
    one.id === id || refusal === undefined ? one : { ...one, refusal },
  )
  void sendAll()
}

export function dropUpload(id: number): void {
  all.value = all.value.filter((one) => one.id !== id)
}

const change = (id: number, part: Partial<Upload>) => {
  all.value = all.value.map((one) => (one.id === id ? { ...one, ...part } : one))
}

async function sendAll(): Promise<void> {
  if (isRunning) return
  isRunning = true
  for (;;) {
    const next = uploads.peek().find(({ id }) => !started.has(id))
    if (next === undefined) break
    started.add(next.id)
    await sendOne(next)
  }
  isRunning = false
}

async function sendOne(one: Upload): Promise<void> {
  const { id, sender, onStored } = one
  try {
    const stored = one.stored ?? (await send(one, (sent) => change(id, { sent })))
    change(id, { stored })
    if (sessionKey.peek() !== sender) return void started.delete(id)
    await onStored?.(stored)
    dropUpload(id)
    await invalidate(new Set(['file']))
  } catch (error) {
    change(id, { refusal: (error as Error).message })
  }
}

/** Uses XMLHttpRequest, because `fetch` does not report upload progress. */
function send({ file, note }: Upload, onProgress: (part: number) => void): Promise<StoredFile> {
  const query = new URLSearchParams({ file_name: file.name, ...(note !== undefined && { note_id: note }) })
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', `/app/api/files?${query}`)
    request.setRequestHeader('Accept', ACCEPT)
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total)
    request.onerror = () => reject(new Unreachable('The server cannot be reached. Try again.'))
    request.onload = () => {
      if (request.status < 300)
        return resolve((JSON.parse(request.responseText) as { file: StoredFile }).file)
      if (request.status === 401) isSignedOut.value = true
      void refusalOf(new Response(request.responseText, { status: request.status })).then(reject)
    }
    request.send(file)
  })
}

/** Continues the paused uploads of a session. */
effect(() => {
  if (sessionKey.value) void sendAll()
})

unsavedWork.add({ isUnsafe: () => uploads.peek().some(({ refusal }) => refusal === undefined) })
