import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { migrate } from '../../src/storage/connection/migrate.ts'
import { MIGRATIONS } from '../../src/storage/schema/migrations/migrations.ts'

/*
 * Databases that older versions wrote, named after the newest migration those versions knew. Both contain the same
 * notes; the second contains records too. Each released version needs another one.
 */
export const WRITTEN = [
  {
    name: '0000_notes',
    key: 'dbk_cQlN3sF-j6oYKKi9lmsC_Untjd5pa64M8l8BEk_YpaU',
    holdsRecords: false,
  },
  {
    name: '0003_auto_indexes',
    key: 'dbk_1NyC-sq8tMPeio9rnXJE_Ti0ZRWs2zDAmuK0cEe2OhE',
    holdsRecords: true,
  },
]

export type Written = (typeof WRITTEN)[number]

export const versionOf = ({ name }: Written) =>
  MIGRATIONS.findIndex((migration) => migration.name === name) + 1

/** Returns the older version's database, unchanged. */
export const bytesOf = async ({ name }: Written): Promise<Uint8Array> =>
  Bun.gunzipSync(await Bun.file(join(import.meta.dir, `${name}.db.gz`)).bytes())

/** Writes that database to a file, and migrates it to the first `version` migrations. */
export async function unpack(file: string, written: Written, version: number): Promise<void> {
  await Bun.write(file, await bytesOf(written))
  const database = new Database(file)
  database.run('PRAGMA journal_mode = WAL')
  migrate(database, file, '0.0.1', MIGRATIONS.slice(0, version))
  database.close()
}
