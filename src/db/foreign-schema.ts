import type { Database } from 'bun:sqlite'

/*
 * Triggers and views run SQL of their own inside the statements of daybook. The schema has neither; backups of earlier
 * versions have triggers that keep indexes of row tables in step, named after their table.
 */

const FOREIGN = `SELECT type || ' "' || name || '"' AS part FROM main.sqlite_schema
  WHERE type = 'view' OR (type = 'trigger' AND NOT (tbl_name GLOB 'rows_[0-9]*' AND tbl_name NOT GLOB 'rows_*[^0-9]*'
    AND (name GLOB tbl_name || '_by_*' OR name GLOB tbl_name || '_unique_*')
    AND (name GLOB '*_insert' OR name GLOB '*_delete' OR name GLOB '*_update')))
  ORDER BY name`

/** The triggers and views that are not daybook's: `trigger "name"`. */
export const foreignSchema = (database: Pick<Database, 'query'>): string[] =>
  (database.query(FOREIGN).all() as { part: string }[]).map(({ part }) => part)
