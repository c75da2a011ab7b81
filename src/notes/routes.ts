import { Elysia } from 'elysia'
import type { AppContext } from '../context.ts'
import { respondOnce } from '../http/idempotency/respond-once.ts'
import { pageRequest, presentPage } from '../http/page.ts'
import { keyed } from '../http/request-context.ts'
import { NoBody, NoQuery } from '../http/schema/types.ts'
import { getLinks } from './links/links.ts'
import {
  presentCreated,
  presentFound,
  presentLinks,
  presentNote,
  presentRevision,
  presentTrashed,
} from './present.ts'
import { getNote, getProperties, listNotes } from './query/list.ts'
import { queryNotes } from './query/tree-query.ts'
import * as schema from './schema.ts'
import { appendToNote, editNote } from './writing/append-and-edit.ts'
import { createNote, patchNote } from './writing/create.ts'
import { addTags, removeTag, setProperties } from './writing/labels.ts'
import { listRevisions, restoreRevision } from './writing/revisions.ts'
import { listTrash, restoreNote, trashNote } from './writing/trash.ts'

const tags = ['Notes']

export const noteRoutes = (ctx: AppContext) =>
  new Elysia({ prefix: '/v1/notes' })
    .use(keyed())
    .get(
      '/',
      async ({ caller, query }) => {
        const page = await listNotes(ctx, caller, query)
        return { notes: page.items.map(presentFound), ...presentPage(query, page) }
      },
      {
        query: schema.ListQuery,
        response: schema.NotesAnswer,
        detail: { operationId: 'listNotes', tags, summary: 'List or search notes' },
      },
    )
    .post(
      '/',
      ({ caller, request, body }) =>
        respondOnce(ctx.db, request, (tx) => presentCreated(createNote(tx, caller, body))),
      {
        write: true,
        creates: true,
        query: NoQuery,
        body: schema.CreateBody,
        response: { 201: schema.CreatedNoteAnswer },
        detail: { operationId: 'createNote', tags, summary: 'Create a note' },
      },
    )
    .post(
      '/query',
      async ({ caller, body }) => {
        const page = await queryNotes(ctx, caller, body)
        return { notes: page.items.map(presentFound), ...presentPage(body, page) }
      },
      {
        query: NoQuery,
        body: schema.QueryBody,
        response: schema.NotesAnswer,
        detail: {
          operationId: 'queryNotes',
          tags,
          summary: 'Notes that match a filter tree, newest edit first or ranked by a search',
        },
      },
    )
    .get(
      '/trash',
      ({ caller, query }) => {
        const page = listTrash(ctx.db, caller, pageRequest(query))
        return { notes: page.items.map(presentTrashed), ...presentPage(query, page) }
      },
      {
        query: schema.TrashQuery,
        response: schema.TrashAnswer,
        detail: {
          operationId: 'listTrash',
          tags,
          summary: 'List trashed notes, most recently deleted first',
        },
      },
    )
    .get('/:id', ({ caller, params }) => ({ note: presentNote(getNote(ctx.db, caller, params.id)) }), {
      query: NoQuery,
      response: schema.NoteAnswer,
      detail: { operationId: 'getNote', tags, summary: 'Read a note' },
    })
    .patch(
      '/:id',
      async ({ caller, params, body }) => ({
        note: presentNote(await patchNote(ctx, caller, params.id, body)),
      }),
      {
        write: true,
        query: NoQuery,
        body: schema.PatchBody,
        response: schema.NoteAnswer,
        detail: {
          operationId: 'updateNote',
          tags,
          summary: 'Change a note; `content` replaces the whole body',
        },
      },
    )
    .delete(
      '/:id',
      async ({ caller, params }) => {
        await trashNote(ctx, caller, params.id)
        return { trashed: true, id: params.id }
      },
      {
        write: true,
        query: NoQuery,
        body: NoBody,
        response: schema.TrashedAnswer,
        detail: { operationId: 'trashNote', tags, summary: 'Put a note into the trash for 30 days' },
      },
    )
    .post(
      '/:id/append',
      async ({ caller, params, body }) => ({
        note: presentNote(await appendToNote(ctx, caller, params.id, body)),
      }),
      {
        write: true,
        query: NoQuery,
        body: schema.AppendBody,
        response: schema.NoteAnswer,
        detail: { operationId: 'appendToNote', tags, summary: 'Add text to the end of a note' },
      },
    )
    .post(
      '/:id/edit',
      async ({ caller, params, body }) => ({
        note: presentNote(await editNote(ctx, caller, params.id, body)),
      }),
      {
        write: true,
        query: NoQuery,
        body: schema.EditBody,
        response: schema.NoteAnswer,
        detail: { operationId: 'editNote', tags, summary: 'Replace one exact passage of a note' },
      },
    )
    .post(
      '/:id/restore',
      async ({ caller, params }) => ({ note: presentNote(await restoreNote(ctx, caller, params.id)) }),
      {
        write: true,
        query: NoQuery,
        body: NoBody,
        response: schema.NoteAnswer,
        detail: { operationId: 'restoreNote', tags, summary: 'Take a note out of the trash' },
      },
    )
    .get(
      '/:id/properties',
      ({ caller, params }) => ({ properties: getProperties(ctx.db, caller, params.id) }),
      {
        query: NoQuery,
        response: schema.NotePropertiesAnswer,
        detail: { operationId: 'getNoteProperties', tags, summary: 'Read the property values of a note' },
      },
    )
    .patch(
      '/:id/properties',
      async ({ caller, params, body }) => ({ properties: await setProperties(ctx, caller, params.id, body) }),
      {
        write: true,
        query: NoQuery,
        body: schema.PropertiesBody,
        response: schema.NotePropertiesAnswer,
        detail: {
          operationId: 'updateNoteProperties',
          tags,
          summary: 'Set or clear property values, all or none',
        },
      },
    )
    .post(
      '/:id/tags',
      async ({ caller, params, body }) => ({
        note: presentNote(await addTags(ctx, caller, params.id, body.tags)),
      }),
      {
        write: true,
        query: NoQuery,
        body: schema.TagsBody,
        response: schema.NoteAnswer,
        detail: { operationId: 'addNoteTags', tags, summary: 'Put tags on a note' },
      },
    )
    .delete(
      '/:id/tags/:name',
      async ({ caller, params }) => ({
        note: presentNote(await removeTag(ctx, caller, params.id, params.name)),
      }),
      {
        write: true,
        query: NoQuery,
        body: NoBody,
        response: schema.NoteAnswer,
        detail: {
          operationId: 'removeNoteTag',
          tags,
          summary: 'Take a tag off a note; the tag itself stays',
        },
      },
    )
    .get('/:id/links', async ({ caller, params }) => presentLinks(await getLinks(ctx, caller, params.id)), {
      query: NoQuery,
      response: schema.LinksAnswer,
      detail: {
        operationId: 'getNoteLinks',
        tags,
        summary: 'Outgoing links and backlinks, resolved as of now',
      },
    })
    .get(
      '/:id/revisions',
      ({ caller, params, query }) => ({
        revisions: listRevisions(ctx.db, caller, params.id, pageRequest(query).limit).map(presentRevision),
      }),
      {
        query: schema.RevisionsQuery,
        response: schema.RevisionsAnswer,
        detail: { operationId: 'listNoteRevisions', tags, summary: 'What edits replaced, newest first' },
      },
    )
    .post(
      '/:id/revisions/:revisionId/restore',
      async ({ caller, params }) => ({
        note: presentNote(await restoreRevision(ctx, caller, params.id, params.revisionId)),
      }),
      {
        write: true,
        query: NoQuery,
        body: NoBody,
        response: schema.NoteAnswer,
        detail: {
          operationId: 'restoreNoteRevision',
          tags,
          summary: 'Set title and body back to a revision',
        },
      },
    )
