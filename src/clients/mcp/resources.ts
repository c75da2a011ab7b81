import { read } from '../../kernel/operation.ts'
import { listNotes } from '../../notes/query/list.ts'
import { findNote } from '../../notes/store.ts'
import { type Agent, noteUri, parsedBody } from './tool.ts'
import type { NotePage } from './tools/notes-read.ts'

/*
 * Notes as resources, which users attach to a conversation.
 */

const MIME_TYPE = 'text/markdown'
const PAGE = 100
const PREFIX = noteUri('')

export const RESOURCE_TEMPLATES = [
  {
    uriTemplate: noteUri('{id}'),
    name: 'note',
    title: 'Note',
    description: 'The text of a note.',
    mimeType: MIME_TYPE,
  },
]

export const readNotesFrom = read({
  name: 'mcp.resources',
  covers: 'notes',
  run: (snapshot, caller, { offset }: { offset: number }) => {
    const query = { limit: PAGE, offset, content: false }
    const { notes, total } = parsedBody<NotePage>(listNotes.run(snapshot, caller, query))
    const next = offset + notes.length
    return {
      resources: notes.map(({ id, title, updated_at }) => ({
        uri: noteUri(id),
        name: title,
        mimeType: MIME_TYPE,
        annotations: { lastModified: updated_at },
      })),
      ...(notes.length > 0 && next < total && { nextCursor: String(next) }),
    }
  },
})

/** A page of notes, newest edit first; undefined for a cursor that this server has not returned. */
export const listResources = async ({ call }: Agent, cursor = '0') =>
  /^\d{1,9}$/.test(cursor) ? call(readNotesFrom, { offset: Number(cursor) }) : undefined

export const readNoteText = read({
  name: 'mcp.resource',
  covers: 'notes',
  run: (snapshot, { workspacePk }, { id }: { id: string }) => {
    const note = findNote(snapshot, workspacePk, id)
    return note ? { text: `# ${note.title}\n\n${note.content}` } : {}
  },
})

/** The text of a note below its title; undefined for any other address. */
export async function readResource({ call }: Agent, uri: string) {
  if (!uri.startsWith(PREFIX)) return undefined
  const { text } = await call(readNoteText, { id: uri.slice(PREFIX.length) })
  return text === undefined ? undefined : { contents: [{ uri, mimeType: MIME_TYPE, text }] }
}
