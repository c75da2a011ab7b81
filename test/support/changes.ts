import { everyPage } from './pages.ts'
import type { Client } from './service.ts'

/*
 * A reader of the change log that maintains a copy of a workspace, written from the documentation alone.
 */

export interface FeedChange {
  cursor: string
  transaction: string
  kind: string
  op: string
  id: string | number
  structure_id: string | null
  changed: string[]
  previous: Record<string, unknown>
  // biome-ignore lint/suspicious/noExplicitAny: an object of any kind
  object?: any
}

type Objects = Map<string | number, Record<string, unknown>>

/** Attributes that are counts or derive from another object. */
const DERIVED: Record<string, readonly string[]> = {
  tag: ['note_count'],
  property: ['notes_with_value'],
  structure: ['record_count'],
  view: ['filter_summary', 'display'],
  quick_access_item: ['title'],
  file: ['note_id'],
  webhook: ['consecutive_failures', 'updated_at'],
}

/** The part of an object that the copy must equal, without attributes that derive from other objects. */
function comparable(kind: string, object: Record<string, unknown>): Record<string, unknown> {
  const own = Object.fromEntries(Object.entries(object).filter(([name]) => !DERIVED[kind]?.includes(name)))
  if (kind === 'tag') own.linked_tags = (own.linked_tags as { id: number }[]).map(({ id }) => id).sort()
  if (kind === 'webhook') own.structure = (own.structure as { id: string }).id
  if (kind === 'property' || kind === 'quick_access_item') delete own.updated_at
  if (kind === 'note' || kind === 'preset') own.tags = [...(own.tags as string[])].sort()
  return own
}

/** Removes the attributes in which notes, presets and views show tags and properties by name. */
function unnamed(kind: string, object: Record<string, unknown>): Record<string, unknown> {
  const named = ['note', 'preset', 'view'].includes(kind)
    ? ['tags', 'properties', 'asks', 'display_properties', 'sort']
    : []
  const own = Object.fromEntries(Object.entries(object).filter(([name]) => !named.includes(name)))
  return kind === 'note' || kind === 'preset' ? { ...own, tags: [] } : own
}

export class Replica {
  readonly kinds = new Map<string, Objects>()
  cursor: string | undefined

  objects(kind: string): Objects {
    const known = this.kinds.get(kind) ?? new Map()
    this.kinds.set(kind, known)
    return known
  }

  readSnapshot(text: string): void {
    this.kinds.clear()
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    const { cursor } = lines.shift()
    const end = lines.pop()
    if (end?.end !== true) throw new Error('the snapshot has no end')
    const counts: Record<string, number> = {}
    for (const { kind, structure_id, object } of lines) {
      counts[kind] = (counts[kind] ?? 0) + 1
      this.objects(kind).set(object.id, kind === 'record' ? { ...object, structure_id } : object)
    }
    for (const [kind, count] of Object.entries(counts))
      if (end.counts[kind] !== count) throw new Error(`the snapshot counts ${kind} wrongly`)
    this.cursor = cursor
  }

  /** Applies changes with their objects. Names shown by other objects follow the entry of the tag or property. */
  apply(changes: readonly FeedChange[]): void {
    for (const { kind, id, object } of changes) {
      if ((kind === 'tag' || kind === 'property') && object) this.#rename(kind, id, object)
    }
    for (const { kind, id, op, object, structure_id } of changes) {
      if (kind === 'structure' && op === 'deleted') this.#deleteStructure(id)
      if (object === null || object === undefined) this.#delete(kind, id)
      else this.objects(kind).set(id, kind === 'record' ? { ...object, structure_id } : object)
    }
    this.cursor = changes.at(-1)?.cursor ?? this.cursor
  }

