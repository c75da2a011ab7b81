import { freeName } from '../data/file-names.ts'
import { setNotice } from '../data/pending.ts'
import { request } from '../data/request.ts'
import { address, search } from '../router.ts'
import { saveDocument } from './note-documents.ts'
import { createDocument } from './open-document.ts'
import { KEY, OWN, SHARE, SHARED } from './shared-cache.ts'

/*
 * Content shared with the application. The service worker stores it under the ID of its future note. All steps are
 * idempotent, because the page may be closed between any two of them.
 */

const PATH = `${SHARE}/`
/** Header of an entry whose note has been created, so that only its files are missing. */
const MADE = 'X-Note'

/** The text of the new note, and the names of the shared files. */
export interface SharedNote {
  readonly title: string
  readonly content: string
  readonly files: readonly string[]
}

/** Asks whether to create a note; undefined if the user postpones the answer. */
type Confirm = (note: SharedNote) => Promise<boolean | undefined>

interface Stored {
  readonly id: string
  readonly file_name: string
  readonly mime_type: string
}

const cache = () => caches.open(SHARED)

/**
 * Whether the content was sent by the system (to the address in the manifest) or by the application. Otherwise any website
 * may have sent it.
 */
function isTrusted(shared: Response): boolean {
  if (shared.headers.has(OWN)) return true
  const cookies = new Map(document.cookie.split('; ').map((one) => one.split('=') as [string, string]))
  const key = cookies.get('__Host-daybook_share') ?? cookies.get('daybook_share')
  return key !== undefined && shared.headers.get(KEY) === key
}

/**
 * Creates a note from shared content, if necessary, and attaches its files in the background. Asks first if any website may
 * have sent it. Returns whether there is a note.
 */
export async function takeShared(id: string, confirm: Confirm): Promise<boolean> {
  const shared = await (await cache()).match(PATH + id)
  if (!shared) return true
  if (!shared.headers.has(MADE)) {
    const body = await shared.blob()
    const note = noteOf(await new Response(body, { headers: shared.headers }).formData())
    const isKept = isTrusted(shared) || (await confirm(note))
    setShareNotice(id, isKept === undefined)
    if (isKept === false) await (await cache()).delete(PATH + id)
    if (!isKept) return false
    await makeNote(id, note, shared, body)
  }
  attachFiles(id).catch(() => undefined)
  return true
}

/** Shows or hides a notice on every screen that leads to the question about shared content. */
const setShareNotice = (id: string, isOpen: boolean): void =>
  setNotice(
    `shared ${id}`,
    isOpen ? 'Something shared with daybook is not saved yet.' : undefined,
    address(['new'], { shared: id }),
  )

function noteOf(form: FormData): SharedNote {
  const part = (name: string) => String(form.get(name) ?? '').trim()
  const files = filesOf(form).map(({ name }) => name)
  const title = part('title').replace(/\s+/g, ' ').slice(0, 200) || files[0] || 'New note'
  const content = [...new Set([part('text'), part('url')])].filter(Boolean).join('\n')
  return { title, content, files }
}

async function makeNote(
  id: string,
  { title, content }: SharedNote,
  shared: Response,
  body: Blob,
): Promise<void> {
  createDocument(id, { title, content }, [])
  const headers = { 'Content-Type': shared.headers.get('Content-Type') ?? '', [MADE]: 'made' }
  await (await cache()).put(PATH + id, new Response(body, { headers }))
}

/** The files with unique names, because phones often use one name for several images. */
function filesOf(form: FormData): File[] {
  const taken = new Set<string>()
  return form
    .getAll('files')
    .filter((file): file is File => file instanceof File && file.name !== '')
    .map((file) => new File([file], freeName(taken, file.name), { type: file.type }))
}

/** Attaches the missing files to the note. Files that cannot be sent now are sent at the next start. */
async function attachFiles(id: string): Promise<void> {
  await navigator.locks?.request(`daybook-share ${id}`, async () => {
    const shared = await (await cache()).match(PATH + id)
    if (!shared) return
    await saveDocument(id)
    for (const file of filesOf(await shared.formData())) await attach(id, file)
    await (await cache()).delete(PATH + id)
  })
}

async function attach(id: string, file: File): Promise<void> {
  const read = <Result>(path: string) => request<Result>('GET', `/v1/notes/${id}${path}`, { isFresh: true })
  const { files } = await read<{ files: Stored[] }>('/files')
  const query = new URLSearchParams({ file_name: file.name, note_id: id })
  const send = () => request<{ file: Stored }>('POST', `/app/api/files?${query}`, { body: file })
  const stored = files.find(({ file_name }) => file_name === file.name) ?? (await send()).file
  const { note } = await read<{ note: { content: string } }>('')
  if (note.content.includes(`[[file:${stored.id}`)) return
  const label = stored.file_name.replace(/[[\]|\r\n]/g, ' ')
  const text = `${stored.mime_type.startsWith('image/') ? '!' : ''}[[file:${stored.id}|${label}]]`
  const headers = { 'Idempotency-Key': `shared ${id} ${stored.id}` }
  await request('POST', `/v1/notes/${id}/append`, { body: { text }, headers })
}

/** Continues with earlier shared content, and shows a notice for content that needs confirmation. */
export async function adoptShared(): Promise<void> {
  if (!(await caches.has(SHARED))) return
  for (const { url } of await (await cache()).keys()) {
    const id = new URL(url).pathname.slice(PATH.length)
    const shared = await (await cache()).match(url)
    if (!shared) continue
    if (shared.headers.has(MADE) || isTrusted(shared))
      await takeShared(id, async () => undefined).catch(() => undefined)
    else if (search.peek().get('shared') !== id) setShareNotice(id, true)
  }
}

/** Discards all shared content without a note. */
export const emptyShared = async (): Promise<void> => void (await caches.delete(SHARED))
