import type { IntegrityCheck } from '../db/integrity.ts'
import { counted, fold } from '../lib/text.ts'

const COUNTS = `SELECT t.id, t.name, t.name_fold AS nameFold, t.note_count AS counted,
    (SELECT count(*) FROM note_tags nt CROSS JOIN notes n ON n.pk = nt.note
     WHERE nt.tag = t.id AND n.deleted_at IS NULL) AS found
  FROM tags t WHERE t.is_removed = 0`

interface Counts {
  id: number
  name: string
  nameFold: string
  counted: number
  found: number
}

/** The stored count of active notes of every tag, and its folded name. */
export const tagCheck: IntegrityCheck = {
  *faults({ sql }) {
    for (const { id, name, nameFold, counted: stored, found } of sql.all<Counts>(COUNTS)) {
      if (stored !== found)
        yield `The tag "${name}" (${id}) counts ${counted(stored, 'note')}; ${found} carry it.`
      if (nameFold !== fold(name))
        yield `The folded name of the tag "${name}" (${id}) is not that of its name.`
    }
  },
  repair: ({ sql }) => {
    for (const { id, name, found } of sql.all<Counts>(COUNTS)) {
      sql.run('UPDATE tags SET note_count = ?, name_fold = ? WHERE id = ?', found, fold(name), id)
    }
  },
}
