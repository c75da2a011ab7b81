import { t } from '../http/schema/types.ts'
import { NOTICE_REASONS } from '../storage/schema/comments.ts'

const MAX_PAGE = 200
const ID_EXAMPLE = '01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60'

export const MAX_TEXT = 10_000
const MAX_PASSAGE = 1_000
const MAX_CONTEXT = 200

const person = (description: string, more: object = {}) =>
  t.strict(
    {
      id: t.nullable(t.id(), { description: 'null for an imported name that no user here has.' }),
      name: t.String({ examples: ['Ada'] }),
    },
    { description, ...more },
  )

const Passage = t.strict(
  {
    text: t.String({ examples: ['the engine'] }),
    before: t.String({ examples: ['Ask about '] }),
    after: t.String({ examples: [' and the mill.'] }),
  },
  {
    description:
      'The passage of the note when the comment was written, with up to 40 characters on each side. Search for them to find it again after edits.',
  },
)

export const Comment = t.strict(
  {
    id: t.id(),
    note_id: t.nullable(t.id(), { description: 'The note, for a comment on a note.' }),
    record_id: t.nullable(t.id(), { description: 'The row, for a comment on a row.' }),
    structure_id: t.nullable(t.id(), { description: 'The structure of the row.' }),
    thread: t.nullable(t.id(), {
      description: 'The first comment of its thread; null for a first comment.',
    }),
    text: t.String({ examples: ['@Ada is this still right?'] }),
    passage: t.Union([Passage, t.Null()], { description: 'null for a comment on the whole object.' }),
    mentions: t.Array(person('A member whose `@name` is in the text.'), {
      description: 'In the order of the text, each once.',
    }),
    author: person('The user who wrote it.'),
    resolved_at: t.nullable(t.timestamp(), {
      description: 'When the thread was resolved; null while it is open, and for replies.',
    }),
    resolved_by: t.Union([person('The user who resolved it.'), t.Null()]),
    created_at: t.timestamp(),
    updated_at: t.timestamp(),
  },
  { $id: 'Comment', description: 'A comment on a note, on a passage of one, or on a row.' },
)

export const CommentResponse = t.response({ comment: Comment })
export const CommentsResponse = t.response({
  comments: t.Array(Comment),
  ...t.page('How many comments the object has.'),
})
export const DeletedCommentResponse = t.deletedResponse('The comment.')

const noteId = () => t.text({ maxLength: 100, description: 'The note.', examples: [ID_EXAMPLE] })
const recordId = () => t.text({ maxLength: 100, description: 'The row.' })

export const CommentsQuery = t.strict({
  ...t.optional({ note_id: noteId(), record_id: recordId() }),
  ...t.paging(MAX_PAGE),
  ...t.cursorPaging(),
})

const commentText = () =>
  t.text({
    minLength: 1,
    maxLength: MAX_TEXT,
    description: 'Plain text. `@name` mentions a member; case is ignored.',
    examples: ['@Ada is this still right?'],
  })

export const CreateCommentBody = t.strict(
  {
    text: commentText(),
    ...t.optional({
      note_id: noteId(),
      record_id: recordId(),
      thread: t.text({ maxLength: 100, description: 'The first comment of the thread to reply to.' }),
      passage: t.strict(
        {
          text: t.text({
            minLength: 1,
            maxLength: MAX_PASSAGE,
            description: 'As it stands in the body of the note.',
            examples: ['the engine'],
          }),
          ...t.optional({
            before: t.text({
              maxLength: MAX_CONTEXT,
              description: 'The text just before it, where the passage alone occurs several times.',
              examples: ['Ask about '],
            }),
            after: t.text({
              maxLength: MAX_CONTEXT,
              description: 'The text just after it.',
              examples: [' and the mill.'],
            }),
          }),
        },
        { description: 'The passage of the note that it is about. Without one it is about the whole note.' },
      ),
    }),
  },
  { examples: [{ note_id: ID_EXAMPLE, text: '@Ada is this still right?' }] },
)

export const PatchCommentBody = t.strict(
  t.optional({
    text: commentText(),
    resolved: t.flag({ description: 'Resolves the thread, or opens it again. Only for a first comment.' }),
  }),
  { examples: [{ resolved: true }] },
)

const InboxItem = t.strict(
  {
    comment: Comment,
    reason: t.choice(NOTICE_REASONS, {
      description:
        '`mention` if the comment mentions you, `reply` if it is in a thread in which you take part.',
      examples: ['mention'],
    }),
    title: t.nullable(t.String(), {
      description: 'The title of the note, or the value of the label field of the row.',
      examples: ['Meeting with Ada'],
    }),
    read_at: t.nullable(t.timestamp(), { description: 'null while it is unread.' }),
  },
  { $id: 'InboxItem' },
)

export const InboxQuery = t.strict({
  ...t.optional({ unread: t.flag({ description: 'true for unread comments only.', examples: [true] }) }),
  ...t.paging(MAX_PAGE),
})

const unread = () => t.integer({ minimum: 0, description: 'How many are unread.', examples: [1] })

export const InboxResponse = t.response({
  items: t.Array(InboxItem),
  unread: unread(),
  total: t.integer({ minimum: 0, examples: [1] }),
  has_more: t.Boolean({ examples: [false] }),
})

export const ReadInboxBody = t.strict(
  t.optional({
    ids: t.Array(t.text({ maxLength: 100, examples: [ID_EXAMPLE] }), {
      minItems: 1,
      maxItems: MAX_PAGE,
      description: 'The comments to mark; without it all.',
    }),
  }),
)

export const ReadInboxResponse = t.response({ unread: unread() })
