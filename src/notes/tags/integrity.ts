import { keysOf } from '../../kernel/jobs.ts'
import { counted, fold } from '../../lib/text.ts'
import type { IntegrityCheck } from '../../storage/integrity.ts'
import { tagDetachment } from './deletion.ts'

const COUNTS = `SELECT t.id, t.name, t.name_fold AS nameFold, t.note_count AS counted,
    (SELECT count(*) FROM note_tags nt CROSS JOIN notes n ON n.pk = nt.note
     WHERE nt.tag = t.id AND n.deleted_at IS NULL) AS found
  FROM tags t`

interface Counts {
  id: number
  name: string
  nameFold: string
  counted: number
  found: number
}

/** Notes have deleted tags only until the job that removes them is done. */
const DELETED = `SELECT DISTINCT tag FROM note_tags WHERE tag NOT IN (SELECT id FROM tags)
  AND tag NOT IN (${keysOf(tagDetachment)})`

/** Checks the stored number of active notes of every tag, and its folded name. */
export const tagCheck: IntegrityCheck = {
  *faults({ sql }) {
    for (const { id, name, nameFold, counted: stored, found } of sql.all<Counts>(COUNTS)) {
      if (stored !== found)
        yield `The tag "${name}" (${id}) counts ${counted(stored, 'note')}; ${found} carry it.`
      if (nameFold !== fold(name))
        yield `The folded name of the tag "${name}" (${id}) is not that of its name.`
    }
    for (const tag of sql.column<number>(DELETED)) yield `Notes have the tag ${tag}, which does not exist.`
  },
  repair: ({ sql }) => {
    for (const { id, name, found } of sql.all<Counts>(COUNTS)) {
      sql.run('UPDATE tags SET note_count = ?, name_fold = ? WHERE id = ?', found, fold(name), id)
    }
    sql.run(`DELETE FROM note_tags WHERE tag IN (${DELETED})`)
  },
}
