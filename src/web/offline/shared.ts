import { freeName } from '../data/file-names.ts'
import { createDocument, saveDocument } from '../data/note-documents.ts'
import { setNotice } from '../data/pending.ts'
import { request } from '../data/request.ts'
import { address, search } from '../router.ts'
import type { SharedNote } from './ask-shared.tsx'
import { KEY, OWN, SHARE, SHARED } from './shared-cache.ts'

/*
 * What was shared with the application: the service worker keeps it until it is in a note, under the id that the note has.
 * Every step can be done again, as the page may be left between any two.
 */

const PATH = `${SHARE}/`
/** On what is kept: that the note with its text is made, so that only its files are missing. */
const MADE = 'X-Note'

interface Stored {
  readonly id: string
  readonly file_name: string
  readonly mime_type: string
}

const cache = () => caches.open(SHARED)

/**
 * Whether it was sent to the address that the manifest gave the system, or by the application; else by a page of any
 * site.
 */
function isTrusted(shared: Response): boolean {
  if (shared.headers.has(OWN)) return true
  const cookies = new Map(document.cookie.split('; ').map((one) => one.split('=') as [string, string]))
  const key = cookies.get('__Host-daybook_share') ?? cookies.get('daybook_share')
  return key !== undefined && shared.headers.get(KEY) === key
}

/**
 * Makes a note of what was shared, if it is not made yet, and goes on with its files in the background; asks first where
 * any site may have sent it. Returns whether there is a note.
 */
export async function takeShared(id: string): Promise<boolean> {
  const shared = await (await cache()).match(PATH + id)
  if (!shared) return true
  if (!shared.headers.has(MADE)) {
    const body = await shared.blob()
    const note = noteOf(await new Response(body, { headers: shared.headers }).formData())
    const isKept = isTrusted(shared) || (await askWhetherKept(note))
    tellToBeKept(id, isKept === undefined)
    if (isKept === false) await (await cache()).delete(PATH + id)
    if (!isKept) return false
    await makeNote(id, note, shared, body)
  }
  attachFiles(id).catch(() => undefined)
  return true
}

/** Says on every screen where one is asked whether something is to be kept, or that no more. */
const tellToBeKept = (id: string, isOpen: boolean): void =>
  setNotice(
    `shared ${id}`,
    isOpen ? 'Something that was shared with daybook is in no note yet.' : undefined,
    address(['new'], { shared: id }),
  )

const askWhetherKept = async (note: SharedNote) => (await import('./ask-shared.tsx')).askWhetherKept(note)

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

/** The files, each by a name of its own: phones often give several pictures the same. */
function filesOf(form: FormData): File[] {
  const taken = new Set<string>()
  return form
    .getAll('files')
    .filter((file): file is File => file instanceof File && file.name !== '')
    .map((file) => new File([file], freeName(taken, file.name), { type: file.type }))
}

/** Attaches the files to the note, those that are not there yet; what cannot be sent now is sent at the next start. */
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

/** Takes up what was shared before and is not in its note yet; says where one is asked whether it is to be kept. */
export async function takeUpShared(): Promise<void> {
  if (!(await caches.has(SHARED))) return
  for (const { url } of await (await cache()).keys()) {
    const id = new URL(url).pathname.slice(PATH.length)
    const shared = await (await cache()).match(url)
    if (!shared) continue
    if (shared.headers.has(MADE) || isTrusted(shared)) await takeShared(id).catch(() => undefined)
    else if (search.peek().get('shared') !== id) tellToBeKept(id, true)
  }
}

/** Gives up all that was shared and is in no note yet. */
export const emptyShared = async (): Promise<void> => void (await caches.delete(SHARED))
