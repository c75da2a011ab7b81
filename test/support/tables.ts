import { runInProcess } from './cli.ts'
import { newFolder } from './process.ts'
import { startService, type TestService } from './service.ts'

/** A workspace that tables are imported into. */
export interface TableTest {
  readonly db: string
  file(name: string): string
  /** The service on the database; each import replaces it. */
  service(): TestService
  /** Imports the text as a file into the structure `T` while no server uses the database. */
  run(text: string | Uint8Array, ...flags: string[]): ReturnType<typeof runInProcess>
  /** Returns the field types of a structure, by key. */
  types(structure?: string): Promise<Record<string, string>>
  /** Returns the data of all rows, oldest first. */
  rows(structure?: string): Promise<Record<string, unknown>[]>
  remove(): void
}

export async function newTableTest(): Promise<TableTest> {
  const folder = newFolder()
  const db = folder.file('daybook.db')
  let service = await startService({ file: db })
  return {
    db,
    file: folder.file,
    service: () => service,
    run: async (text, ...flags) => {
      const file = folder.file('rows.csv')
      await Bun.write(file, text)
      service.close()
      const outcome = await runInProcess(['import', file, '--structure', 'T', '--db', db, ...flags])
      service = await startService({ file: db })
      return outcome
    },
    types: async (structure = 'T') => {
      const { structures } = (await service.get('/v1/records/structures')).body
      const { fields } = structures.find(({ name }: { name: string }) => name === structure)
      return Object.fromEntries(fields.map(({ key, type }: { key: string; type: string }) => [key, type]))
    },
    rows: async (structure = 'T') => {
      const query = `structure=${structure}&limit=500&direction=asc`
      return (await service.get(`/v1/records?${query}`)).body.records.map(
        ({ data }: { data: object }) => data,
      )
    },
    remove: () => {
      service.close()
      folder.remove()
    },
  }
}
