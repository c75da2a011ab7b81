import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../../test/operation/deploy.ts'
import { type Receiver, startReceiver } from '../../../test/support/receiver.ts'
import { openDataset } from '../../bench/dataset.ts'
import { fillWorkspaces } from '../../bench/workspaces/fill.ts'
import { Random } from '../../lib/random.ts'
import { Client } from '../client.ts'
import { FakeClock } from '../faults/clock.ts'
import { FaultWindows } from '../faults/windows.ts'
import { Statistics, Violations } from '../report.ts'
import { type Child, Program, Server } from '../server.ts'
import { activity, chooseTeam, MovedTime } from './habits.ts'
import { Limits } from './limits.ts'
import { Person, SOURCE_SECRET } from './person.ts'
import { ROWS, Team } from './team.ts'

const DAYS = 31
const UPGRADE_AFTER_NIGHTS = 15
const PEOPLE = 16
/** The mean pause between two visits of one person at full activity. */
const PAUSE_MS = 40
const MAX_PAUSE_MS = 2_000
const CLOCK_EVERY_MS = 1_000
/** The first teams are the busiest and have subscriptions and sources; one of them is mirrored. */
const SUBSCRIBED = 20
const WITH_SOURCES = 10
const MIRRORED = 3
const SETTLE_MS = 60_000

export interface MonthOptions {
  readonly executable: string
  /** The executable of an earlier version, for the first half of the month; the same executable if absent. */
  readonly earlier: string | undefined
  /** An empty folder for this run. */
  readonly folder: string
  readonly durationMs: number
  readonly seed: number
  readonly workspaces: number
  readonly faketime: string | undefined
}

/**
 * A month of many teams in one file, with accelerated time. People work by day and seldom by night, with agents,
 * webhooks in both directions, and a mirror. A backup runs every night, and an upgrade in the middle of the month. At
 * the end a ledger is compared with the data.
 */
export class MonthRun {
  readonly violations = new Violations([
    'responses',
    'process',
    'rows',
    'notes',
    'events',
    'commands',
    'limits',
    'mirror',
    'check',
  ])
  readonly statistics = new Statistics()
  readonly #options: MonthOptions
  readonly #faultWindows = new FaultWindows()
  readonly #clock: FakeClock | undefined
  readonly #program: Program
  readonly #server: Server
  readonly #api: Client
  /** Keyed by the path of the team. */
  readonly #received = new Map<string, Set<string>>()
  #receiver: Receiver | undefined
  #teams: Team[] = []
  #mirror: Child | undefined
  #visits = 0
  /** Pending only while the server is being replaced. */
  #open = Promise.resolve()
  #limitLines: string[] = []

