import { afterEach, beforeEach, expect, test } from 'bun:test'
import { alter } from '../../support/database.ts'
import { startService, type TestService } from '../../support/service.ts'

const NOTES = 2_000
const KEYS = ['a', 'b', 'c', 'd', 'e']

let service: TestService
beforeEach(async () => {
  service = await startService()
  for (const key of KEYS) await service.post('/v1/properties', { key, type: 'text' })
  await alter(
    service,
    `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${NOTES})
     INSERT INTO notes (id, workspace, title, title_fold, created_at, updated_at, deleted_at)
     SELECT 'note ' || n, (SELECT pk FROM workspaces), n, n, n, n, iif(n % 100 = 0, n, NULL) FROM numbers;
     INSERT INTO note_properties (note, property, value)
     SELECT n.pk, p.pk, 'value ' || (n.pk * 7919 % ${NOTES}) FROM notes n, properties p`,
  )
})
afterEach(() => service.close())

test('properties are listed with their counts of active notes', async () => {
  const { body } = await service.get('/v1/properties')
  const counts = body.properties.map((property: { notes_with_value: number }) => property.notes_with_value)
  expect(counts).toEqual(KEYS.map(() => NOTES - NOTES / 100))
})
