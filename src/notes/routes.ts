import type { AppContext } from '../context.ts'
import { respondOnce } from '../http/idempotency/respond-once.ts'
import { pageRequest, presentPage } from '../http/page.ts'
import { jsonResponse, listResponse } from '../http/responses.ts'
import { routes } from '../http/routes.ts'
import { getLinks } from './links/links.ts'
import { presentCreated, presentNote, presentRevision, presentTrashed } from './present.ts'
import { listNotes } from './query/list.ts'
import { queryNotes } from './query/tree-query.ts'
import * as schema from './schema.ts'
import { getNote } from './store.ts'
import { appendToNote, editNote } from './writing/append-and-edit.ts'
import { createNote } from './writing/create.ts'
import { getProperties, setProperties } from './writing/properties.ts'
import { listRevisions, restoreRevision } from './writing/revisions.ts'
import { removeTag } from './writing/tags.ts'
import { listTrash, restoreNote, trashNote } from './writing/trash.ts'
import { patchNote } from './writing/update.ts'

export const noteRoutes = (ctx: AppContext) =>
  routes('Notes', '/v1/notes')
    .get(
      '/',
      'listNotes',
      'List or search notes',
      async ({ caller, query }) => jsonResponse(await listNotes(ctx, caller, query)),
      { query: schema.ListQuery, response: schema.NotesResponse },
    )
    .post(
      '/',
      'createNote',
      'Create a note',
      (request) =>
        respondOnce(ctx.db, request, (tx) => presentCreated(createNote(tx, request.caller, request.body))),
      { write: true, creates: true, body: schema.CreateBody, response: schema.CreatedNoteResponse },
    )
    .post(
      '/query',
      'queryNotes',
      'Notes that match a filter tree, newest edit first or ranked by a search',
      async ({ caller, body }) => jsonResponse(await queryNotes(ctx, caller, body)),
      { body: schema.QueryBody, response: schema.NotesResponse },
    )
    .get(
      '/trash',
      'listTrash',
      'List trashed notes, most recently deleted first',
      ({ caller, query }) => {
        const page = listTrash(ctx.db, caller, pageRequest(query))
        return { notes: page.items.map(presentTrashed), ...presentPage(query, page) }
      },
      { query: schema.TrashQuery, response: schema.TrashResponse },
    )
    .get(
      '/:id',
      'getNote',
      'Read a note',
      ({ caller, params }) => ({ note: presentNote(getNote(ctx.db, caller, params.id)) }),
      { response: schema.NoteResponse },
    )
    .patch(
      '/:id',
      'updateNote',
      'Change a note; `content` replaces the whole body',
      async ({ caller, params, body }) => ({
        note: presentNote(await patchNote(ctx, caller, params.id, body)),
      }),
      { write: true, body: schema.PatchBody, response: schema.NoteResponse },
    )
    .delete(
      '/:id',
      'trashNote',
      'Put a note into the trash for 30 days',
      async ({ caller, params }) => {
        await trashNote(ctx, caller, params.id)
        return { trashed: true, id: params.id }
      },
      { write: true, response: schema.TrashedResponse },
    )
    .post(
      '/:id/append',
      'appendToNote',
      'Add text to the end of a note',
      async ({ caller, params, body }) => ({
        note: presentNote(await appendToNote(ctx, caller, params.id, body)),
      }),
      { write: true, body: schema.AppendBody, response: schema.NoteResponse },
    )
    .post(
      '/:id/edit',
      'editNote',
      'Replace one exact passage of a note',
      async ({ caller, params, body }) => ({
        note: presentNote(await editNote(ctx, caller, params.id, body)),
      }),
      { write: true, body: schema.EditBody, response: schema.NoteResponse },
    )
    .post(
      '/:id/restore',
      'restoreNote',
      'Take a note out of the trash',
      async ({ caller, params }) => ({ note: presentNote(await restoreNote(ctx, caller, params.id)) }),
      { write: true, response: schema.NoteResponse },
    )
    .get(
      '/:id/properties',
      'getNoteProperties',
      'Read the property values of a note',
      ({ caller, params }) => ({ properties: getProperties(ctx.db, caller, params.id) }),
      { response: schema.NotePropertiesResponse },
    )
    .patch(
      '/:id/properties',
      'updateNoteProperties',
      'Set or clear property values, all or none',
      async ({ caller, params, body }) => ({ properties: await setProperties(ctx, caller, params.id, body) }),
      { write: true, body: schema.PropertiesBody, response: schema.NotePropertiesResponse },
    )
    .post(
      '/:id/tags',
      'addNoteTags',
      'Put tags on a note',
      async ({ caller, params, body }) => ({
        note: presentNote(await patchNote(ctx, caller, params.id, { tags: body.tags })),
      }),
      { write: true, body: schema.TagsBody, response: schema.NoteResponse },
    )
    .delete(
      '/:id/tags/:name',
      'removeNoteTag',
      'Take a tag off a note; the tag itself stays',
      async ({ caller, params }) => ({
        note: presentNote(await removeTag(ctx, caller, params.id, params.name)),
      }),
      { write: true, response: schema.NoteResponse },
    )
    .get(
      '/:id/links',
      'getNoteLinks',
      'Outgoing links and backlinks, resolved as of now',
      async ({ caller, params }) => jsonResponse(await getLinks(ctx, caller, params.id)),
      { response: schema.LinksResponse },
    )
    .get(
      '/:id/revisions',
      'listNoteRevisions',
      'What edits replaced, newest first',
      ({ caller, params, query }) =>
        listResponse(
          'revisions',
          listRevisions(ctx.db, caller, params.id, pageRequest(query).limit),
          presentRevision,
        ),
      { query: schema.RevisionsQuery, response: schema.RevisionsResponse },
    )
    .post(
      '/:id/revisions/:revisionId/restore',
      'restoreNoteRevision',
      'Set title and body back to a revision',
      async ({ caller, params }) => ({
        note: presentNote(await restoreRevision(ctx, caller, params.id, params.revisionId)),
      }),
      { write: true, response: schema.NoteResponse },
    )
