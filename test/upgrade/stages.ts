import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { migrate } from '../../src/storage/connection/migrate.ts'
import { MIGRATIONS } from '../../src/storage/schema/migrations/migrations.ts'

/*
 * Databases as older programs wrote and left them, named after the newest migration that those knew. Both hold
 * the same notes; the second holds records too. A new one is wanted when a program was released.
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

/** The older program's database, as it left it. */
export const bytesOf = async ({ name }: Written): Promise<Uint8Array> =>
  Bun.gunzipSync(await Bun.file(join(import.meta.dir, `${name}.db.gz`)).bytes())

/** The same, then brought on to the first `version` migrations. */
export async function unpack(file: string, written: Written, version: number): Promise<void> {
  await Bun.write(file, await bytesOf(written))
  const database = new Database(file)
  database.run('PRAGMA journal_mode = WAL')
  migrate(database, file, '0.0.1', MIGRATIONS.slice(0, version))
  database.close()
}
