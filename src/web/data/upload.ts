import { signal } from '@preact/signals'
import { invalidate } from './cache.ts'
import { Away, isSignedOut, refusalOf } from './request.ts'

/** A file on its way to the server. */
export interface Upload {
  readonly id: number
  readonly file: File
  /** From 0 to 1. */
  readonly sent: number
  /** Why it did not arrive. */
  readonly refusal?: string
}

/** What is on its way, or was refused; in order. */
export const uploads = signal<readonly Upload[]>([])

let made = 0
let isRunning = false
const started = new Set<number>()

/** Sends files one after the other; each is gone from the list when it has arrived. */
export function upload(files: Iterable<File>): void {
  const added = [...files].map((file): Upload => ({ id: made++, file, sent: 0 }))
  uploads.value = [...uploads.value, ...added]
  void sendAll()
}

export function retryUpload(id: number): void {
  started.delete(id)
  uploads.value = uploads.value.map((one) => (one.id === id ? { id, file: one.file, sent: 0 } : one))
  void sendAll()
}

export function dropUpload(id: number): void {
  uploads.value = uploads.value.filter((one) => one.id !== id)
}

const change = (id: number, part: Partial<Upload>) => {
  uploads.value = uploads.value.map((one) => (one.id === id ? { ...one, ...part } : one))
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

async function sendOne({ id, file }: Upload): Promise<void> {
  try {
    await send(file, (sent) => change(id, { sent }))
    dropUpload(id)
    await invalidate(new Set(['file']))
  } catch (error) {
    change(id, { refusal: (error as Error).message })
  }
}

/** `fetch` does not report how much of a body is sent. */
function send(file: File, onProgress: (part: number) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', `/app/api/files?${new URLSearchParams({ file_name: file.name })}`)
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total)
    request.onerror = () => reject(new Away('The server cannot be reached; try again.'))
    request.onload = () => {
      if (request.status < 300) return resolve()
      if (request.status === 401) isSignedOut.value = true
      void refusalOf(new Response(request.responseText, { status: request.status })).then(reject)
    }
    request.send(file)
  })
}
