import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { newAuthority } from '../../test/support/certificates.ts'
import { Random } from '../random.ts'
import { Api } from './api.ts'
import { type Cast, newCast } from './cast.ts'
import { SetClock } from './clock.ts'
import { compareFiles, compareNotes, compareRows, compareWatch } from './comparison.ts'
import { Disk } from './disk.ts'
import { Disturbances } from './disturbances.ts'
import { drain } from './drain.ts'
import { Findings } from './findings.ts'
import { NoteLedger } from './note-ledger.ts'
import { makeObjects } from './objects.ts'
import { Pace } from './pace.ts'
import { Program } from './program.ts'
import { Resources } from './resources.ts'
import { RowLedger } from './row-ledger.ts'
import type { WriterKey } from './row-writer.ts'
import { Server } from './server.ts'
import { type Subscription, subscribe } from './subscriptions.ts'
import { Tally } from './tally.ts'

/** The share of the time in which the server is restarted; in the rest its memory is watched. */
const STORM_SHARE = 0.6

export interface SoakOptions {
  readonly executable: string
  /** A folder for this run alone. */
  readonly folder: string
  readonly durationMs: number
  readonly seed: number
  readonly faketime: string | undefined
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
  #subscriptions: readonly Subscription[] = []
  #resourceLine = ''

  constructor(options: SoakOptions) {
    const { executable, folder, faketime } = options
    const { findings, tally } = this
    const disturbances = this.#disturbances
    this.#options = options
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
    const { findings, tally } = this
    const disturbances = this.#disturbances
    const authority = await newAuthority('daybook soak')
    await Bun.write(join(this.#options.folder, 'ca.pem'), authority.cert)
    await this.#server.start()
    const keys = [await this.#newKey('first'), await this.#newKey('second')] as const
    const objects = await makeObjects(this.#api, this.#notes)
    const otherKeyId = keys[1].id
    this.#subscriptions = await subscribe(this.#api, { authority, findings, otherKeyId })
    return newCast({
      shared: { api: this.#api, server: this.#server, disturbances, tally, findings },
      seed: this.#options.seed,
      rows: this.#rows,
      notes: this.#notes,
      keys,
      objects,
      program: this.#program,
      clock: this.#clock,
      disk: this.#disk,
      pace: this.#pace,
      subscriptions: this.#subscriptions,
    })
  }

  async #newKey(name: string): Promise<WriterKey> {
    return JSON.parse((await this.#program.run('keys', 'create', '--name', name, '--json')).out)
  }

  /** Load all the time; at first with faults that end the server, then without. */
  async #load({ actors, watchers, faults }: Cast): Promise<void> {
    const { durationMs } = this.#options
    const end = performance.now() + durationMs
    const random = new Random(this.#options.seed)
    const repeat = async (step: () => Promise<void>, pauseMs: number, until = end) => {
      while (performance.now() < until) {
        await step()
        await this.#pace.rest(random.below(2 * pauseMs))
      }
    }
    const watching = watchers.map((watcher) => watcher.run())
    const working = actors.map(({ actor, pauseMs }) => repeat(() => actor.step(), pauseMs))
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
