import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { noDatabase } from '../../src/storage/connection/missing.ts'
import { newFolder } from '../support/process.ts'

test('a missing database is reported with --db first, and with the database of the service where there is one', () => {
  const folder = newFolder()
  const ofService = folder.file('service.db')
  expect(noDatabase('daybook.db', ofService).message).toBe(
    'There is no database at daybook.db; name it with --db, or create a new one with "daybook serve".',
  )
  writeFileSync(ofService, '')
  expect(noDatabase('daybook.db', ofService).message).toBe(
    `There is no database at daybook.db; name it with --db. The service keeps its database in ${ofService}.`,
  )
  folder.remove()
})
