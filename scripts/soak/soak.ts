import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { newAuthority } from '../../test/support/certificates.ts'
import { Random } from '../fuzz/random.ts'
import { Api } from './api.ts'
import { SetClock } from './clock.ts'
import { Commander } from './commander.ts'
import { compareFiles, compareNotes, compareRows, compareWatch } from './comparison.ts'
import { Disk } from './disk.ts'
import { Disturbances } from './disturbances.ts'
import { drain } from './drain.ts'
import { Faults } from './faults.ts'
import { Findings } from './findings.ts'
import { InsistentWriter } from './insistent-writer.ts'
import { NoteLedger } from './note-ledger.ts'
import { NoteWriter } from './note-writer.ts'
import { makeObjects } from './objects.ts'
import { Pace } from './pace.ts'
import { Program } from './program.ts'
import { Reader } from './reader.ts'
import { Resources } from './resources.ts'
import { RowLedger } from './row-ledger.ts'
import { RowWriter, type WriterKey } from './row-writer.ts'
import { Server } from './server.ts'
import { type Subscription, subscribe } from './subscriptions.ts'
import { Tally } from './tally.ts'
import { Tinkerer } from './tinkerer.ts'
import { Visitor } from './visitor.ts'
import { Watcher } from './watcher.ts'

/** The share of the time in which the server is restarted; in the rest its memory is watched. */
const STORM_SHARE = 0.6

const QUESTIONS = [
  { sort: 'updated_at', limit: 200 },
  { filter: [{ field: 'lane', op: 'eq', value: 'red' }], limit: 50 },
  { sort: 'amount', direction: 'asc', limit: 20 },
]

export interface SoakOptions {
  readonly executable: string
  /** A folder for this run alone. */
  readonly folder: string
  readonly durationMs: number
  readonly seed: number
  readonly faketime: string | undefined
}

/** Anything that goes on until the load ends. */
interface Actor {
  step(): Promise<void>
}

interface Cast {
  readonly actors: readonly (readonly [actor: Actor, pauseMs: number])[]
  readonly watchers: readonly Watcher[]
  readonly commander: Commander
  readonly reader: Reader
  readonly faults: Faults
}

/** One run: load and faults for a while, then everything is compared. */
export class Soak {
  readonly findings = new Findings()
  readonly tally = new Tally()
  readonly #options: SoakOptions
  readonly #disturbances = new Disturbances()
  readonly #pace = new Pace()
  readonly #rows = new RowLedger()
  readonly #notes = new NoteLedger()
  readonly #disk: Disk | undefined
  readonly #clock: SetClock | undefined
  readonly #program: Program
  readonly #server: Server
  readonly #api: Api
  #seeds: number
  #subscriptions: readonly Subscription[] = []
  #resourceLine = ''

