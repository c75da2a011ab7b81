import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Random } from '../../scripts/lib/random.ts'
import { FAILURE_POINTS, type FailurePoint } from '../../src/lib/failure-points.ts'
import { Agents } from './agents.ts'
import { Keys } from './keys.ts'
import { Ledger } from './ledger.ts'
import { Mirror } from './mirror.ts'
import { checkAll, checkFile, countPending } from './oracles.ts'
import { Programs } from './programs.ts'
import { Readers } from './readers.ts'
import type { ServerEnd } from './server.ts'
import { preloadOperations } from './threads.ts'
import { preloadApiDocument, World } from './world.ts'
import { Writers } from './writers.ts'

/*
 * One run: a world of writers, readers, receivers and faults that follows from a seed. Every step draws its choices
 * from the seed and its own number, so a run can leave steps out and keep the others as they are.
 */

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
/** All deliveries have ended after this: five attempts within 7 hours, and those of a paused subscription. */
const SETTLED_WITHIN_MS = 12 * HOUR_MS

export interface RunOptions {
  readonly seed: number
  readonly steps: number
  /** How much time passes, apart from the end. */
  readonly days: number
  /** Runs only these steps. */
  readonly only?: ReadonlySet<number>
}

export interface RunResult {
  /** The first broken promise; undefined if there is none. */
  readonly failure: string | undefined
  readonly digest: string
  readonly trace: readonly string[]
  readonly logged: readonly string[]
  /** The number of steps that were taken before the failure. */
  readonly steps: number
  readonly counts: Readonly<Record<string, number>>
  /** The failure points at which the server ended. */
  readonly crashedAt: ReadonlySet<FailurePoint>
}

/** The points that a server reaches while it serves. */
export const POINTS = (Object.keys(FAILURE_POINTS) as FailurePoint[]).filter(
  (point) => !['migration', 'copy', 'restore'].includes(FAILURE_POINTS[point]),
)

type Step = (random: Random) => Promise<void>

export class SimulationRun {
  readonly #options: RunOptions
  readonly world: World
  readonly #ledger: Ledger
  readonly #writers: Writers
  readonly #programs: Programs
  readonly #readers: Readers
  readonly #keys: Keys
  readonly #agents: Agents
  readonly #mirror: Mirror
  readonly #running = new Set<Promise<void>>()
  readonly #counts: Record<string, number> = {}
  #failure: unknown
  #taken = 0
  #crashes = 0

  constructor(options: RunOptions, folder: string) {
    this.#options = options
    this.world = new World(options.seed, folder)
    this.#ledger = new Ledger(this.world)
    this.#writers = new Writers(this.world, this.#ledger)
    this.#programs = new Programs(this.world, this.#ledger)
    this.#readers = new Readers(this.world, this.#ledger)
    this.#keys = new Keys(this.world, this.#programs)
    this.#agents = new Agents(this.world, this.#ledger)
    this.#mirror = new Mirror(this.world, this.#ledger, this.#writers, folder)
  }

