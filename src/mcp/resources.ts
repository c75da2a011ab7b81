import { type AppContext, type Caller, callerOf, placeFor } from '../context.ts'
import { listNotes } from '../notes/query/list.ts'
import { findNote } from '../notes/store.ts'
import { noteUri, parsedBody } from './tool.ts'
import type { NotePage } from './tools/notes-read.ts'

/*
 * Notes as resources, which a person attaches to a conversation.
 */

const MIME_TYPE = 'text/markdown'
const PAGE = 100
const PREFIX = noteUri('')
const NOTES = { covers: 'notes', isWrite: false, isNamed: false } as const

export const RESOURCE_TEMPLATES = [
  {
    uriTemplate: noteUri('{id}'),
    name: 'note',
    title: 'Note',
    description: 'The text of a note.',
    mimeType: MIME_TYPE,
  },
]

/** A page of notes, newest edit first; undefined for a cursor that this server has not returned. */
export async function listResources(ctx: AppContext, agent: Caller, cursor = '0') {
  const caller = callerOf(agent, NOTES)
  if (!/^\d{1,9}$/.test(cursor)) return undefined
  const offset = Number(cursor)
  const query = { limit: PAGE, offset, content: false }
  const { notes, total } = parsedBody<NotePage>(await ctx.kernel.callAs(caller, listNotes, query))
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
}

/** The text of a note under its title; undefined for any other address. */
export function readResource({ db }: AppContext, caller: Caller, uri: string) {
  const { workspacePk } = placeFor(caller, 'notes')
  const note = uri.startsWith(PREFIX) ? findNote(db, workspacePk, uri.slice(PREFIX.length)) : undefined
  return note && { contents: [{ uri, mimeType: MIME_TYPE, text: `# ${note.title}\n\n${note.content}` }] }
}
