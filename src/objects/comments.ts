import { type Static, Type } from '@sinclair/typebox'
import type { Person } from '../comments/mentions.ts'
import { type CommentPlace, findPlace } from '../comments/place.ts'
import { Comment, MAX_TEXT } from '../comments/schema.ts'
import { commentKind, findComment } from '../comments/store.ts'
import { nullable, strict, text, timestamp } from '../http/schema/types.ts'
import { refused } from '../lib/refusal.ts'
import { MAX_NAME_LENGTH } from '../lib/text.ts'
import { listMembers } from '../people/accounts/store.ts'
import type { Reader } from '../storage/reader.ts'
import type { Copy } from './copy.ts'
import { instantOrNull } from './exported.ts'
import { filedKind } from './kind.ts'

const name = () => text({ maxLength: MAX_NAME_LENGTH })
const reference = () => Type.Optional(nullable(text({ maxLength: 100 })))

/** Users are not exported: authors and mentioned members are found again by name. */
const ExportedComment = strict({
  note_id: reference(),
  record_id: reference(),
  thread: reference(),
  text: text({ minLength: 1, maxLength: MAX_TEXT }),
  passage: Type.Optional(Comment.properties.passage),
  mentions: Type.Array(name(), { maxItems: 1_000 }),
  author: name(),
  resolved_at: Type.Optional(nullable(timestamp())),
  resolved_by: Type.Optional(nullable(name())),
})

type Exported = Static<typeof ExportedComment>

export const commentFile = filedKind(commentKind, {
  label: 'substr(text, 1, 100)',
  find: findComment,
  file: {
    name: 'comments',
    schema: ExportedComment,
    create: ({ tx, caller }, input: Exported) => {
      const { workspacePk: workspace } = caller
      const members = listMembers(tx, workspace)
      const personOf = (name: string): Person => ({
        id: members.find((one) => one.name === name)?.id ?? null,
        name,
      })
      const { passage, author, mentions, resolved_at, resolved_by } = input
      commentKind.insert(tx, caller, {
        ...placeIn(tx, workspace, input),
        author: personOf(author).id,
        authorName: author,
        text: input.text,
        passage: passage ? JSON.stringify(passage) : null,
        mentions: JSON.stringify(mentions.map(personOf)),
        resolvedAt: instantOrNull(resolved_at, 'resolved_at'),
        resolvedBy: resolved_by == null ? null : JSON.stringify(personOf(resolved_by)),
      })
    },
    exported: ({ structure_id: _, author, mentions, resolved_by, ...comment }) => ({
      ...comment,
      author: author.name,
      mentions: mentions.map(({ name }) => name),
      resolved_by: resolved_by?.name ?? null,
    }),
    isByAge: true,
  },
  columns: ({ tx, workspacePk }: Copy, shown) => {
    const place = findPlace(tx, workspacePk, shown)
    // Comments in the inboxes of the remote stay there: its users are not users here.
    return place && { ...place, author: shown.author.id, authorName: shown.author.name }
  },
})

function placeIn(reader: Reader, workspace: number, names: Exported): CommentPlace {
  const place = findPlace(reader, workspace, names)
  if (place) return place
  throw refused(
    '"note_id", "record_id" or "thread" names something that is not in this workspace; import it first, or leave the comment out.',
  )
}