  /** The comments of a note or row go with it, without entries of their own. */
  #delete(kind: string, id: string | number): void {
    this.objects(kind).delete(id)
    if (kind !== 'note' && kind !== 'record') return
    for (const [comment, { note_id, record_id }] of this.objects('comment'))
      if (note_id === id || record_id === id) this.objects('comment').delete(comment)
  }

  #deleteStructure(structure: string | number): void {
    for (const [id, record] of this.objects('record'))
      if (record.structure_id === structure) this.objects('record').delete(id)
    for (const [id, comment] of this.objects('comment'))
      if (comment.structure_id === structure) this.objects('comment').delete(id)
    for (const [id, webhook] of this.objects('webhook'))
      if ((webhook.structure as { id: string }).id === structure) this.objects('webhook').delete(id)
  }

  #rename(kind: 'tag' | 'property', id: string | number, object: Record<string, unknown>): void {
    const name = kind === 'tag' ? 'name' : 'key'
    const before = this.objects(kind).get(id)?.[name]
    const after = object[name]
    if (before === undefined || before === after) return
    const renamed = (one: unknown) => (one === before ? after : one)
    const rekeyed = (one: { key: unknown }) => ({ ...one, key: renamed(one.key) })
    for (const note of this.objects('note').values()) {
      if (kind === 'tag') note.tags = (note.tags as string[]).map(renamed)
      else
        note.properties = Object.fromEntries(
          Object.entries(note.properties as object).map(([key, value]) => [renamed(key), value]),
        )
    }
    for (const preset of this.objects('preset').values()) {
      if (kind === 'tag') preset.tags = (preset.tags as string[]).map(renamed)
      else {
        preset.properties = (preset.properties as { key: unknown }[]).map(rekeyed)
        preset.asks = (preset.asks as { key: unknown }[]).map(rekeyed)
      }
    }
    for (const view of this.objects('view').values()) {
      if (kind === 'tag') continue
      view.display_properties = (view.display_properties as string[]).map(renamed)
      const sort = view.sort as { property?: unknown }
      if (sort.property !== undefined) view.sort = { ...sort, property: renamed(sort.property) }
    }
  }

  /**
   * Returns every object by kind and id, without derived attributes. `withoutNames` also omits attributes that show
   * names of other objects.
   */
  contents(kinds?: readonly string[], withoutNames = false): Record<string, unknown> {
    const entries: [string, unknown][] = []
    for (const [kind, objects] of this.kinds) {
      if (kinds && !kinds.includes(kind)) continue
      for (const [id, object] of objects) {
        const { structure_id: _, ...all } = object
        const own = withoutNames ? unnamed(kind, all) : all
        entries.push([`${kind} ${id}`, comparable(kind, own)])
      }
    }
    return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)))
  }
}

/** Returns the same contents of the workspace itself, read through the API. */
export async function contentsOf(
  client: Client,
  kinds?: readonly string[],
  withoutNames = false,
): Promise<Record<string, unknown>> {
  const replica = new Replica()
  const put = (kind: string, objects: Record<string, unknown>[]) => {
    for (const object of objects) replica.objects(kind).set(object.id as string, object)
  }
  const list = async (path: string, name: string) => (await client.get(path)).body[name]
  put('tag', await list('/v1/tags', 'tags'))
  put('property', await list('/v1/properties', 'properties'))
  put('preset', await list('/v1/presets', 'presets'))
  put('view', await list('/v1/views', 'views'))
  put('lens', await list('/v1/lenses', 'lenses'))
  put('quick_access_item', await list('/v1/quick-access', 'items'))
  put('webhook', await list('/v1/webhooks', 'webhooks'))
  put('row_view', await list('/v1/records/views', 'row_views'))
  const files: { id: string }[] = await list('/v1/files', 'files')
  for (const { id } of files) put('file', [(await client.get(`/v1/files/${id}`)).body.file])
  const structures: { id: string }[] = await list('/v1/records/structures', 'structures')
  put('structure', structures)
  for (const { id } of structures)
    put('record', await everyPage(client, `/v1/records?structure=${id}&limit=500`, 'records'))
  for (const id of replica.objects('record').keys())
    put('comment', await list(`/v1/comments?limit=200&record_id=${id}`, 'comments'))
  for (const note of await everyPage(client, '/v1/notes?limit=200', 'notes')) {
    const { properties } = (await client.get(`/v1/notes/${note.id}/properties`)).body
    put('note', [{ ...note, properties }])
    put('comment', await list(`/v1/comments?limit=200&note_id=${note.id}`, 'comments'))
  }
  return replica.contents(kinds, withoutNames)
}