  async run(): Promise<RunResult> {
    const world = this.world
    const restore = world.platform.install()
    const unwatch = world.watch()
    let failure: string | undefined
    try {
      await world.platform.runUntil(this.#direct())
    } catch (error) {
      failure = error instanceof Error ? (error.stack ?? error.message) : String(error)
    } finally {
      unwatch()
      this.#mirror.abandon()
      world.abandon()
      restore()
    }
    const { digest, trace, logged, crashedAt } = world
    return { failure, digest, trace, logged, crashedAt, steps: this.#taken, counts: this.#counts }
  }

  async #direct(): Promise<void> {
    const { steps, only } = this.#options
    await this.world.start()
    await this.#programs.prepare()
    await this.#mirror.prepare()
    for (let step = 0; step < steps && this.#failure === undefined; step++)
      if (only?.has(step) ?? true) await this.#take(step)
    await this.#idle()
    await this.#settle()
    await checkAll({ world: this.world, ledger: this.#ledger, programs: this.#programs })
    await this.#checkFiles()
  }

  async #take(step: number): Promise<void> {
    const world = this.world
    const random = new Random(Math.imul(this.#options.seed + 1, 0x9e3779b1) ^ Math.imul(step + 1, 0x85ebca6b))
    this.#taken = step + 1
    const [name, act, isAlone] = this.#choose(random)
    this.#counts[name] = (this.#counts[name] ?? 0) + 1
    world.note(`step ${step}: ${name}`)
    if (isAlone) {
      await this.#idle()
      await act(random)
    } else this.#begin(act(random))
    await world.platform.sleep(random.chance(0.9) ? random.next() * 12 : random.next() * 1_500)
  }

  /** A step goes on beside the next ones. */
  #begin(running: Promise<void>): void {
    const ended = running
      .catch((error: unknown) => {
        this.#failure ??= error
      })
      .finally(() => void this.#running.delete(ended))
    this.#running.add(ended)
  }

  /** Waits for all steps; throws the first failure. */
  async #idle(): Promise<void> {
    while (this.#running.size > 0) {
      await Promise.race([Promise.all(this.#running), this.world.platform.sleep(1_000)])
    }
    if (this.#failure !== undefined) throw this.#failure
  }

  /** The name of a step, what it does, and whether it waits until no other step runs. */
  #choose(random: Random): [name: string, act: Step, isAlone: boolean] {
    const writers = this.#writers
    const programs = this.#programs
    const readers = this.#readers
    const weighted: [weight: number, name: string, act: Step, isAlone?: boolean][] = [
      [12, 'create a note', (own) => writers.createNote(own)],
      [14, 'change a note', (own) => writers.changeNote(own)],
      [14, 'create rows', (own) => writers.createRows(own)],
      [8, 'upsert rows', (own) => writers.upsertRows(own)],
      [18, 'change a row', (own) => writers.changeRow(own)],
      [6, 'delete', (own) => writers.remove(own)],
      [5, 'restore', (own) => writers.restore(own)],
      [4, 'rival batches', (own) => writers.rival(own)],
      [5, 'apply and undo', (own) => writers.apply(own)],
      [10, 'check one', (own) => readers.checkOne(own)],
      [6, 'count rows', (own) => readers.countRows(own)],
      [3, 'search', (own) => readers.searchNote(own)],
      [4, 'search while a note is renamed', (own) => readers.searchRenamed(own)],
      [8, 'follow', (own) => programs.follow(own)],
      [5, 'send an event', (own) => programs.sendEvent(own)],
      [3, 'plan a moment', (own) => programs.planMoment(own)],
      [4, 'pull', (own) => programs.pull(own)],
      [2, 'use a key', (own) => this.#keys.use(own)],
      [3, 'use the mirror', (own) => this.#mirror.use(own)],
      [2, 'create a note as an agent', (own) => this.#agents.createNote(own)],
      [1.2, 'kill', (own) => this.#restart(own, 'killed')],
      [1.2, 'power loss', (own) => this.#restart(own, 'power lost')],
      [2.5, 'crash at a point', (own) => this.#crash(own)],
      [0.5, 'restart', (own) => this.#restart(own, 'stopped')],
      [0.4, 'a failing disk', (own) => this.#disk(own, 'failing')],
      [0.2, 'a late disk', (own) => this.#disk(own, 'late')],
      [0.4, 'a full disk', (own) => this.#fillDisk(own)],
      [0.6, 'a clock jump', (own) => this.#jump(own), true],
      [1, 'a lull', (own) => this.#lull(own), true],
    ]
    let left = random.next() * weighted.reduce((sum, [weight]) => sum + weight, 0)
    for (const [weight, name, act, isAlone = false] of weighted) {
      left -= weight
      if (left < 0) return [name, act, isAlone]
    }
    return ['nothing', async () => {}, false]
  }

  async #restart(random: Random, how: ServerEnd): Promise<void> {
    await this.world.restart(how, random.next() * 2_000)
  }

  async #crash(random: Random): Promise<void> {
    this.#crashes += 1
    const point = POINTS[(this.#options.seed + this.#crashes) % POINTS.length] as FailurePoint
    const how = random.pick(['killed', 'power lost'] as const)
    this.world.crashAt({ point, how, count: 1 + random.below(5) })
  }

  async #disk(random: Random, mood: 'failing' | 'late'): Promise<void> {
    const { server } = this.world
    if (!server) return
    server.disk.mood = mood
    await this.world.platform.sleep(50 + random.next() * 500)
    server.disk.mood = 'well'
  }

  async #fillDisk(random: Random): Promise<void> {
    const { server } = this.world
    server?.fillDisk(true)
    await this.world.platform.sleep(50 + random.next() * 500)
    server?.fillDisk(false)
  }

  /** Sets the wall clock back by less than an hour, or forward. */
  async #jump(random: Random): Promise<void> {
    const byMs = random.chance(0.3) ? -random.next() * HOUR_MS : random.next() * 2 * DAY_MS
    this.world.note(`the clock jumps by ${Math.round(byMs)} ms`)
    this.world.platform.jump(Math.round(byMs))
  }

  /** Nothing happens for a while: for some minutes, or for a share of the simulated days. */
  async #lull(random: Random): Promise<void> {
    const { days, steps } = this.#options
    const share = (days * DAY_MS) / Math.max(1, steps / 150)
    this.world.platform.jump(Math.round(share * random.next()))
    await this.world.platform.sleep(random.next() * 3 * 60_000)
  }

  /** Repairs everything, and waits until nothing is left to do. */
  async #settle(): Promise<void> {
    const world = this.world
    world.receivers.areWell = true
    if (world.server) world.server.disk.mood = 'well'
    await this.#mirror.settle()
    const outcome = { world, ledger: this.#ledger, programs: this.#programs }
    const until = world.platform.elapsedMs + SETTLED_WITHIN_MS
    for (const id of Object.values(this.#programs.webhooks))
      await world.callUntilAnswered({ method: 'PATCH', path: `/v1/webhooks/${id}`, body: { resume: true } })
    while ((await countPending(outcome)) > 0 && world.platform.elapsedMs < until)
      await world.platform.sleep(HOUR_MS / 4)
    await world.platform.sleep(60_000)
  }

  async #checkFiles(): Promise<void> {
    const file = this.world.server?.disk.file
    await this.world.stop()
    if (file !== undefined) checkFile(file)
  }
}

/** Files in memory are synced at once, so the real disk takes no time. */
const MEMORY = '/dev/shm'

export async function simulate(options: RunOptions): Promise<RunResult> {
  const folder = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'daybook-simulation-'))
  try {
    await preloadOperations()
    await preloadApiDocument()
    return await new SimulationRun(options, folder).run()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
