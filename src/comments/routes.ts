import { endpoints } from '../http/endpoints.ts'
import { readInbox, readInboxItems } from './inbox.ts'
import { listComments } from './list.ts'
import * as schema from './schema.ts'
import { createComment, deleteComment, patchComment, readComment } from './service.ts'

export const commentRoutes = () =>
  endpoints('Comments', '/v1/comments', 'several')
    .get('', ({ exchange, query }) => exchange.call(listComments, query), {
      access: 'read',
      query: schema.CommentsQuery,
      response: schema.CommentsResponse,
      operationId: 'listComments',
      summary: 'List the comments of a note or row, oldest first',
      description:
        'Give exactly one of `note_id` and `record_id`. Callers who can read the object can read its comments. While the object is in the trash or deleted, so are its comments.',
    })
    .post('', ({ exchange, body }) => exchange.create(createComment, { body }), {
      access: 'write',
      once: true,
      body: schema.CreateCommentBody,
      response: schema.CommentResponse,
      operationId: 'createComment',
      summary: 'Comment on a note, a passage of it, or a row, or reply',
      description:
        'Give exactly one of `note_id`, `record_id` and `thread`. Read access to the object is enough; read-only keys and viewers cannot comment. Mentioned members, and for a reply the members who take part in the thread, find it in their inbox. At most 1,000 comments an object and 50 mentions a comment.',
    })
    .get('/:id', ({ exchange, params }) => exchange.call(readComment, params), {
      access: 'read',
      entity: true,
      response: schema.CommentResponse,
      operationId: 'getComment',
      summary: 'Read a comment',
      description: 'Not found while its note or row is deleted.',
    })
    .patch('/:id', ({ exchange, params, body }) => exchange.call(patchComment, { ...params, body }), {
      access: 'write',
      entity: true,
      body: schema.PatchCommentBody,
      response: schema.CommentResponse,
      operationId: 'updateComment',
      summary: 'Change a comment, or resolve its thread',
      description:
        '`text` is changed by its author, or with write access to the object; `resolved` by every caller who can comment. Members that a new text mentions find it in their inbox.',
    })
    .delete('/:id', ({ exchange, params }) => exchange.call(deleteComment, params), {
      access: 'write',
      entity: true,
      response: schema.DeletedCommentResponse,
      operationId: 'deleteComment',
      summary: 'Delete a comment and the replies to it',
      description: 'By its author, or with write access to the object. Undo brings them back.',
    })

export const inboxRoutes = () =>
  endpoints('Comments', '/v1/inbox', 'several')
    .get('', ({ exchange, query }) => exchange.call(readInbox, query), {
      access: 'read',
      query: schema.InboxQuery,
      response: schema.InboxResponse,
      operationId: 'readInbox',
      summary: 'Mentions of you, and replies to your threads',
      description:
        'The inbox of the user of the key or session, newest first: the last 1,000 comments that mention the user, or reply in a thread in which the user takes part. Comments that the caller cannot read are left out.',
    })
    .post('/read', ({ exchange, body }) => exchange.call(readInboxItems, { body }), {
      access: 'read',
      body: schema.ReadInboxBody,
      response: schema.ReadInboxResponse,
      operationId: 'markInboxRead',
      summary: 'Mark comments in the inbox as read',
      description: 'The marks belong to the user alone, so that a read-only key and a viewer can set them.',
    })
