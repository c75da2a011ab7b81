import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { spawn } from 'bun'
import { ensureOwnTable } from '../../../src/records/structures/storage/live-rows.ts'
import { definitionOf, listAllStructureRows } from '../../../src/records/structures/store.ts'
import { openDataset, temporaryFolder } from '../dataset.ts'
import { median } from '../measure.ts'
import { counted, milliseconds, type Row, rowOf, type Section } from '../results.ts'
import { processorTime, residentMiB, type Server, startServer, untilAtRest } from '../servers.ts'
import { fillWorkspaces, NOTES, ROWS, STRUCTURES } from '../workspaces/fill.ts'

/** The measurements of one file, by name. */
type Figures = Record<string, number>

const GOALS: Readonly<Record<string, number>> = {
  'start, ms': 500,
  'idle memory, MiB': 150,
  'read of another workspace after a structure was created, ms': 20,
}

async function send({ port }: Server, key: string, path: string, body?: object): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(text)
}

async function timed(action: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await action()
  return performance.now() - started
}

/** Returns the duration of a command on a file. */
const timeOf = (...args: string[]): Promise<number> =>
  timed(async () => {
    const command = spawn(['dist/daybook', ...args], { stdout: 'ignore', stderr: 'ignore' })
    if ((await command.exited) !== 0) throw new Error(`daybook ${args[0]} failed`)
  })

const IDLE_MS = 2_500
const WARM_UP = 30
const REQUESTS = 400
const CREATIONS = 9

/** Returns the processor time per request, averaged over many requests. */
async function costOf(server: Server, request: (at: number) => Promise<void>): Promise<number> {
  for (let at = 0; at < WARM_UP; at++) await request(at)
  const before = processorTime(server)
  for (let at = 0; at < REQUESTS; at++) await request(WARM_UP + at)
  return (processorTime(server) - before) / REQUESTS
}

async function measureServer(file: string, keys: readonly string[]): Promise<Figures> {
  const [key = '', other = ''] = [keys.at(-1), keys[0]]
  let server: Server | undefined
  const start = await timed(async () => {
    server = await startServer(file, ['--log-level', 'warn'])
    await send(server, key, '/v1/me')
  })
  if (!server) throw new Error('the server did not start')
  const running = server
  await Bun.sleep(IDLE_MS)
  const memory = residentMiB(running.pid)
  await untilAtRest(running)
  const get = (path: string) => costOf(running, () => send(running, key, path))
  const figures = {
    'start, ms': start,
    'idle memory, MiB': memory,
    'page of notes, processor ms': await get('/v1/notes?limit=5&content=false'),
    'page of rows, processor ms': await get('/v1/records?structure=Structure%200&limit=5'),
    'search, processor ms': await get('/v1/notes?limit=5&search=bibe'),
    'create a note, processor ms': await costOf(running, (at) =>
      send(running, key, '/v1/notes', { title: `Note ${at}`, content: 'x' }),
    ),
  }
  const [creations, waits]: [number[], number[]] = [[], []]
  for (let at = 0; at < CREATIONS; at++) {
    const body = { name: `New ${at}`, fields: [{ key: 'a', type: 'text' }] }
    creations.push(await timed(() => send(running, key, '/v1/records/structures', body)))
    waits.push(await timed(() => send(running, other, '/v1/records?structure=Structure%201&limit=1')))
  }
  await running.stop()
  return {
    ...figures,
    'create a structure, ms': median(creations),
    'read of another workspace after a structure was created, ms': median(waits),
  }
}

async function measure(count: number): Promise<Figures> {
  const folder = join(temporaryFolder(), String(count))
  mkdirSync(folder)
  const file = join(folder, 'daybook.db')
  const data = await openDataset(file)
  const keys = await fillWorkspaces(data.ctx, 0, count)
  data.close()
  return {
    ...(await measureServer(file, keys)),
    'create a workspace by command, ms': await timeOf(
      'workspaces',
      'add',
      'New',
      '--user',
      'owner',
      '--db',
      file,
    ),
    'backup, ms': await timeOf('backup', join(folder, 'copy.db'), '--db', file),
    'check, ms': await timeOf('check', '--db', file),
    'upgrade from a table for each structure, ms': await measureUpgrade(file),
  }
}

/** Measures a start on a file of an older version, which gave each structure its own table. */
async function measureUpgrade(file: string): Promise<number> {
  const { ctx, close } = await openDataset(file)
  await ctx.db.write((tx): void => {
    for (const row of listAllStructureRows(tx)) ensureOwnTable(tx, row.pk, definitionOf(row))
    tx.sql.run('UPDATE structure_stats SET own_table = 2')
  })
  close()
  const startedAt = performance.now()
  const server = await startServer(file, ['--log-level', 'warn'])
  const took = performance.now() - startedAt
  await server.stop()
  return took
}

/** The limit for the processor time of a small request, relative to a single workspace. */
const MAX_GROWTH = 1.1

function compared(what: string, value: number, smaller: number | undefined, one: number | undefined): Row {
  const [, name = what, unit = ''] = /^(.*), ([^,]+)$/.exec(what) ?? []
  const isSmallRequest = unit.startsWith('processor')
  return rowOf({
    what: isSmallRequest ? `${name} (processor time)` : name,
    show: unit === 'MiB' ? (figure) => `${Math.round(figure)} MiB` : milliseconds,
    daybook: value,
    floor: isSmallRequest ? one : smaller,
    goal: isSmallRequest ? (one === undefined ? {} : { maxRatio: MAX_GROWTH }) : { max: GOALS[what] },
  })
}

/**
 * The cost of many small workspaces in one file. The floor of each size is the previous size; the floor of small
 * requests is one workspace.
 */
export async function benchWorkspaces(counts: readonly number[]): Promise<Section[]> {
  const sections: Section[] = []
  let one: Figures | undefined
  let smaller: Figures = {}
  for (const count of counts) {
    const figures = await measure(count)
    const title = `${counted(count, 'workspace')} of ${NOTES} notes and ${STRUCTURES} structures of ${ROWS} rows`
    const rows = Object.entries(figures).map(([what, value]) =>
      compared(what, value, smaller[what], one?.[what]),
    )
    sections.push({ title, rows })
    one ??= figures
    smaller = figures
  }
  return sections
}
