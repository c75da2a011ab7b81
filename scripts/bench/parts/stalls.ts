import { Database } from 'bun:sqlite'
import { statfsSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { temporaryFolder } from '../dataset.ts'
import { milliseconds, type Row, type Section } from '../results.ts'
import { type Server, startServer } from '../servers.ts'
import { MOMENTS } from '../stalls/moments.ts'
import { addNeighbours, type NeighbourRequest } from '../stalls/neighbours.ts'
import {
  COMMANDS,
  NOTE_READS,
  type Operation,
  RECORD_READS,
  type Setting,
  VISITS,
  WRITES,
} from '../stalls/operations.ts'
import { WATCH } from '../stalls/watches.ts'
import { copyOfWorld, type World } from '../stalls/world.ts'

const MAX_READ_MS = 50
const MAX_WRITE_MS = 100
const START_MS = 10_000
const IDLE_MS = 3_000
/** If small reads of an idle server wait longer than this, other programs keep the machine busy. */
const QUIET_MS = 10
/** The type of an in-memory file system on Linux. */
const TMPFS = 0x01021994

/** In memory, waits come from daybook alone. On a disk they include the disk, which other machines may share. */
const whereFilesAre = (folder: string): string =>
  statfsSync(folder).type === TMPFS ? 'in memory, so that no wait is for a disk' : 'on a disk'

/** Milliseconds after the response in which further work counts toward the operation. */
const AFTER_MS = 300

interface Longest {
  waitMs: number
  mainMs: number
  allMs: number
  count: number
  failed: number
}

interface Delays {
  read: Longest
  write: Longest
}

interface Probe {
  /** Returns the longest waits since the last call. */
  take(): Promise<Delays>
  stop(): void
}

async function startProbe(server: Server, asked: NeighbourRequest): Promise<Probe> {
  const program = join(import.meta.dir, '..', 'processes', 'stall-probe.ts')
  const { writeKey, smallNote, smallRow } = asked
  const args = [String(server.port), String(server.pid), writeKey, smallNote, smallRow]
  const child = Bun.spawn([process.execPath, program, ...args], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const lines = createInterface({ input: Readable.from(child.stdout) })[Symbol.asyncIterator]()
  return {
    take: async () => {
      child.stdin.write('take\n')
      await child.stdin.flush()
      return JSON.parse((await lines.next()).value ?? '') as Delays
    },
    stop: () => child.kill(),
  }
}

function hasJob(file: string, kind: string): boolean {
  const database = new Database(file, { readonly: true })
  try {
    return database.query('SELECT 1 FROM jobs WHERE kind = ?').get(kind) !== null
  } finally {
    database.close()
  }
}

function settingOf(server: Server, world: World, file: string, folder: string): Setting {
  const executable = join(import.meta.dir, '..', '..', '..', 'dist', 'daybook')
  return {
    world,
    port: server.port,
    hasJob: (kind) => hasJob(file, kind),
    path: (name) => join(folder, name),
    send: async (method, path, body, key = world.writeKey) => {
      const response = await fetch(`http://127.0.0.1:${server.port}${path}`, {
        method,
        headers: { authorization: `Bearer ${key}` },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      return { status: response.status, text: await response.text() }
    },
    command: (...args) =>
      Bun.spawn([executable, ...args, '--db', file], { stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' })
        .exited,
  }
}

const waitsText = ({ read, write }: Delays) =>
  `read ${milliseconds(read.waitMs)} (main thread ${read.mainMs} ms), write ${milliseconds(write.waitMs)} (${write.mainMs} ms, all threads ${write.allMs} ms)`

const failedText = ({ read, write }: Delays) =>
  read.failed + write.failed === 0 ? '' : `, **${read.failed} reads and ${write.failed} writes failed**`

/**
 * On a quiet machine, the waits are compared with the goal. On a busy one, only the main thread's processor time during
 * the waits is. If an operation permits longer write waits, all threads count for writes.
 */
export function goalOfDelays(waits: Delays, idle: Delays, pauseMs?: number): { goal: string; met: boolean } {
  const isQuiet = idle.read.waitMs <= QUIET_MS
  const ofWrite = pauseMs === undefined ? waits.write.mainMs : waits.write.allMs
  const [read, write] = isQuiet ? [waits.read.waitMs, waits.write.waitMs] : [waits.read.mainMs, ofWrite]
  const maxWriteMs = pauseMs ?? MAX_WRITE_MS
  return {
    goal: `${isQuiet ? '' : 'processor time '}${MAX_READ_MS} ms, ${maxWriteMs} ms`,
    met: read <= MAX_READ_MS && write <= maxWriteMs,
  }
}

/** The first maintenance, which collects statistics for the query planner, begins 5 seconds after the start. */
const START: Operation = {
  what: 'the start and the first maintenance',
  run: async () => {
    await Bun.sleep(START_MS)
    return []
  },
}

interface Measured {
  operation: Operation
  ended: readonly (string | number)[]
  tookMs: number
  waits: Delays
}

async function measure(operation: Operation, setting: Setting, probe: Probe): Promise<Measured> {
  await operation.prepare?.(setting)
  await probe.take()
  const started = performance.now()
  const ended = await operation.run(setting).catch((error: Error) => [error.message])
  const tookMs = performance.now() - started
  await Bun.sleep(AFTER_MS)
  const waits = await probe.take()
  process.stderr.write(
    `${operation.what}: ${ended}, ${milliseconds(tookMs)}; ${waitsText(waits)}${failedText(waits)}\n`,
  )
  return { operation, ended, tookMs, waits }
}

function rowOf({ operation, ended, tookMs, waits }: Measured, idle: Delays, { rows }: World): Row {
  const { what, withinMs = Infinity, pauseMs } = operation
  const { goal, met } = goalOfDelays(waits, idle, pauseMs?.(rows))
  return {
    what,
    daybook: waitsText(waits) + failedText(waits),
    floor: waitsText(idle),
    ratio: `took ${milliseconds(tookMs)} (${ended.join(', ')})`,
    goal: `${goal}${withinMs < Infinity ? `, within ${withinMs / 1000} s` : ''}`,
    met: met && tookMs <= withinMs,
    value: waits.write.waitMs,
  }
}

/**
 * Measures the longest wait of a small read and of a small write beside each operation. `size` scales the database of
 * 100,000 notes and 1,000,000 rows; `only` selects operations by name. With `neighbours`, the file has that many other
 * workspaces, and the waits are measured in one of them.
 */
export async function benchStalls(size: number, only?: string, neighbours = 0): Promise<Section[]> {
  const folder = temporaryFolder()
  const { file, world } = await copyOfWorld(size, folder)
  const asked = neighbours > 0 ? await addNeighbours(file, neighbours) : world
  const server = await startServer(file, ['--webhook-allow', '127.0.0.1'])
  const probe = await startProbe(server, asked)
  const setting = settingOf(server, world, file, folder)
  const start = await measure(START, setting, probe)
  await Bun.sleep(IDLE_MS)
  const idle = await probe.take()
  process.stderr.write(`idle: ${waitsText(idle)}\n`)
  const groups: [string, readonly Operation[]][] = [
    ['the start', [START]],
    ['reads of records', RECORD_READS],
    ['reads of notes', NOTE_READS],
    ['watches', [WATCH]],
    ['moments', [MOMENTS]],
    ['visits of shared pages', VISITS],
    ['writes', WRITES],
    ['commands', COMMANDS],
  ]
  const sections: Section[] = []
  for (const [title, operations] of groups) {
    const rows: Row[] = []
    for (const operation of operations.filter(
      ({ what }) => only === undefined || new RegExp(only).test(what),
    ))
      rows.push(rowOf(operation === START ? start : await measure(operation, setting, probe), idle, world))
    const load = loadavg()
      .map((value) => value.toFixed(1))
      .join(', ')
    const remark = `Load average at the end: ${load}. The floor is the longest wait without the operation. The files were ${whereFilesAre(folder)}.`
    if (rows.length > 0)
      sections.push({
        title: `${neighbours > 0 ? `Waits of one of ${neighbours} other workspaces` : 'Waits'} beside ${title}, ${world.notes.toLocaleString('en-US')} notes, ${world.rows.toLocaleString('en-US')} rows`,
        rows,
        remark,
      })
  }
  probe.stop()
  await server.stop()
  return sections
}
