import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { program } from '../support/process.ts'

const ROOT = join(import.meta.dir, '..', '..')

/** The release builds twice, in two folders, and compares. This test finds the usual cause of a difference at once. */
test('the executable does not hold the path of the folder in which it was built', async () => {
  const [executable = ''] = program()
  const bytes = Buffer.from(await Bun.file(executable).arrayBuffer())
  expect(bytes.includes('file:///daybook')).toBe(true)
  expect(bytes.includes(ROOT)).toBe(false)
})
