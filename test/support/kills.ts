import { expect } from 'bun:test'
import { resolve } from 'node:path'
import type { FAILURE_POINTS, FailurePoint } from '../../src/lib/failure-points.ts'
import { runInProcess } from './cli.ts'
import { type CommandProcess, newFolder, type ServerProcess, startProcess } from './process.ts'
import { randomSource } from './random.ts'
import { until } from './webhooks.ts'

/* Kills of real processes: a server during writes, a command while it runs, and a function between its steps. */

export interface Stored {
  readonly id: string
  readonly state: unknown
}

/** A write that leaves one object in a unique state. */
export interface Change {
  /** Names the object before it has an id. */
  readonly subject: string
  /** Undefined if the write deletes the object. */
  readonly state: unknown
  send(
    server: ServerProcess,
  ): Promise<{ readonly status: number; readonly body: ReturnType<typeof JSON.parse> }>
}

/** One connection, which sends its writes one after another until the server is gone. */
export class Writer {
  /** The number of changes. */
  count = 0
  acknowledged = 0
  /** Keyed by subject, as acknowledged or as found after the last kill. */
  readonly objects = new Map<string, Stored>()
  /** Neither acknowledged nor refused: the write may or may not have happened. */
  inProgress: Change | undefined
  readonly happened: Change[] = []

  constructor(
    readonly name: string,
    readonly random: (below: number) => number,
  ) {}

  async writeUntilExit(server: ServerProcess, next: (writer: Writer) => Change): Promise<void> {
    for (;;) {
      this.count += 1
      const change = next(this)
      this.inProgress = change
      // A missing or partial response means that the server was killed.
      const answer = await change.send(server).catch(() => undefined)
      if (!answer) return
      expect([200, 201]).toContain(answer.status)
      this.acknowledged += 1
      this.#note(change, idIn(answer.body))
    }
  }

  /** Determines from the objects found whether the change in progress happened. */
  settle(found: ReadonlyMap<string, Stored>): void {
    const change = this.inProgress
    const stored = change && found.get(change.subject)
    if (change && Bun.deepEquals(stored?.state, change.state)) this.#note(change, stored?.id ?? '')
    this.inProgress = undefined
  }

  #note(change: Change, id: string): void {
    const { subject, state } = change
    if (state === undefined) this.objects.delete(subject)
    else this.objects.set(subject, { id: this.objects.get(subject)?.id ?? id, state })
    this.happened.push(change)
    this.inProgress = undefined
  }
}

const idIn = (body: ReturnType<typeof JSON.parse>): string =>
  body.note?.id ?? body.record?.id ?? body.records?.[0]?.id ?? ''

export interface Scenario {
  readonly kills: number
  readonly writers: number
  readonly args?: readonly string[]
  prepare?(server: ServerProcess): Promise<unknown>
  /** Returns the next change of a writer. */
  next(writer: Writer): Change
  /** Returns the number of acknowledged writes before this kill. */
  after(kill: number): number
  /** Runs beside the writers until the server is gone. */
  beside?(server: ServerProcess, db: string): Promise<void>
  /** Returns everything that the writers can have written, as read from the restarted server. */
  found(server: ServerProcess): Promise<ReadonlyMap<string, Stored>>
  /** Runs further checks after each kill, given all changes so far. */
  verify?(server: ServerProcess, happened: readonly Change[]): Promise<void>
  /** Runs further checks once, after the last kill. */
  finish?(server: ServerProcess, happened: readonly Change[]): Promise<void>
}

/**
 * Kills a server repeatedly during writes. After each kill, every object must equal its acknowledged state or the
 * result of the write in progress. No other object may exist, and `daybook check` must find no fault.
 */
export async function killed(scenario: Scenario): Promise<void> {
  const folder = newFolder()
  const db = folder.file('daybook.db')
  const args = ['--log-level', 'warn', ...(scenario.args ?? [])]
  const random = randomSource(20_261_121)
  const writers = Array.from({ length: scenario.writers }, (_, at) => new Writer(`writer ${at}`, random))
  const happened = () => writers.flatMap((writer) => writer.happened)
  let server = await startProcess(db, { args })
  const { key } = server
  try {
    await scenario.prepare?.(server)
    for (let kill = 0; kill < scenario.kills; kill++) {
      const running = server
      const beside = scenario.beside?.(running, db)
      const writing = writers.map((writer) => writer.writeUntilExit(running, (one) => scenario.next(one)))
      const enough = acknowledgedBy(writers) + scenario.after(kill)
      await Promise.race([Promise.all(writing), until(() => acknowledgedBy(writers) > enough)])
      expect(await server.end('SIGKILL')).toBe(null)
      await Promise.all([...writing, beside])
      server = await startProcess(db, { args, key })
      expectSettled(writers, await scenario.found(server))
      await scenario.verify?.(server, happened())
      expect(await runInProcess(['check', '--db', db])).toEqual({ exitCode: 0, out: 'ok\n', err: '' })
    }
    await scenario.finish?.(server, happened())
    expect(await server.end()).toBe(0)
  } finally {
    await server.end('SIGKILL')
    folder.remove()
  }
}

const acknowledgedBy = (writers: readonly Writer[]) =>
  writers.reduce((sum, { acknowledged }) => sum + acknowledged, 0)

function expectSettled(writers: readonly Writer[], found: ReadonlyMap<string, Stored>): void {
  for (const writer of writers) writer.settle(found)
  const wanted = new Map(writers.flatMap(({ objects }) => [...objects]))
  expect([...wanted.keys()].filter((subject) => !found.has(subject))).toEqual([])
  for (const [subject, { state }] of found)
    expect([subject, state]).toEqual([subject, wanted.get(subject)?.state ?? 'nobody wrote it'])
}

/** Kills a command once `isTime` resolves; returns whether the command was still running. */
export async function killWhen(command: CommandProcess, isTime: Promise<unknown>): Promise<boolean> {
  await Promise.race([isTime, command.exited])
  return (await command.end('SIGKILL')) === null
}

/**
 * Runs a script in a process that kills itself when it reaches a failure point of a component for the n-th time;
 * Infinity lets the script finish. Returns after the process ends.
 */
export async function killedAtPoint(
  n: number,
  component: (typeof FAILURE_POINTS)[FailurePoint],
  script: string,
): Promise<void> {
  const module = JSON.stringify(resolve('src/lib/failure-points.ts'))
  const counting = `let left = ${n}
    const { FAILURE_POINTS, watchFailurePoints } = await import(${module})
    watchFailurePoints((point) => {
      if (FAILURE_POINTS[point] === '${component}' && --left === 0) process.kill(process.pid, 'SIGKILL')
    })`
  const child = Bun.spawn([process.execPath, '-e', `${counting}\n${script}`], { stderr: 'pipe' })
  expect(await child.stderr.text()).toBe('')
  await child.exited
  expect(child.signalCode).toBe(n === Number.POSITIVE_INFINITY ? null : 'SIGKILL')
}
