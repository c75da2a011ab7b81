import type { NewRow, RowsAction, StoredAction, TagAction } from '../data/pending-actions.ts'
import type { EntryKey } from '../data/pending-cells.ts'

/*
 * The stored form of pending actions, and that of earlier versions, which stored one note or one row under the names
 * `tag` and `row`. Tabs of those versions read every entry with such a name, so new entries have other names.
 */

/** The first words of the names of actions in the queue. */
export const ACTION_NAMES = ['tags', 'value', 'rows', 'tag', 'row'] as const
export type ActionName = (typeof ACTION_NAMES)[number]

interface EarlierTag extends Omit<TagAction, 'notes'> {
  readonly note: string
  readonly title: string
}

interface EarlierRow extends Pick<RowsAction, 'structure' | 'sentWith'> {
  readonly kind: 'row'
  readonly row: NewRow
}

export interface EarlierAction extends EntryKey, Pick<StoredAction, 'at' | 'error'> {
  readonly action: EarlierTag | EarlierRow
}

/** An entry in the current form. Its requests have the same idempotency keys as those of the earlier version. */
export function currentForm(entry: StoredAction | EarlierAction): StoredAction {
  const { action } = entry
  if (action.kind === 'row') {
    const { row, ...rest } = action
    const created = [{ id: row.id, data: row.data }]
    return { ...entry, action: { ...rest, kind: 'rows', created, changed: [] } }
  }
  if (action.kind !== 'tag' || 'notes' in action) return entry as StoredAction
  const { note: id, title, ...rest } = action
  return { ...entry, action: { ...rest, notes: [{ id, title }] } }
}
