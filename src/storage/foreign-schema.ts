import { Database } from 'bun:sqlite'
import { once } from '../lib/bounded-cache.ts'
import { BASELINE, MIGRATIONS } from './schema/migrations/migrations.ts'

/*
 * Finds schema objects that are not daybook's. Triggers and views run SQL of their own inside the statements of
 * daybook, whose schema has neither. Tables and indexes slow down writes, and a unique index can refuse them.
 */

/** From this version on, indexes of row tables are SQLite's own. Before, triggers maintained them as tables. */
const NATIVE_INDEXES = MIGRATIONS.findIndex(({ name }) => name === '0040_native_indexes') + 1

/** Row tables with their text indexes, and search tables of files; FTS5 adds tables of its own for each. */
const DERIVED_TABLE =
  /^(?:rows_\d+|(?:rows_\d+_text|file_search_\d+)(?:_(?:data|idx|content|docsize|config))?)$/
const OLD_TRIGGER = /^(rows_\d+)_(?:by|unique)_.*_(?:insert|delete|update)$/
/** SQLite's own tables, and those that Litestream keeps in the file that it replicates. */
const RESERVED = /^(?:sqlite|_litestream)_/

export interface ForeignPart {
  /** `trigger "name"`. */
  readonly part: string
  /** Whether the part runs SQL of its own. */
  readonly isProgram: boolean
}

interface SchemaRow {
  readonly type: 'table' | 'index' | 'trigger' | 'view'
  readonly name: string
  readonly table: string
}

type Queried = Pick<Database, 'query'>

const SCHEMA = 'SELECT type, name, tbl_name AS "table" FROM main.sqlite_schema ORDER BY name'
const schemaOf = (database: Queried) => database.query(SCHEMA).all() as SchemaRow[]
const keyOf = ({ type, name, table }: SchemaRow) => `${type} ${name} ${table}`

/** Schemas older than the newest one are upgraded before use, so only triggers and views are compared in them. */
export function listForeignParts(database: Queried): ForeignPart[] {
  const { user_version: version } = database.query('PRAGMA user_version').get() as { user_version: number }
  const isOld = oldRowTables(database, version)
  const own = version === MIGRATIONS.length ? newSchema() : undefined
  const isOwn = (row: SchemaRow): boolean => {
    const { type, name, table } = row
    if (type === 'view') return false
    if (type === 'trigger') return OLD_TRIGGER.exec(name)?.[1] === table && isOld(table)
    if (!own || own.has(keyOf(row)) || RESERVED.test(name)) return true
    const rowTable = /^rows_\d+(?=_(?:by|unique)_)/.exec(name)?.[0]
    if (type === 'index') return (rowTable !== undefined && rowTable === table) || isOld(rowTable)
    return DERIVED_TABLE.test(name) || isOld(/^rows_\d+/.exec(name)?.[0])
  }
  return schemaOf(database)
    .filter((row) => !isOwn(row))
    .map(({ type, name }) => ({
      part: `${type} "${name}"`,
      isProgram: type === 'trigger' || type === 'view',
    }))
}

/** Recognizes row tables that an upgrade has yet to convert (`records/structures/storage/upgrade.ts`). */
function oldRowTables(database: Queried, version: number): (table: string | undefined) => boolean {
  if (version < NATIVE_INDEXES) return (table) => table !== undefined
  const rows = database.query('SELECT structure FROM structure_stats WHERE own_table = 2').all()
  const old = new Set((rows as { structure: number }[]).map(({ structure }) => `rows_${structure}`))
  return (table) => table !== undefined && old.has(table)
}

/** The schema of a new database, computed once. */
const newSchema = once((): ReadonlySet<string> => {
  const database = new Database(':memory:')
  try {
    database.run(BASELINE)
    return new Set(schemaOf(database).map(keyOf))
  } finally {
    database.close()
  }
})
