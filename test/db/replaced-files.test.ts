import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { ReplacedFileDetector } from '../../src/db/connection/replaced-files.ts'
import { newFolder } from '../support/process.ts'

let root: ReturnType<typeof newFolder>
let folder: string
let file: string
let database: Database
/** In milliseconds; moved on, the detector relies on what it has seen of the folder. */
let now: number

beforeEach(() => {
  root = newFolder()
  folder = root.file('data')
  mkdirSync(folder)
  file = `${folder}/daybook.db`
  now = 0
  database = new Database(file, { create: true })
  database.run('PRAGMA journal_mode = WAL')
  database.run('CREATE TABLE t (a)')
})

afterEach(() => {
  database.close()
  root.remove()
})

/** The detector after it has seen for an hour that no name changes. */
function settledDetector(path = file): ReplacedFileDetector {
  const detector = new ReplacedFileDetector(path, () => now)
  for (const at of [0, 1_000, 3_600_000]) {
    now = at
    expect(detector.keepsCommits).toBe(true)
  }
  waitForNextTime()
  return detector
}

/** Returns once the file system gives changes a later time than the last change of the folder, some milliseconds. */
function waitForNextTime(): void {
  const other = root.file('other')
  do writeFileSync(other, String(performance.now()))
  while (statSync(other).ctimeMs <= statSync(folder).ctimeMs)
}

test.each<[string, () => void]>([
  ['the database is replaced', () => renameSync(root.file('other'), file)],
  ['the database is replaced by one from its folder', () => renameSync(`${folder}/beside`, file)],
  ['the database is moved within its folder', () => renameSync(file, `${file}.old`)],
  ['the database is removed', () => rmSync(file)],
  ['the write-ahead log is replaced', () => renameSync(root.file('other'), `${file}-wal`)],
  ['the write-ahead log is removed', () => rmSync(`${file}-wal`)],
  ['the folder is moved', () => renameSync(folder, `${folder}.old`)],
  ['the folder is removed', () => rmSync(folder, { recursive: true })],
])('the first commit after %s is not kept, however long nothing had changed', (_what, change) => {
  writeFileSync(`${folder}/beside`, 'another')
  const detector = settledDetector()
  change()
  expect(detector.keepsCommits).toBe(false)
  expect(detector.keepsCommits).toBe(false)
})

test('a file that comes and goes beside the database changes nothing', () => {
  const detector = settledDetector()
  writeFileSync(`${folder}/copy.db`, 'another')
  expect(detector.keepsCommits).toBe(true)
  rmSync(`${folder}/copy.db`)
  expect(detector.keepsCommits).toBe(true)
})

test('a symbolic link that leads elsewhere is noticed, wherever it is', () => {
  const [link, second] = [root.file('link.db'), root.file('second.db')]
  symlinkSync(second, link)
  symlinkSync(file, second)
  const detector = settledDetector(link)
  rmSync(second)
  symlinkSync(root.file('other'), second)
  expect(detector.keepsCommits).toBe(false)
})

test('a folder reached over a symbolic link that leads elsewhere is noticed', () => {
  const link = root.file('link')
  symlinkSync(folder, link)
  const detector = settledDetector(`${link}/daybook.db`)
  rmSync(link)
  symlinkSync(dirname(folder), link)
  expect(detector.keepsCommits).toBe(false)
})
