import { recordLabel } from '../../../lib/record-label.ts'
import {
  type CommentPlace,
  commentAddress,
  fileAddress,
  noteAddress,
  recordAddress,
} from '../../data/addresses.ts'
import { api } from '../../data/api.ts'
import type { Structure } from '../../data/records/model.ts'
import { useQuery } from '../../data/use-query.ts'
import { address } from '../../router.ts'
import type { Entry } from './transactions.ts'

/** Tables and deleted notes, from which the names and addresses of objects follow. */
export interface Names {
  readonly structures: ReadonlyMap<string, Structure>
  /** The titles of notes in the trash. */
  readonly trashed: ReadonlyMap<string, string>
}

export function useNames(): Names {
  const structures = useQuery(['structure', 'list'], ({ signal }) =>
    api.get('/v1/records/structures', { signal }),
  ).data?.structures
  const trashed = useQuery(['note', 'trash', 'titles'], ({ signal }) =>
    api.get('/v1/notes/trash', { query: { limit: 200 }, signal }),
  ).data?.notes
  return {
    structures: new Map(structures?.map((structure) => [structure.id, structure])),
    trashed: new Map(trashed?.map(({ id, title }) => [id, title])),
  }
}

export const shortId = (id: string | number): string => String(id).slice(0, 8)

const NAME_KEYS: Readonly<Record<string, string>> = {
  note: 'title',
  file: 'file_name',
  property: 'label',
  quick_access_item: 'title',
  webhook: 'url',
  comment: 'text',
}

/** A comment is named by its text. */
const MAX_NAME = 80

export function nameOf({ kind, id, object, structure_id }: Entry, names: Names): string {
  if (kind === 'record') {
    const structure = names.structures.get(structure_id ?? '')
    if (!structure || !object) return `row ${shortId(id)}`
    return recordLabel(structure, { id: String(id), data: object.data as Record<string, unknown> })
  }
  const name = object?.[NAME_KEYS[kind] ?? 'name']
  if (typeof name === 'string' && kind === 'comment')
    return name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name
  if (typeof name === 'string') return name
  return names.trashed.get(String(id)) ?? shortId(id)
}

/** The address of a changed object; undefined if it was deleted. */
export function addressOf({ kind, id, object, structure_id }: Entry): string | undefined {
  if (object === null) return undefined
  if (kind === 'note') return noteAddress(String(id))
  if (kind === 'record') return recordAddress(structure_id ?? '', String(id))
  if (kind === 'file') return fileAddress(String(id))
  if (kind === 'structure') return address(['records', String(id)])
  if (kind === 'source') return address(['webhooks', 'in', String(id)])
  if (kind === 'webhook') return address(['webhooks', String(id)])
  if (kind === 'comment' && object) return commentAddress(object as unknown as CommentPlace)
  if (kind === 'row_view') return address(['records', structure_id ?? ''], { view: String(id) })
  return undefined
}
