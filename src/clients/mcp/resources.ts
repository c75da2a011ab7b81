import { read } from '../../kernel/operation.ts'
import { listNotes } from '../../notes/query/list.ts'
import { findNote } from '../../notes/store.ts'
import { START } from '../../storage/page-cursors.ts'
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

interface ListedNotes extends Pick<NotePage, 'notes'> {
  readonly next_cursor: string | null
}

/** A page of notes, newest edit first. */
export const listResources = read({
  name: 'mcp.resources',
  covers: 'notes',
  run: (snapshot, caller, { cursor = START }: { cursor?: string }) => {
    const query = { limit: PAGE, cursor, content: false }
    const { notes, next_cursor } = parsedBody<ListedNotes>(listNotes.run(snapshot, caller, query))
    return {
      resources: notes.map(({ id, title, updated_at }) => ({
        uri: noteUri(id),
        name: title,
        mimeType: MIME_TYPE,
        annotations: { lastModified: updated_at },
      })),
      ...(next_cursor !== null && { nextCursor: next_cursor }),
    }
  },
  learn: listNotes.learn,
})

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
