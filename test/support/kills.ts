import { expect } from 'bun:test'
import { runInProcess } from './cli.ts'
import { type CommandProcess, newFolder, type ServerProcess, startProcess } from './process.ts'
import { randomSource } from './random.ts'
import { until } from './webhooks.ts'

/* Kills of real processes: a server while it writes, a command while it runs, and a function between its steps. */

/** An object as it is stored. */
export interface Stored {
  readonly id: string
  readonly state: unknown
}

/** A write that leaves one object in a state that no other write leaves it in. */
export interface Change {
  /** Names the object; known before it has an id. */
  readonly subject: string
  /** Undefined where the write deletes the object. */
  readonly state: unknown
  send(
    server: ServerProcess,
  ): Promise<{ readonly status: number; readonly body: ReturnType<typeof JSON.parse> }>
}

/** One connection, whose writes follow one another until the server is gone. */
export class Writer {
  /** Counts the changes. */
  count = 0
  acknowledged = 0
  /** By subject, as acknowledged or as found after the last kill. */
  readonly objects = new Map<string, Stored>()
  /** Neither acknowledged nor refused: it happened or not. */
  inProgress: Change | undefined
  readonly happened: Change[] = []

  constructor(
    readonly name: string,
    readonly random: (below: number) => number,
  ) {}

  async writeUntilGone(server: ServerProcess, next: (writer: Writer) => Change): Promise<void> {
    for (;;) {
      this.count += 1
      const change = next(this)
      this.inProgress = change
      // No answer, or half of one: the server was killed.
      const answer = await change.send(server).catch(() => undefined)
      if (!answer) return
      expect([200, 201]).toContain(answer.status)
      this.acknowledged += 1
      this.#note(change, idIn(answer.body))
    }
  }

  /** Whether the change in progress happened is seen from what was found. */
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
  /** The next change of a writer. */
  next(writer: Writer): Change
  /** How many writes are acknowledged before a kill. */
  after(kill: number): number
  /** Runs beside the writers, until the server is gone. */
  beside?(server: ServerProcess, db: string): Promise<void>
  /** Everything that the writers can have written, as the restarted server has it. */
  found(server: ServerProcess): Promise<ReadonlyMap<string, Stored>>
  /** Checks more after each kill, given all changes that happened so far. */
  verify?(server: ServerProcess, happened: readonly Change[]): Promise<void>
  /** The same, once after the last kill. */
  finish?(server: ServerProcess, happened: readonly Change[]): Promise<void>
}

/**
 * Kills a server again and again while it is written to. After each kill every object must be as it was acknowledged, or
 * as the write in progress left it, there must be nothing else, and `daybook check` must find no fault.
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
      const writing = writers.map((writer) => writer.writeUntilGone(running, (one) => scenario.next(one)))
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

/** Kills a command once `isTime` resolves; returns whether it still ran. */
export async function killWhen(command: CommandProcess, isTime: Promise<unknown>): Promise<boolean> {
  await Promise.race([isTime, command.exited])
  return (await command.end('SIGKILL')) === null
}

/**
 * Runs a script in a process that kills itself in the call of `onStep` with this number; Infinity lets it end. Returns
 * once it has.
 */
export async function killedAtStep(step: number, script: string): Promise<void> {
  const counting = `let left = ${step}
    const onStep = () => { if (--left === 0) process.kill(process.pid, 'SIGKILL') }`
  const child = Bun.spawn([process.execPath, '-e', `${counting}\n${script}`], { stderr: 'pipe' })
  expect(await child.stderr.text()).toBe('')
  await child.exited
  expect(child.signalCode).toBe(step === Number.POSITIVE_INFINITY ? null : 'SIGKILL')
}
