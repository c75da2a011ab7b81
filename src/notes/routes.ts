import type { AppContext, Caller } from '../context.ts'
import { endpoints } from '../http/endpoints.ts'
import type { Exchange } from '../http/exchange.ts'
import { listResponse } from '../http/responses.ts'
import { repeatWrite } from '../kernel/repeated.ts'
import { pageRequest } from '../lib/pagination.ts'
import { refreshLinks } from './links/indexing.ts'
import { readLinks } from './links/note-links.ts'
import * as operations from './operations.ts'
import { listNotes } from './query/list.ts'
import { listMentions } from './query/mentions.ts'
import { queryNotes } from './query/tree-query.ts'
import * as schema from './schema.ts'
import { refreshSearch } from './search/indexing.ts'
import { listRevisions, presentRevision } from './writing/revisions.ts'

const OK = 200

export function noteRoutes(ctx: AppContext) {
  /** For a search, reads only after all earlier writes can be found. */
  const searching = async (
    { workspacePk }: Caller,
    { search }: { search?: string | undefined },
    read: () => Response | Promise<Response>,
  ): Promise<Response> => {
    if (search !== undefined) await refreshSearch(ctx, workspacePk)
    return read()
  }
  return endpoints('Notes', '/v1/notes', 'notes')
    .get(
      '',
      ({ exchange, caller, query }) => searching(caller, query, () => exchange.call(listNotes, query)),
      {
        access: 'read',
        query: schema.ListQuery,
        response: schema.ListResponse,
        operationId: 'listNotes',
        summary: 'List or search notes',
        description:
          'Without `search` the newest edit comes first; with it, the best match, unless `sort` is given. A tag that does not exist gives an empty list. `content=false` leaves the bodies out.',
      },
    )
    .post('', ({ exchange, body }) => exchange.create(operations.createNote, { body }), {
      access: 'write',
      once: true,
      body: schema.CreateBody,
      response: schema.CreatedNoteResponse,
      operationId: 'createNote',
      summary: 'Create a note',
      description:
        'Tags that do not exist are created; with `preset` the note begins with what that holds. Property values that are refused do not stop the note: it is created without any of them, and `properties_error` says why.',
    })
    .post(
      '/query',
      ({ exchange, caller, body }) => searching(caller, body, () => exchange.call(queryNotes, { body })),
      {
        access: 'read',
        body: schema.QueryBody,
        response: schema.NotesResponse,
        operationId: 'queryNotes',
        summary: 'Notes that match a filter tree, newest edit first or ranked by a search',
        description: schema.QUERY_DESCRIPTION,
      },
    )
    .get('/trash', ({ exchange, query }) => exchange.call(operations.readTrash, query), {
      access: 'read',
      query: schema.TrashQuery,
      response: schema.TrashResponse,
      operationId: 'listTrash',
      summary: 'List trashed notes, most recently deleted first',
      description: 'A note stays in the trash for 30 days and is then removed for good.',
    })
    .delete('/trash', async ({ exchange }) => ({ purged: await emptyTrash(ctx, exchange) }), {
      access: 'write',
      response: schema.PurgedResponse,
      operationId: 'emptyTrash',
      summary: 'Delete every note in the trash for good',
      description: 'Their revisions go with them; their files stay in the workspace. This cannot be undone.',
    })
    .get('/trash/:id', ({ exchange, params }) => exchange.call(operations.readTrashedNote, params), {
      access: 'read',
      response: schema.NoteResponse,
      operationId: 'getTrashedNote',
      summary: 'Read a note in the trash',
      description: 'As it was when it was deleted.',
    })
    .delete(
      '/trash/:id',
      async ({ exchange, params }) => {
        await repeatWrite(
          ctx.db,
          () => exchange.outputOf(operations.purgeTrashedNote, params),
          ({ isGone }) => !isGone,
        )
        return { deleted: true, id: params.id }
      },
      {
        access: 'write',
        response: schema.DeletedNoteResponse,
        operationId: 'purgeNote',
        summary: 'Delete a note in the trash for good',
        description: 'Its revisions go with it; its files stay in the workspace. This cannot be undone.',
      },
    )
    .get('/:id', ({ exchange, params }) => exchange.call(operations.readNote, params), {
      access: 'read',
      entity: true,
      response: schema.NoteResponse,
      operationId: 'getNote',
      summary: 'Read a note',
      description: 'A note in the trash is not found here; see `GET /v1/notes/trash`.',
    })
    .patch(
      '/:id',
      async ({ exchange, caller, params, body }) => {
        if (body.rewrite_links) await refreshLinks(ctx, caller)
        const operation = body.rewrite_links ? operations.renameNote : operations.updateNote
        return exchange.create(operation, { ...params, body }, OK)
      },
      {
        access: 'write',
        entity: true,
        once: true,
        body: schema.PatchBody,
        response: { 200: schema.PatchedNoteResponse },
        operationId: 'updateNote',
        summary: 'Change a note; `content` replaces the whole body',
        description:
          'Only what is sent changes; `tags` are added to those the note carries. With `if_unchanged` the call is refused (409) when the note changed since it was read. A new title or content makes a revision. A new title or alias leaves the links of other notes as they are, unless `rewrite_links` is true.',
      },
    )
    .delete('/:id', ({ exchange, params }) => exchange.call(operations.trashNote, params), {
      access: 'write',
      entity: true,
      response: schema.TrashedResponse,
      operationId: 'trashNote',
      summary: 'Put a note into the trash for 30 days',
      description:
        'Links to the note are unresolved and its Quick Access item is gone until it is restored; the item does not come back.',
    })
    .post(
      '/:id/append',
      ({ exchange, params, body }) => exchange.call(operations.appendToNote, { ...params, body }),
      {
        access: 'write',
        entity: true,
        body: schema.AppendBody,
        response: schema.NoteResponse,
        operationId: 'appendToNote',
        summary: 'Add text to the end of a note',
        description:
          'Needs no read before: what is there stays byte for byte. One blank line separates the old text from the new. A heading that is the last one in the note already is not repeated.',
      },
    )
    .post(
      '/:id/edit',
      ({ exchange, params, body }) => exchange.call(operations.editNote, { ...params, body }),
      {
        access: 'write',
        entity: true,
        body: schema.EditBody,
        response: schema.NoteResponse,
        operationId: 'editNote',
        summary: 'Replace one exact passage of a note',
        description:
          '`old_str` must occur exactly once, else nothing changes and the call is refused; the rest of the note stays byte for byte.',
      },
    )
    .post('/:id/restore', ({ exchange, params }) => exchange.call(operations.restoreNote, params), {
      access: 'write',
      response: schema.NoteResponse,
      operationId: 'restoreNote',
      summary: 'Take a note out of the trash',
      description:
        'Links come back. An alias is kept only if no other note took it meanwhile. A note that is not in the trash is not found.',
    })
    .get('/:id/properties', ({ exchange, params }) => exchange.call(operations.readNoteProperties, params), {
      access: 'read',
      response: schema.NotePropertiesResponse,
      operationId: 'getNoteProperties',
      summary: 'Read the property values of a note',
      description: 'Only properties with a value, by key.',
    })
    .patch(
      '/:id/properties',
      ({ exchange, params, body }) => exchange.call(operations.updateNoteProperties, { ...params, body }),
      {
        access: 'write',
        entity: true,
        body: schema.PropertiesBody,
        response: schema.NotePropertiesResponse,
        operationId: 'updateNoteProperties',
        summary: 'Set or clear property values, all or none',
        description: 'An unknown key or a value that does not fit its type refuses the whole call.',
      },
    )
    .post(
      '/:id/tags',
      ({ exchange, params, body }) => exchange.call(operations.addNoteTags, { ...params, body }),
      {
        access: 'write',
        entity: true,
        body: schema.TagsBody,
        response: schema.NoteResponse,
        operationId: 'addNoteTags',
        summary: 'Put tags on a note',
        description: 'Tags that do not exist are created; tags linked to one of these come along.',
      },
    )
    .delete('/:id/tags/:name', ({ exchange, params }) => exchange.call(operations.removeNoteTag, params), {
      access: 'write',
      response: schema.NoteResponse,
      operationId: 'removeNoteTag',
      summary: 'Take a tag off a note; the tag itself stays',
      description:
        'A tag that the note does not carry changes nothing; one that does not exist is not found.',
    })
    .get(
      '/:id/links',
      async ({ exchange, caller, params, query }) => {
        await refreshLinks(ctx, caller)
        return exchange.call(readLinks, { ...params, ...query })
      },
      {
        access: 'read',
        query: schema.LinksQuery,
        response: schema.LinksResponse,
        operationId: 'getNoteLinks',
        summary: 'Outgoing links and backlinks, resolved as of now',
        description:
          'A target is a note id, an alias or a title, ignoring case, and may go on with a heading, as in `[[Title#Heading]]`; `[[#Heading]]` leads to the note itself. Outgoing links are in the order of the text, unresolved ones with `note` null.',
      },
    )
    .get(
      '/:id/mentions',
      async ({ exchange, caller, params, query }) => {
        await refreshSearch(ctx, caller.workspacePk)
        return exchange.call(listMentions, { ...params, ...query })
      },
      {
        access: 'read',
        query: schema.MentionsQuery,
        response: schema.MentionsResponse,
        operationId: 'listNoteMentions',
        summary: 'Notes whose text names this one without a link',
        description:
          'By its title or an alias, as whole words, ignoring case; what is in code or in a link does not count. The newest edit comes first.',
      },
    )
    .get(
      '/:id/revisions',
      ({ exchange, caller, params, query }) => {
        const revisions = listRevisions(ctx.db, caller, params.id, pageRequest(query).limit)
        return listResponse(exchange, 'revisions', revisions, presentRevision)
      },
      {
        access: 'read',
        query: schema.RevisionsQuery,
        response: schema.RevisionsResponse,
        operationId: 'listNoteRevisions',
        summary: 'List earlier versions of a note, newest first',
        description:
          'Every change of title or content leaves a revision of what it replaced, kept for 7 days.',
      },
    )
    .post(
      '/:id/revisions/:revisionId/restore',
      ({ exchange, params }) => exchange.call(operations.restoreNoteRevision, params),
      {
        access: 'write',
        response: schema.NoteResponse,
        operationId: 'restoreNoteRevision',
        summary: 'Set title and body back to a revision',
        description: 'The current title and body become a revision, so that this can be undone.',
      },
    )
}

/** Purges every trashed note, in as many transactions as needed; returns their number. */
async function emptyTrash({ db }: AppContext, exchange: Exchange): Promise<number> {
  let purged = 0
  const purgeSome = async (last: { readonly end: number; readonly isEmpty: boolean } | undefined) => {
    const output = await exchange.outputOf(operations.emptyTrash, last ? { end: last.end } : {})
    purged += output.purged
    return output
  }
  await repeatWrite(db, purgeSome, ({ isEmpty }) => !isEmpty)
  return purged
}
