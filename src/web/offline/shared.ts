import { freeName } from '../data/file-names.ts'
import { makeDocument, saveDocument } from '../data/note-documents.ts'
import { request } from '../data/request.ts'

/*
 * What was shared with the application: the service worker keeps it until it is in a note, under the id that the note has.
 * Every step can be done again, as the page may be left between any two.
 */

/** The cache in which the service worker puts it. */
const SHARED = 'daybook-shared'
const PATH = '/app/share/'
/** On what is kept: that the note with its text is made, so that only its files are missing. */
const MADE = 'X-Note'

interface Stored {
  readonly id: string
  readonly file_name: string
  readonly mime_type: string
}

const cache = () => caches.open(SHARED)

/** Makes a note of what was shared, if it is not made yet, and goes on with its files in the background. */
export async function takeShared(id: string): Promise<void> {
  const shared = await (await cache()).match(PATH + id)
  if (!shared) return
  if (!shared.headers.has(MADE)) await makeNote(id, shared)
  attachFiles(id).catch(() => undefined)
}

async function makeNote(id: string, shared: Response): Promise<void> {
  const body = await shared.blob()
  const form = await new Response(body, { headers: shared.headers }).formData()
  const part = (name: string) => String(form.get(name) ?? '').trim()
  const [file] = filesOf(form)
  const title = part('title').replace(/\s+/g, ' ').slice(0, 200) || file?.name || 'New note'
  const content = [...new Set([part('text'), part('url')])].filter(Boolean).join('\n')
  makeDocument(id, { title, content }, [])
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

/** Takes up what was shared before and is not in its note yet. */
export async function takeUpShared(): Promise<void> {
  if (!(await caches.has(SHARED))) return
  for (const { url } of await (await cache()).keys()) {
    const id = new URL(url).pathname.slice(PATH.length)
    await takeShared(id).catch(() => undefined)
  }
}

/** Gives up all that was shared and is in no note yet. */
export const emptyShared = async (): Promise<void> => void (await caches.delete(SHARED))
