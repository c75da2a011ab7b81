import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { newAuthority } from '../../test/support/certificates.ts'
import { Random } from '../lib/random.ts'
import { CliUser } from './actors/cli-user.ts'
import { DisconnectingClient } from './actors/disconnecting-client.ts'
import { NoteWriter, RetryingWriter } from './actors/note-writer.ts'
import { Reader } from './actors/reader.ts'
import type { WriterKey } from './actors/row-writer.ts'
import { RowWriter } from './actors/row-writer.ts'
import { Watcher } from './actors/watcher.ts'
import { WebhookAdmin } from './actors/webhook-admin.ts'
import { Client, type ClientOptions } from './client.ts'
import { FakeClock } from './faults/clock.ts'
import { Disk } from './faults/disk.ts'
import { FaultInjector } from './faults/injector.ts'
import { FaultWindows, Pacing } from './faults/windows.ts'
import { createFixtures, type Fixtures } from './fixtures.ts'
import { compareFiles, compareNotes, compareRows, compareWatch } from './oracle/compare.ts'
import { ExpectedNotes } from './oracle/expected-notes.ts'
import { ExpectedRows } from './oracle/expected-rows.ts'
import { Resources } from './oracle/resources.ts'
import { Statistics, Violations } from './report.ts'
import { Program, Server } from './server.ts'
import { drain, type Subscription, subscribe } from './subscriptions.ts'

const QUERIES = [
  { sort: 'updated_at', limit: 200 },
  { filter: [{ field: 'lane', op: 'eq', value: 'red' }], limit: 50 },
  { sort: 'amount', direction: 'asc', limit: 20 },
]

/** Repeats its step until the load ends, with a random pause of this mean. */
interface Actor {
  readonly actor: { step(): Promise<void> }
  readonly pauseMs: number
}

/** The actors, the watchers and the faults of a run. */
export interface Workload {
  readonly actors: readonly Actor[]
  readonly watchers: readonly Watcher[]
  readonly cliUser: CliUser
  readonly reader: Reader
  readonly faultInjector: FaultInjector
}

export interface WorkloadOptions {
  readonly shared: ClientOptions & { readonly api: Client }
  readonly seed: number
  readonly rows: ExpectedRows
  readonly notes: ExpectedNotes
  readonly keys: readonly [WriterKey, WriterKey]
  readonly fixtures: Fixtures
  readonly program: Program
  readonly clock: FakeClock | undefined
  readonly disk: Disk | undefined
  readonly pacing: Pacing
  readonly subscriptions: readonly Subscription[]
}

/** Gives each actor its own random choices, derived from the seed. */
export function newWorkload({
  shared,
  seed,
  rows,
  notes,
  keys,
  fixtures,
  ...rest
}: WorkloadOptions): Workload {
  let seeds = seed
  const options = () => ({ ...shared, random: new Random(++seeds) })
  const [first, second] = keys
  const retrying = new RetryingWriter(shared.api, notes)
  const reader = new Reader({ ...options(), fixtures, retrying })
  const cliUser = new CliUser({ ...options(), ...rest })
  const writers = [
    ...[first, second, first].map(
      (key, at) => new RowWriter({ ...options(), name: `writer${at}`, expected: rows, key }),
    ),
    ...[0, 1].map((at) => new NoteWriter({ ...options(), name: `writer ${at}`, expected: notes })),
  ]
  return {
    actors: [
      ...writers.map((actor) => ({ actor, pauseMs: 25 })),
      { actor: retrying, pauseMs: 100 },
      { actor: reader, pauseMs: 20 },
      { actor: new Reader({ ...options(), fixtures, retrying }), pauseMs: 20 },
      { actor: new DisconnectingClient({ ...options(), notes }), pauseMs: 100 },
      { actor: new WebhookAdmin({ ...options(), ...rest }), pauseMs: 500 },
      { actor: cliUser, pauseMs: 1_000 },
    ],
    watchers: QUERIES.map((query) => new Watcher({ ...options(), query })),
    cliUser,
    reader,
    faultInjector: new FaultInjector({ ...options(), ...rest }),
  }
}

/** The share of the time in which faults restart the server. In the rest, its memory is measured. */
const RESTART_SHARE = 0.6

export interface SoakOptions {
  readonly executable: string
  /** An empty folder for this run. */
  readonly folder: string
  readonly durationMs: number
  readonly seed: number
  readonly faketime: string | undefined
}

/** One run: a workload with fault injection, then a comparison of all data with the expected state. */
export class SoakRun {
  readonly violations = new Violations([
    'responses',
    'process',
    'rows',
    'notes',
    'search',
    'watches',
    'events',
    'signatures',
    'deliveries',
    'commands',
    'memory',
    'handles',
    'check',
  ])
  readonly statistics = new Statistics()
  readonly #options: SoakOptions
  readonly #faultWindows = new FaultWindows()
  readonly #pacing = new Pacing()
  readonly #rows = new ExpectedRows()
  readonly #notes = new ExpectedNotes()
  readonly #disk: Disk | undefined
  readonly #clock: FakeClock | undefined
  readonly #program: Program
  readonly #server: Server
  readonly #api: Client
  #subscriptions: readonly Subscription[] = []
  #resourceLine = ''

