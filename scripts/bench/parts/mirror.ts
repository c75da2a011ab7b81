import { copyFileSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { spawn } from 'bun'
import { fillRows } from '../browser/records.ts'
import { fillNotes, openDataset, temporaryFolder } from '../dataset.ts'
import { timesOf } from '../measure.ts'
import { type Goal, milliseconds, rowOf, type Section } from '../results.ts'
import { startServer } from '../servers.ts'

const MAX_COPY_RATIO = 1.5
const MAX_LAG_MS = 250
const MAX_LONGER_MS = 20
const MAX_MEMORY_MIB = 200
const WRITES_PER_SECOND = 500
const EXECUTABLE = join(import.meta.dir, '..', '..', '..', 'dist', 'daybook')

export interface MirrorSizes {
  readonly rows: number
  readonly notes: number
  readonly seconds: number
}

/** Returns the peak memory of a process in MiB; 0 where the system does not report it. */
function peakMemory(pid: number): number {
  const file = `/proc/${pid}/status`
  const [, kib] = existsSync(file) ? (/VmHWM:\s+(\d+) kB/.exec(readFileSync(file, 'utf8')) ?? []) : []
  return Number(kib ?? 0) / 1024
}

/** Runs a command to its end; returns its duration and its observed peak memory. */
async function timed(args: string[], env: Record<string, string> = {}): Promise<{ ms: number; mib: number }> {
  const startedAt = performance.now()
  const child = spawn([EXECUTABLE, ...args], { env, stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' })
  let mib = 0
  const sampling = setInterval(() => {
    mib = Math.max(mib, peakMemory(child.pid))
  }, 50)
  const exitCode = await child.exited
  clearInterval(sampling)
  if (exitCode !== 0) throw new Error(`daybook ${args[0]} exited ${exitCode}`)
  return { ms: performance.now() - startedAt, mib }
}

/** Returns the durations of short requests until `isOver`. */
async function probe(url: string, key: string, until: { isOver: boolean }): Promise<number[]> {
  const samples: number[] = []
  while (!until.isOver) {
    const startedAt = performance.now()
    await (await fetch(`${url}/v1/me`, { headers: { authorization: `Bearer ${key}` } })).text()
    samples.push(performance.now() - startedAt)
    await Bun.sleep(5)
  }
  return samples
}

const p99 = (samples: readonly number[]): number =>
  samples.toSorted((left, right) => left - right)[Math.floor(samples.length * 0.99)] ?? Number.NaN

const timeRow = (what: string, daybook: number, floor: number | undefined, goal: Goal = {}, text?: string) =>
  rowOf({ what, show: milliseconds, daybook, floor, goal, ...(text && { text: { daybook: text } }) })

const memoryRow = (what: string, daybook: number) =>
  rowOf({ what, show: (value) => `${value.toFixed(0)} MiB`, daybook, goal: { max: MAX_MEMORY_MIB } })

/** Measures copying a workspace, and following it during writes. */
export async function benchMirror({ rows, notes, seconds }: MirrorSizes): Promise<Section[]> {
  const folder = temporaryFolder()
  const file = join(folder, 'remote.db')
  const data = await openDataset(file)
  await fillNotes(data, notes)
  const { id: structure } = await fillRows(data, rows)
  const { key } = data
  data.close()
  const others = await copyOtherwise(folder, file)
  const remote = await startServer(file, ['--log-level', 'warn'])
  const url = `http://127.0.0.1:${remote.port}`
  const quiet = await probeFor(url, key, 2_000)
  const until = { isOver: false }
  const probing = probe(url, key, until)
  const copy = join(folder, 'mirror.db')
  const { ms, mib } = await timed(['mirror', url, '--db', copy, '--once'], { DAYBOOK_KEY: key })
  until.isOver = true
  const busy = await probing
  const { lags, memory } = await follow(url, key, copy, structure, seconds)
  await remote.stop()
  return [
    {
      title: `${rows.toLocaleString('en-US')} rows and ${notes.toLocaleString('en-US')} notes`,
      rows: [
        timeRow('copying a workspace (floor: export and import)', ms, others.exportMs + others.importMs, {
          maxRatio: MAX_COPY_RATIO,
        }),
        timeRow('copying a workspace (floor: copying the file)', ms, others.fileMs),
        memoryRow('memory while it is copied', mib),
        timeRow('a short request of the remote while it is copied, p99', p99(busy), p99(quiet), {
          max: p99(quiet) + MAX_LONGER_MS,
        }),
        timeRow(
          `lag at ${WRITES_PER_SECOND} writes a second, p99`,
          p99(lags),
          undefined,
          { max: MAX_LAG_MS },
          `${milliseconds(p99(lags))} (median ${milliseconds(timesOf(lags).median)})`,
        ),
        memoryRow('memory while it follows', memory),
      ],
    },
  ]
}

async function probeFor(url: string, key: string, ms: number): Promise<number[]> {
  const until = { isOver: false }
  setTimeout(() => {
    until.isOver = true
  }, ms)
  return probe(url, key, until)
}

async function copyOtherwise(folder: string, file: string) {
  const [exported, imported, copied] = ['export', 'imported.db', 'copied.db'].map((name) =>
    join(folder, name),
  )
  const { ms: exportMs } = await timed(['export', exported ?? '', '--db', file])
  const empty = await openDataset(imported ?? '')
  empty.close()
  const { ms: importMs } = await timed(['import', exported ?? '', '--db', imported ?? ''])
  const startedAt = performance.now()
  copyFileSync(file, copied ?? '')
  const fileMs = performance.now() - startedAt
  for (const path of [exported, imported, copied]) rmSync(path ?? '', { recursive: true })
  return { exportMs, importMs, fileMs }
}

/**
 * Follows the remote while rows are written at an even rate. Returns the times from each response until the copy has
 * the row.
 */
async function follow(url: string, key: string, copy: string, structure: string, seconds: number) {
  const mirror = await startMirror(url, key, copy)
  const written = new Map<string, number>()
  const lags: number[] = []
  const stop = new AbortController()
  const reading = readChanges(mirror.url, mirror.key, stop.signal, (id) => {
    const at = written.get(id)
    if (at !== undefined) lags.push(performance.now() - at)
  })
  const pending: Promise<void>[] = []
  const startedAt = performance.now()
  for (let count = 0; count < seconds * WRITES_PER_SECOND; count++) {
    const wait = startedAt + (count * 1_000) / WRITES_PER_SECOND - performance.now()
    if (wait > 1) await Bun.sleep(wait)
    pending.push(writeRow(url, key, structure, written))
  }
  await Promise.all(pending)
  while (lags.length < written.size * 0.99 && performance.now() - startedAt < seconds * 4_000)
    await Bun.sleep(50)
  const memory = peakMemory(mirror.pid)
  stop.abort()
  await reading
  await mirror.stop()
  return { lags, memory }
}

async function writeRow(
  url: string,
  key: string,
  structure: string,
  written: Map<string, number>,
): Promise<void> {
  const response = await fetch(`${url}/v1/records`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ structure, data: {} }),
  })
  const { records } = (await response.json()) as { records: { id: string }[] }
  const [record] = records
  if (record) written.set(record.id, performance.now())
}

