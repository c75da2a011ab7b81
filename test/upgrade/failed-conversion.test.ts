import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { closeSync, openSync, writeSync } from 'node:fs'
import { systemClock } from '../../src/lib/clock.ts'
import { createLog } from '../../src/lib/log.ts'
import { VERSION } from '../../src/lib/version.ts'
import { openUpgraded } from '../../src/operation/upgrade.ts'
import { newFolder } from '../support/process.ts'
import { startService } from '../support/service.ts'

let folder: ReturnType<typeof newFolder>
let file: string

beforeEach(() => {
  folder = newFolder()
  file = folder.file('daybook.db')
})
afterEach(() => folder.remove())

/** Creates a file whose upgrade was interrupted, and damages the first page of its search table. */
async function writeDamaged(): Promise<void> {
  const service = await startService({ file })
  await service.post('/v1/notes', { title: 'Indexed by the upgrade' })
  service.close()
  const database = new Database(file)
  database.run(`INSERT OR REPLACE INTO search_pending SELECT workspace, pk, 2 FROM notes;
    INSERT INTO jobs (kind, key, state, due_at) VALUES ('notes.convertSearch', 0, 'null', 0)`)
  const [[page = 0, size = 0] = []] = database
    .query("SELECT rootpage, page_size FROM sqlite_schema, pragma_page_size WHERE name = 'note_search_data'")
    .values() as [number, number][]
  database.close()
  const descriptor = openSync(file, 'r+')
  writeSync(descriptor, Buffer.alloc(size, 0xff), 0, size, (page - 1) * size)
  closeSync(descriptor)
}

test.each(['server', 'command'] as const)(
  'a %s that cannot finish an upgrade names the file and the fix, and closes the database',
  async (role) => {
    await writeDamaged()
    const logged: string[] = []
    const log = createLog('warn', systemClock, (lines) => logged.push(lines))
    const opened = openUpgraded({ file, programVersion: VERSION, clock: systemClock, log, role })
    await expect(opened).rejects.toThrow(
      `The database ${file} is damaged. That cannot be repaired: stop the server and restore a backup`,
    )
    log.flush()
    expect(logged.join('')).not.toContain('left open')
    const database = new Database(file)
    expect(database.query("SELECT count(*) FROM jobs WHERE kind = 'notes.convertSearch'").values()).toEqual([
      [1],
    ])
    database.close()
  },
)
