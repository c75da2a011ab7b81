import { api } from './api.ts'
import { invalidate } from './cache.ts'
import { deferAction } from './pending-actions.ts'
import { Unreachable, unreachableSince } from './request.ts'

const CHANGED = new Set(['note', 'tag'])

/** Adds a tag to a note, or removes it. While the server cannot be reached, the change waits in this browser. */
export async function changeTag(
  { id, title }: { readonly id: string; readonly title: string },
  tag: string,
  isAdded: boolean,
): Promise<void> {
  const send = () =>
    isAdded
      ? api.post('/v1/notes/{id}/tags', { params: { id }, body: { tags: [tag] } })
      : api.delete('/v1/notes/{id}/tags/{name}', { params: { id, name: tag } })
  try {
    if (unreachableSince.peek() !== undefined) throw new Unreachable()
    await send()
    await invalidate(CHANGED)
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error
    await deferAction({ kind: 'tag', notes: [{ id, title }], tag, isAdded })
  }
}