async function readChanges(url: string, key: string, signal: AbortSignal, onChange: (id: string) => void) {
  const headers = { authorization: `Bearer ${key}` }
  let cursor = 'now'
  while (!signal.aborted) {
    const response = await fetch(`${url}/v1/changes?limit=1000&wait=5&after=${cursor}`, {
      headers,
      signal,
    }).catch(() => undefined)
    if (!response) return
    const page = (await response.json()) as { changes: { id: string }[]; cursor: string }
    for (const { id } of page.changes) onChange(id)
    cursor = page.cursor
  }
}

async function startMirror(url: string, key: string, copy: string) {
  const made = spawn([EXECUTABLE, 'keys', 'create', '--db', copy, '--name', 'bench'], { stdout: 'pipe' })
  const ownKey = (await new Response(made.stdout).text()).trim()
  const child = spawn([EXECUTABLE, 'mirror', url, '--db', copy, '--port', '0'], {
    env: { DAYBOOK_KEY: key, DAYBOOK_LOG_LEVEL: 'warn' },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'ignore',
  })
  let output = ''
  for await (const chunk of child.stdout) {
    output += Buffer.from(chunk).toString()
    if (output.includes('listening on')) break
  }
  return {
    url: /http:\S+/.exec(output)?.[0] ?? '',
    key: ownKey,
    pid: child.pid,
    stop: async () => {
      child.kill('SIGTERM')
      await child.exited
    },
  }
}