  constructor(options: SoakOptions) {
    const { executable, folder, faketime } = options
    const { findings, tally } = this
    const disturbances = this.#disturbances
    this.#options = options
    this.#seeds = options.seed
    this.#clock = SetClock.find(folder, faketime)
    if (!this.#clock) findings.notice('there is no libfaketime, so the clock was left alone')
    this.#disk = Disk.mount(join(folder, 'disk'))
    if (!this.#disk) findings.notice('nothing may be mounted here, so the disk was not filled')
    // A build in the meantime must not change it.
    const copy = join(folder, 'daybook')
    copyFileSync(executable, copy)
    this.#program = new Program(copy, join(folder, 'disk', 'daybook.db'), this.#clock?.env ?? {})
    const args = ['--webhook-allow', '127.0.0.1', '--webhook-ca', join(folder, 'ca.pem')]
    this.#server = new Server({ program: this.#program, args, disturbances, findings })
    this.#api = new Api({ server: this.#server, disturbances, findings, tally })
  }

  get #shared() {
    const { tally, findings } = this
    const random = new Random(this.#seeds++)
    return { api: this.#api, server: this.#server, disturbances: this.#disturbances, tally, findings, random }
  }

  async run(): Promise<void> {
    const cast = await this.#prepare()
    await this.#load(cast)
    await this.#settle(cast)
    await this.#compare(cast)
  }

  get lines(): string[] {
    return [...this.tally.lines, this.#resourceLine, ...this.findings.lines]
  }

  /** Whatever happened, nothing of it stays. */
  async clear(): Promise<void> {
    await this.#server.kill()
    for (const { inbox } of this.#subscriptions) await inbox.close()
    this.#disk?.unmount()
  }

  async #prepare(): Promise<Cast> {
    const authority = await newAuthority('daybook soak')
    await Bun.write(join(this.#options.folder, 'ca.pem'), authority.cert)
    await this.#server.start()
    const keys = [await this.#newKey('first'), await this.#newKey('second')] as const
    const objects = await makeObjects(this.#api, this.#notes)
    const otherKeyId = keys[1].id
    this.#subscriptions = await subscribe(this.#api, { authority, findings: this.findings, otherKeyId })
    const insistent = new InsistentWriter(this.#api, this.#notes)
    const reader = new Reader({ ...this.#shared, objects, insistent })
    const subscriptions = this.#subscriptions
    const commander = new Commander({ ...this.#shared, program: this.#program, subscriptions })
    const rowWriters = [0, 1, 2].map(
      (at) =>
        new RowWriter({
          ...this.#shared,
          name: `writer${at}`,
          ledger: this.#rows,
          key: keys[at % 2] ?? keys[0],
        }),
    )
    const noteWriters = [0, 1].map(
      (at) => new NoteWriter({ ...this.#shared, name: `writer ${at}`, ledger: this.#notes }),
    )
    return {
      actors: [
        ...[...rowWriters, ...noteWriters].map((writer) => [writer, 25] as const),
        [insistent, 100],
        [reader, 20],
        [new Reader({ ...this.#shared, objects, insistent }), 20],
        [new Visitor({ ...this.#shared, notes: this.#notes }), 100],
        [new Tinkerer(this.#api, this.#shared.random, subscriptions), 500],
        [commander, 1_000],
      ],
      watchers: QUESTIONS.map((question) => new Watcher({ ...this.#shared, question })),
      commander,
      reader,
      faults: new Faults({
        ...this.#shared,
        pace: this.#pace,
        program: this.#program,
        clock: this.#clock,
        disk: this.#disk,
        subscriptions,
      }),
    }
  }

  async #newKey(name: string): Promise<WriterKey> {
    return JSON.parse((await this.#program.run('keys', 'create', '--name', name, '--json')).out)
  }

  /** Load all the time; at first with faults that end the server, then without. */
  async #load({ actors, watchers, faults }: Cast): Promise<void> {
    const { durationMs } = this.#options
    const end = performance.now() + durationMs
    const random = new Random(this.#seeds++)
    const repeat = async (step: () => Promise<void>, pauseMs: number, until = end) => {
      while (performance.now() < until) {
        await step()
        await this.#pace.rest(random.below(2 * pauseMs))
      }
    }
    const watching = watchers.map((watcher) => watcher.run())
    const working = actors.map(([actor, pauseMs]) => repeat(() => actor.step(), pauseMs))
    working.push(repeat(() => faults.upsetReceiver(), 0))
    await repeat(() => faults.strikeServer(), 0, end - durationMs * (1 - STORM_SHARE))
    const resources = new Resources(this.#server.pid)
    await Promise.all(working)
    this.#resourceLine = resources.end(this.findings)
    void Promise.all(watching)
  }

  /** Nothing is asked for any more: deliveries and watches come to rest. */
  async #settle({ watchers }: Cast): Promise<void> {
    await drain(this.#api, this.#subscriptions, this.findings)
    for (const watcher of watchers) {
      await compareWatch(this.#api, watcher, this.findings)
      watcher.end()
    }
    await this.#restart()
  }

  async #restart(): Promise<void> {
    const over = this.#disturbances.begin()
    await this.#server.stop()
    await this.#server.start()
    over()
  }

  async #compare({ commander, reader }: Cast): Promise<void> {
    const { findings } = this
    await compareRows(this.#api, this.#rows, findings)
    await compareNotes(this.#api, this.#notes, findings)
    await compareFiles(this.#api, commander.files, findings)
    for (const subscription of this.#subscriptions) subscription.compare(this.#rows.events)
    for (let read = 0; read < 50; read++) await reader.step()
    await this.#server.stop()
    const { exitCode, out, err } = await this.#program.run('check')
    if (exitCode !== 0) findings.add('check', out + err)
  }
}
