import { signal } from '@preact/signals'
import type { Passage } from '../../lib/passage.ts'
import { api } from './api.ts'
import type { components } from './api-types.d.ts'
import { invalidate } from './cache.ts'
import { useQuery } from './use-query.ts'

export type Comment = components['schemas']['Comment']

/** The note or row that comments are on. */
export type Commented = { readonly note_id: string } | { readonly record_id: string }

const PAGE = 200

async function readComments(of: Commented, signal: AbortSignal): Promise<readonly Comment[]> {
  const all: Comment[] = []
  for (let cursor: string | null = 'start'; cursor !== null; ) {
    const page: { comments: Comment[]; next_cursor?: string | null } = await api.get('/v1/comments', {
      query: { ...of, limit: PAGE, cursor },
      signal,
    })
    all.push(...page.comments)
    cursor = page.next_cursor ?? null
  }
  return all
}

/** All comments of an object, oldest first. */
export const useComments = (of: Commented) =>
  useQuery(['comment', 'of', of], ({ signal }) => readComments(of, signal))

/** A first comment with its replies. */
export interface Thread {
  readonly first: Comment
  readonly replies: readonly Comment[]
}

export function threadsOf(comments: readonly Comment[]): Thread[] {
  const replies = Map.groupBy(comments, ({ thread }) => thread)
  return (replies.get(null) ?? []).map((first) => ({ first, replies: replies.get(first.id) ?? [] }))
}

/** After a write, whose own entry of the change feed may arrive later. */
export const refetchComments = () => invalidate(new Set(['comment']))

/** A passage of a note that the user selected to comment on. */
export const selectedPassage = signal<{ readonly note: string; readonly passage: Passage } | undefined>(
  undefined,
)

/** The thread that was opened from its passage or from the inbox. */
export const openedThread = signal<string | undefined>(undefined)

const INBOX_PAGE = 50

async function readInbox(count: number, signal: AbortSignal) {
  const read = (offset: number) =>
    api.get('/v1/inbox', { query: { limit: Math.min(PAGE, count - offset), offset }, signal })
  let page = await read(0)
  const items = [...page.items]
  while (page.has_more && items.length < count) {
    page = await read(items.length)
    items.push(...page.items)
  }
  return { ...page, items }
}

export const useInbox = (pages: number) =>
  useQuery(['comment', 'inbox', pages], ({ signal }) => readInbox(pages * INBOX_PAGE, signal), {
    placeholderData: (previous) => previous,
  })

export const useUnreadCount = (): number =>
  useQuery(['comment', 'unread'], ({ signal }) => api.get('/v1/inbox', { query: { limit: 1 }, signal })).data
    ?.unread ?? 0

/** Marks comments as read; all without ids. */
export async function markRead(ids?: readonly string[]): Promise<void> {
  await api.post('/v1/inbox/read', { body: ids ? { ids: ids.slice(0, 200) } : {} })
  await refetchComments()
}