  constructor(options: MonthOptions) {
    const { executable, earlier, folder, faketime } = options
    const { violations, statistics } = this
    const faultWindows = this.#faultWindows
    this.#options = options
    this.#clock = FakeClock.find(folder, faketime)
    if (!this.#clock) violations.notice('libfaketime is not installed, so time was not moved')
    copyFileSync(executable, join(folder, 'daybook-new'))
    copyFileSync(earlier ?? executable, join(folder, 'daybook'))
    this.#program = new Program(join(folder, 'daybook'), join(folder, 'daybook.db'), this.#clock?.env ?? {})
    const args = ['--webhook-allow', '127.0.0.1']
    // Fixed, so that the mirror finds the server again after the upgrade.
    const port = freePort()
    this.#server = new Server({ program: this.#program, args, port, faultWindows, violations })
    this.#api = new Client({ server: this.#server, faultWindows, violations, statistics })
  }

  async run(): Promise<void> {
    await this.#prepare()
    const limits = new Limits(this.#program.db, this.#server)
    await this.#live(new MovedTime(this.#options.durationMs, DAYS))
    await this.#settle()
    const changes = this.statistics.writes
    await this.#compare()
    this.#limitLines = limits.end(this.statistics, this.violations, changes)
  }

  get lines(): string[] {
    return [...this.statistics.lines, ...this.#limitLines, ...this.violations.lines]
  }

  async clear(): Promise<void> {
    this.#mirror?.kill()
    await this.#server.kill()
    await this.#receiver?.close()
  }

  async #prepare(): Promise<void> {
    const data = await openDataset(this.#program.db)
    const keys = await fillWorkspaces(data.ctx, 0, this.#options.workspaces)
    data.close()
    this.#teams = keys.map((key, number) => new Team(number, key))
    this.#server.key = keys[0] ?? ''
    await this.#server.start()
    await this.#startReceiver()
    for (const team of this.#teams.slice(0, SUBSCRIBED)) await this.#subscribe(team)
    for (const team of this.#teams.slice(0, WITH_SOURCES)) await this.#addSource(team)
    await this.#startMirror()
  }

  async #startReceiver(): Promise<void> {
    const receiver = await startReceiver()
    const { answer } = receiver
    receiver.answer = (received, socket) => {
      receiver.received.length = 0
      const ids = this.#received.get(received.path) ?? new Set()
      this.#received.set(received.path, ids.add(received.headers['webhook-id'] ?? ''))
      answer(received, socket)
    }
    this.#receiver = receiver
  }

  async #subscribe(team: Team): Promise<void> {
    const url = `http://127.0.0.1:${this.#receiver?.port}/${team.number}`
    const request = { name: 'prepare', method: 'POST', path: '/v1/webhooks', status: 201 }
    await team.send(this.#api, { ...request, body: { structure: ROWS, url } })
  }

  async #addSource(team: Team): Promise<void> {
    const answer = await team.send(this.#api, {
      name: 'prepare',
      method: 'POST',
      path: '/v1/sources',
      body: {
        name: 'Orders',
        structure: ROWS,
        provider: 'github',
        secret: SOURCE_SECRET,
        map: { title: '/title', amount: '/amount' },
      },
      status: 201,
    })
    team.source = answer && new URL(answer.source.url).pathname
  }

  get #mirrorProgram(): Program {
    const key = this.#teams[MIRRORED]?.key ?? ''
    const { executable, env } = this.#program
    return new Program(executable, join(this.#options.folder, 'mirror.db'), { ...env, DAYBOOK_KEY: key })
  }

  async #startMirror(): Promise<void> {
    if (!this.#teams[MIRRORED]) return
    this.#mirror = this.#mirrorProgram.start(['mirror', await this.#server.url, '--port', '0'])
    // Reads the output, so that the process never blocks on a full pipe.
    void this.#mirror.stdout.text()
    void this.#mirror.stderr.text()
  }

  /** People work, each night takes a backup, and the executable is replaced in the middle of the month. */
  async #live(time: MovedTime): Promise<void> {
    const until = performance.now() + this.#options.durationMs
    const isOver = () => performance.now() >= until
    const moving = setInterval(() => this.#clock?.set(time.offsetS), CLOCK_EVERY_MS)
    const people = Array.from({ length: PEOPLE }, (_, at) => this.#work(at, time, isOver))
    for (let nights = 0, isUpgraded = false; !isOver(); await Bun.sleep(100)) {
      if (time.nights === nights) continue
      nights = time.nights
      await this.#backup(nights)
      if (isUpgraded || nights < UPGRADE_AFTER_NIGHTS) continue
      await this.#upgrade()
      isUpgraded = true
    }
    await Promise.all(people)
    clearInterval(moving)
  }

  async #work(at: number, time: MovedTime, isOver: () => boolean): Promise<void> {
    const random = new Random(this.#options.seed + at)
    const person = new Person(this.#api, random, `p${at}`)
    while (!isOver()) {
      await this.#open
      const team = this.#teams[chooseTeam(random, this.#teams.length)]
      if (team && !team.isBusy) {
        team.isBusy = true
        this.#visits += 1
        await person.visit(team)
        this.#visits -= 1
        team.isBusy = false
      }
      await Bun.sleep(Math.min(MAX_PAUSE_MS, (2 * PAUSE_MS * random.next()) / activity(time.now)))
    }
  }

  async #backup(night: number): Promise<void> {
    const file = join(this.#options.folder, `backup-${night % 2}.db`)
    rmSync(file, { force: true })
    const { exitCode, err } = await this.#program.run('backup', file)
    this.statistics.operation('backup', exitCode === 0 ? 'done' : 'refused')
    if (exitCode !== 0) this.violations.add('commands', `backup: ${err}`)
  }

  /** Upgrades as an administrator does: stop the server, replace the executable, start it again. */
  async #upgrade(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#open = promise
    while (this.#visits > 0) await Bun.sleep(5)
    const over = this.#faultWindows.begin()
    await this.#server.stop()
    const { executable } = this.#program
    rmSync(executable)
    copyFileSync(`${executable}-new`, executable)
    await this.#server.start()
    over()
    this.statistics.operation('upgrade', 'done')
    this.#mirror?.kill()
    await this.#mirror?.exited
    await this.#startMirror()
    resolve()
  }

  /** Waits until each subscription has received as many events as there were row changes. */
  async #settle(): Promise<void> {
    const until = performance.now() + SETTLE_MS
    for (const team of this.#teams.slice(0, SUBSCRIBED)) {
      const count = () => this.#received.get(`/${team.number}`)?.size ?? 0
      while (count() < team.rowChanges && performance.now() < until) await Bun.sleep(100)
      if (count() !== team.rowChanges)
        this.violations.add('events', `team ${team.number}: ${team.rowChanges} changes, ${count()} events`)
    }
  }

  async #compare(): Promise<void> {
    const { violations } = this
    for (const team of this.#teams) if (team.isTouched) await team.compare(this.#api, violations)
    if (this.#mirror) {
      const { exitCode, out, err } = await this.#mirrorProgram.run('mirror', 'verify')
      if (exitCode !== 0) violations.add('mirror', out + err)
      this.#mirror.kill()
      await this.#mirror.exited
    }
    await this.#server.stop()
    const { exitCode, out, err } = await this.#program.run('check')
    if (exitCode !== 0) violations.add('check', out + err)
  }
}
