import { fold } from '../../../lib/text.ts'
import { api } from '../../data/api.ts'
import { type AppliedChange, applyChanges, undoTransactions } from '../../data/apply.ts'
import { withTag } from '../../data/pending-values.ts'

const SLICE = 200

/** Tags the notes of a folder with its path after their import, also those of earlier imports. */
export class FolderTagging {
  /** The transactions that added tags, oldest first. */
  readonly #transactions: string[] = []
  /** The folded names of the tags that did not exist before. */
  readonly #created = new Set<string>()

  /** `tags` has the tag of each note by its id. */
  constructor(private readonly tags: ReadonlyMap<string, string>) {}

  /** Whether any note is in a folder. */
  get hasTags(): boolean {
    return this.tags.size > 0
  }

  /** Adds the tags to the notes that lack them, to all or none, and returns the number of these. */
  async add(): Promise<number> {
    const { tags } = await api.get('/v1/tags', { isFresh: true })
    const known = new Set(tags.map(({ name }) => fold(name)))
    const changes = await this.#changes()
    this.#transactions.push(...(await applyChanges(changes)))
    for (const name of this.tags.values()) if (!known.has(fold(name))) this.#created.add(fold(name))
    return changes.length
  }

  async #changes(): Promise<AppliedChange[]> {
    const changes: AppliedChange[] = []
    for (let offset = 0, hasMore = true; hasMore; offset += SLICE) {
      const query = { sort: 'created_at', direction: 'asc', limit: SLICE, offset, content: false } as const
      const { notes, has_more } = await api.get('/v1/notes', { query, isFresh: true })
      for (const { id, updated_at, tags } of notes) {
        const tag = this.tags.get(id)
        if (tag === undefined || tags.some((name) => fold(name) === fold(tag))) continue
        const data = { tags: withTag(tags, tag, true) }
        changes.push({ kind: 'note', op: 'updated', id, if_unchanged: updated_at, data })
      }
      hasMore = has_more
    }
    return changes
  }

  /** Takes the tags from the notes, and deletes those that were created for them. Continues after a failure. */
  async undo(): Promise<void> {
    for (let last = this.#transactions.at(-1); last !== undefined; last = this.#transactions.at(-1)) {
      await undoTransactions([last])
      this.#transactions.pop()
    }
    if (this.#created.size === 0) return
    const { tags } = await api.get('/v1/tags', { isFresh: true })
    for (const { id, name, note_count } of tags)
      if (note_count === 0 && this.#created.has(fold(name)))
        await api.delete('/v1/tags/{id}', { params: { id } })
    this.#created.clear()
  }
}
