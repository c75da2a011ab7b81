import { keysOf } from '../../kernel/jobs.ts'
import type { IntegrityCheck } from '../../storage/integrity.ts'
import { propertyDetachment } from './deletion.ts'

/** Notes have values of deleted properties only until the job that removes them is done. */
const DELETED = `SELECT DISTINCT property FROM note_properties WHERE property NOT IN (SELECT pk FROM properties)
  AND property NOT IN (${keysOf(propertyDetachment)})`

/** Every value on a note belongs to an existing property. */
export const propertyCheck: IntegrityCheck = {
  *faults({ sql }) {
    for (const property of sql.column<number>(DELETED))
      yield `Notes have values of the property ${property}, which does not exist.`
  },
  repair: ({ sql }) => sql.run(`DELETE FROM note_properties WHERE property IN (${DELETED})`),
}
