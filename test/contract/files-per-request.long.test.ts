import { expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { spawn } from 'bun'
import { newFolder } from '../support/process.ts'

/*
 * The number of server files, without `lib`, that one request executes. A file counts if any of its lines runs more
 * often with the request than without it. `FILES=list` prints them. Threads are not covered.
 */

const MAX_FILES: Readonly<Record<string, number>> = {
  'read the caller': 18,
  'create a note': 30,
  'store a batch and its deliveries': 36,
  'update a watch': 42,
  'query notes by a tree': 28,
  'receive an event of a source': 36,
  'receive a form': 36,
}

/** Excludes files that timers run, with or without the request: checkpoints, and checks of the database files. */
const COUNTED = /^src\/(?!lib\/|storage\/connection\/(?:checkpoint|foreign-wal|wal-index)\.ts)/

const ONE_REQUEST = './test/contract/one-request.ts'
const ROOT = join(import.meta.dir, '../..')

/** Returns how often each line ran, by file and line. */
async function linesRun(name: string, isSent: boolean): Promise<Map<string, number>> {
  const folder = newFolder()
  const report = ['--coverage', '--coverage-reporter=lcov', `--coverage-dir=${folder.file('coverage')}`]
  const { exited } = spawn([process.execPath, 'test', '--timeout=60000', ONE_REQUEST, ...report], {
    cwd: ROOT,
    env: { ...process.env, ONE_REQUEST: name, IS_SENT: String(isSent) },
    stdio: ['ignore', 'ignore', 'ignore'],
  })
  expect(await exited).toBe(0)
  const text = await Bun.file(join(folder.file('coverage'), 'lcov.info')).text()
  const lines = new Map<string, number>()
  for (const part of text.split('end_of_record')) {
    const file = /^SF:(.*)$/m.exec(part)?.[1] ?? ''
    for (const [, line, count] of part.matchAll(/^DA:(\d+),(\d+)/gm))
      lines.set(`${file}:${line}`, Number(count))
  }
  rmSync(folder.file('coverage'), { recursive: true })
  folder.remove()
  return lines
}

async function comparedFiles(name: string): Promise<string[]> {
  const [without, sent] = await Promise.all([linesRun(name, false), linesRun(name, true)])
  const files = new Set<string>()
  for (const [line, count] of sent)
    if (COUNTED.test(line) && count > (without.get(line) ?? 0)) files.add(line.split(':')[0] ?? '')
  return [...files].sort()
}

/** Files beyond the limit may be those of a timer that ran within the request; they are absent from another run. */
async function filesOf(name: string, most: number): Promise<string[]> {
  let files = await comparedFiles(name)
  for (let more = 0; files.length > most && more < 2; more++) {
    const again = await comparedFiles(name)
    files = files.filter((file) => again.includes(file))
  }
  return files
}

test.each(Object.entries(MAX_FILES))('to %s executes at most %i files', async (name, most) => {
  const files = await filesOf(name, most)
  if (process.env.FILES === 'list')
    process.stdout.write(`${name}: ${files.length}\n  ${files.join('\n  ')}\n`)
  expect(files.length).toBeLessThanOrEqual(most)
})