  constructor(options: SoakOptions) {
    const { executable, folder, faketime } = options
    const { violations, statistics } = this
    const faultWindows = this.#faultWindows
    this.#options = options
    this.#clock = FakeClock.find(folder, faketime)
    if (!this.#clock) violations.notice('libfaketime is not installed, so the clock was not changed')
    this.#disk = Disk.mount(join(folder, 'disk'))
    if (!this.#disk) violations.notice('mounting is not allowed here, so the disk was not filled')
    // Runs a copy, so that a concurrent build does not change the executable.
    const copy = join(folder, 'daybook')
    copyFileSync(executable, copy)
    this.#program = new Program(copy, join(folder, 'disk', 'daybook.db'), this.#clock?.env ?? {})
    const args = ['--webhook-allow', '127.0.0.1', '--webhook-ca', join(folder, 'ca.pem')]
    this.#server = new Server({ program: this.#program, args, faultWindows, violations })
    this.#api = new Client({ server: this.#server, faultWindows, violations, statistics })
  }

  async run(): Promise<void> {
    const workload = await this.#prepare()
    await this.#load(workload)
    await this.#settle(workload)
    await this.#compare(workload)
  }

  get lines(): string[] {
    return [...this.statistics.lines, this.#resourceLine, ...this.violations.lines]
  }

  /** Kills the server and releases all resources of the run. */
  async clear(): Promise<void> {
    await this.#server.kill()
    for (const { receiver } of this.#subscriptions) await receiver.close()
    this.#disk?.unmount()
  }

  async #prepare(): Promise<Workload> {
    const { violations, statistics } = this
    const faultWindows = this.#faultWindows
    const authority = await newAuthority('daybook soak')
    await Bun.write(join(this.#options.folder, 'ca.pem'), authority.cert)
    await this.#server.start()
    const keys = [await this.#newKey('first'), await this.#newKey('second')] as const
    const fixtures = await createFixtures(this.#api, this.#notes)
    const otherKeyId = keys[1].id
    this.#subscriptions = await subscribe(this.#api, { authority, violations, otherKeyId })
    return newWorkload({
      shared: { api: this.#api, server: this.#server, faultWindows, statistics, violations },
      seed: this.#options.seed,
      rows: this.#rows,
      notes: this.#notes,
      keys,
      fixtures,
      program: this.#program,
      clock: this.#clock,
      disk: this.#disk,
      pacing: this.#pacing,
      subscriptions: this.#subscriptions,
    })
  }

  async #newKey(name: string): Promise<WriterKey> {
    return JSON.parse((await this.#program.run('keys', 'create', '--name', name, '--json')).out)
  }

  /** Runs the workload: first with faults that restart the server, then without. */
  async #load({ actors, watchers, faultInjector }: Workload): Promise<void> {
    const { durationMs } = this.#options
    const end = performance.now() + durationMs
    const random = new Random(this.#options.seed)
    const repeat = async (step: () => Promise<void>, pauseMs: number, until = end) => {
      while (performance.now() < until) {
        await step()
        await this.#pacing.rest(random.below(2 * pauseMs))
      }
    }
    const watching = watchers.map((watcher) => watcher.run())
    const working = actors.map(({ actor, pauseMs }) => repeat(() => actor.step(), pauseMs))
    working.push(repeat(() => faultInjector.disturbReceiver(), 0))
    await repeat(() => faultInjector.disturbServer(), 0, end - durationMs * (1 - RESTART_SHARE))
    const resources = new Resources(this.#server.pid)
    await Promise.all(working)
    this.#resourceLine = resources.end(this.violations)
    void Promise.all(watching)
  }

  /** After the load: waits for all deliveries and compares the watches. */
  async #settle({ watchers }: Workload): Promise<void> {
    await drain(this.#api, this.#subscriptions, this.violations)
    for (const watcher of watchers) {
      await compareWatch(this.#api, watcher, this.violations)
      watcher.end()
    }
    await this.#restart()
  }

  async #restart(): Promise<void> {
    const over = this.#faultWindows.begin()
    await this.#server.stop()
    await this.#server.start()
    over()
  }

  async #compare({ cliUser, reader }: Workload): Promise<void> {
    const { violations } = this
    await compareRows(this.#api, this.#rows, violations)
    await compareNotes(this.#api, this.#notes, violations)
    await compareFiles(this.#api, cliUser.files, violations)
    for (const subscription of this.#subscriptions) subscription.compare(this.#rows.events)
    for (let read = 0; read < 50; read++) await reader.step()
    await this.#server.stop()
    const { exitCode, out, err } = await this.#program.run('check')
    if (exitCode !== 0) violations.add('check', out + err)
  }
}
