import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Random } from '../../scripts/lib/random.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { createLog } from '../../src/lib/log.ts'
import { Refusal } from '../../src/lib/refusal.ts'
import { VERSION } from '../../src/lib/version.ts'
import { openDatabase } from '../../src/storage/database.ts'
import { makeCopy, startFollowing } from '../../src/transfer/mirror/mirror.ts'
import { type PushRequest, pushLocalChanges, untilBack } from '../../src/transfer/mirror/overlay/push.ts'
import { resetLocalChanges } from '../../src/transfer/mirror/overlay/suspended-changes.ts'
import { CursorExpired, Remote, RemoteRefusal, RemoteUnreachable } from '../../src/transfer/mirror/remote.ts'
import { resolveSelection } from '../../src/transfer/mirror/selection.ts'
import { makeWritable } from '../../src/transfer/mirror/state.ts'
import { verifyCopy } from '../../src/transfer/mirror/verify.ts'
import { SimulatedDisk } from './disk.ts'
import { type Effect, type Entry, foundIn, type Ledger, readOf } from './ledger.ts'
import { checkFile } from './oracles.ts'
import type { SimulatedProcess } from './platform.ts'
import { SimulatedServer } from './server.ts'
import { startThreadIn } from './threads.ts'
import { type Reply, type Sent, Violation, type World } from './world.ts'
import { pathOf, post, TABLE, type Writers } from './writers.ts'

/*
 * A writable mirror of the server. It follows for a while, is written to, pushes, and is stopped, killed or loses its
 * power. Every change that it acknowledged reaches the source once, and its copy equals the source at the end.
 */

const URL = 'http://source.example.com'
const EVERYTHING = { structures: null, hasFiles: true, omitFields: [] }
/** The kinds whose objects a copy shows as its source does: its subscriptions are disabled. */
const COPIED: ReadonlySet<string> = new Set(['note', 'record', 'structure', 'tag', 'property'])
const RETRY_MS = 500
const MAX_ATTEMPTS = 100

export class Mirror {
  #server: SimulatedServer | undefined
  #count = 0
  #key = ''
  #isBusy = false
  /** Changes that the mirror acknowledged and no push. */
  readonly #pending: Effect[] = []

  constructor(
    private readonly world: World,
    private readonly ledger: Ledger,
    private readonly writers: Writers,
    private readonly folder: string,
  ) {}

  /** Copies the source until that succeeds, and serves the copy. */
  async prepare(): Promise<void> {
    const { platform } = this.world
    const folder = join(this.folder, 'mirror')
    mkdirSync(folder)
    const file = join(folder, 'daybook.db')
    const process = this.#newProcess('copying')
    for (this.#key = ''; this.#key === ''; ) {
      const copying = platform.as(process, () => this.#copy(file, process))
      this.#key = (await copying.catch(ignoreUnreachable)) ?? ''
      if (this.#key === '') await platform.sleep(RETRY_MS)
    }
    await this.#serve(file)
    await this.#as(({ ctx }) => ctx.db.write((tx): void => makeWritable(tx, true, false)))
  }

  async #copy(file: string, process: SimulatedProcess): Promise<string | undefined> {
    const { platform, random } = this.world
    const disk = new SimulatedDisk(`${file}.copying`, platform, process, random)
    const startThread = startThreadIn({ platform, process, random, disk })
    const remote = this.#remote(new AbortController().signal)
    const workspace = await remote.connect()
    const selection = resolveSelection(EVERYTHING, await remote.structures())
    const log = createLog('silent', systemClock, () => {})
    const copying = makeCopy({
      ...{
        clock: systemClock,
        log,
        file,
        remote,
        workspace,
        selection,
        platform: { startThread, disk: disk.calls },
      },
      onProgress: () => {},
    })
    return copying.finally(() => disk.close())
  }

  /** One sitting at the mirror. */
  async use(random: Random): Promise<void> {
    if (this.#isBusy) return
    this.#isBusy = true
    const stop = this.#follow()
    if (random.chance(0.6)) await this.#change(random)
    const how = random.pick(['stopped', 'killed', 'power lost', undefined, undefined, undefined] as const)
    const isPushing = random.chance(0.7)
    const sitting = isPushing ? this.#push() : this.world.platform.sleep(random.next() * 400)
    const isCut = how === 'killed' || how === 'power lost'
    await (isCut ? Promise.race([sitting, this.world.platform.sleep(random.next() * 150)]) : sitting)
    if (how === undefined) await stop()
    else await this.#restart(how, stop)
    this.#isBusy = false
  }

  /** Pushes the last changes, and compares the copy with the source. */
  async settle(): Promise<void> {
    const stop = this.#follow()
    for (let attempt = 0; !(await this.#push()); attempt++) {
      if (attempt > MAX_ATTEMPTS) throw new Violation('the mirror cannot push')
      await this.world.platform.sleep(RETRY_MS)
    }
    for (let attempt = 0; !(await this.#isEqual()); attempt++) {
      if (attempt > MAX_ATTEMPTS) throw new Violation('the mirror does not catch up')
      await this.world.platform.sleep(RETRY_MS)
    }
    await stop()
    const [own, source] = [await this.#snapshot(this.#server), await this.#snapshot(this.world.server)]
    for (const line of new Set([...own, ...source]))
      if (own.has(line) !== source.has(line))
        throw new Violation(`only the ${own.has(line) ? 'mirror' : 'source'} has ${line}`)
    const file = this.#server?.disk.file ?? ''
    await this.#server?.end('stopped')
    this.#server = undefined
    checkFile(file)
  }

  /** Closes what a failed run left open. */
  abandon(): void {
    this.#server?.abandon()
  }

  /** Whether the mirror has every change of the source; throws if the copy differs nevertheless. */
  async #isEqual(): Promise<boolean> {
    const remote = this.#remote(new AbortController().signal)
    const { clock, log, db } = this.#running.ctx
    // A connection of its own, as the command has.
    const own = openDatabase({ file: db.file, programVersion: VERSION, clock, log, role: 'command' })
    const verifying = this.#as(() => verifyCopy(own, remote))
    // A copy that must be made again has not caught up either.
    const result = await verifying.catch(ignoreUnreachable).finally(() => own.close())
    if (!result || result.missing_changes > 0) return false
    if (!result.identical) throw new Violation(`the mirror differs: ${JSON.stringify(result.kinds)}`)
    return true
  }

  async #snapshot(server: SimulatedServer | undefined): Promise<ReadonlySet<string>> {
    const sent = { method: 'GET', path: '/v1/changes/snapshot' } as const
    const { body } =
      server === this.#server ? await this.#ask(sent) : await this.world.callUntilAnswered(sent)
    const lines: string[] = body.trimEnd().split('\n')
    return new Set(lines.filter((line) => COPIED.has(JSON.parse(line).kind)))
  }

  /** Creates an object, or changes one whose last state the mirror has. */
  async #change(random: Random): Promise<void> {
    const kind = random.pick(['note', 'record'] as const)
    const known = this.ledger.quiet(kind)
    if (known.length > 0 && random.chance(0.5)) return this.#update(random.pick(known))
    const entry = this.ledger.newEntry(kind, 'mirrored')
    const data = this.writers.newData(random, entry)
    const sent = kind === 'note' ? post('/v1/notes', data) : post('/v1/records', { structure: TABLE, data })
    this.ledger.unlisted += 1
    const { body } = await this.#ask(sent, 201)
    entry.id = kind === 'note' ? body.note.id : (body.record ?? body.records[0]).id
    this.#pending.push({ entry, data, isDeleted: false })
  }

  async #update(entry: Entry): Promise<void> {
    this.ledger.reserve(entry)
    const own = foundIn(entry, await this.#ask(readOf(entry)))
    if (!own || !Bun.deepEquals(own.data, entry.data)) {
      entry.isBusy = false
      return
    }
    const change =
      entry.kind === 'note'
        ? { content: `From the mirror ${this.writers.next()}` }
        : { n: this.writers.next() }
    const body = entry.kind === 'note' ? change : { data: change }
    await this.#ask({ method: 'PATCH', path: pathOf(entry), body }, 200)
    this.#pending.push({ entry, data: { ...entry.data, ...change }, isDeleted: false })
  }

  /** Pushes all local changes; returns whether the source confirmed them or refused them. */
  async #push(): Promise<boolean> {
    const server = this.#running
    const remote = this.#remote(new AbortController().signal)
    const { db } = server.ctx
    const receive: PushRequest['receive'] = (pushed) => untilBack(db, pushed)
    let isConfirmed = true
    try {
      await this.#as(() => pushLocalChanges(db, remote, { isDryRun: false, keepMine: [], receive }))
    } catch (error) {
      if (server.process.isCut || error instanceof RemoteUnreachable) return false
      if (!(error instanceof RemoteRefusal || error instanceof Refusal)) throw error
      this.world.note(`the source refuses a push: ${error.message}`)
      await this.#as(({ ctx }) => ctx.db.write((tx): void => resetLocalChanges(tx, 1, undefined)))
      isConfirmed = false
    }
    for (const effect of this.#pending.splice(0)) {
      if (!this.ledger.entries.includes(effect.entry)) this.ledger.unlisted -= 1
      await this.ledger.settle(effect, isConfirmed)
    }
    return true
  }

  /** Starts following; returns a function that stops it. */
  #follow(): () => Promise<void> {
    const ending = new AbortController()
    const { signal } = ending
    const remote = this.#remote(signal)
    return this.#as(({ ctx }) => startFollowing(ctx, { remote, signal, post: undefined }))
  }

  async #restart(how: 'stopped' | 'killed' | 'power lost', stop: () => Promise<void>): Promise<void> {
    const server = this.#running
    this.world.note(`${server.process.name} ends: ${how}`)
    if (how === 'stopped') await this.#as(stop)
    else {
      server.cutOff(how)
      void this.#as(stop)
    }
    const { file, lost } = await server.end(how)
    if (lost !== '') this.world.note(lost)
    await this.#serve(file)
  }

  async #serve(file: string): Promise<void> {
    const { platform, random } = this.world
    const copy = { mirrorOf: URL, isMirrorWritable: true }
    const { name } = this.#newProcess('serving')
    this.#server = await SimulatedServer.start(
      {
        ...{ name, platform, random, folder: this.folder, copy },
        send: () => Promise.resolve({ status: null, error: 'A mirror sends nothing.' }),
        log: (lines) => void this.world.logged.push(lines),
      },
      file,
    )
  }

  #newProcess(what: string): SimulatedProcess {
    this.#count += 1
    return { name: `mirror ${this.#count} ${what}`, isCut: false, isDead: false }
  }

  get #running(): SimulatedServer {
    if (!this.#server) throw new Error('the mirror is not served')
    return this.#server
  }

  #remote(signal: AbortSignal): Remote {
    return new Remote({ url: URL, key: this.world.key, clock: systemClock, signal })
  }

  /** Runs something in the process of the mirror. */
  #as<Result>(run: (server: SimulatedServer) => Result): Result {
    const server = this.#running
    return this.world.platform.as(server.process, () => run(server))
  }

  /** Sends a request to the mirror, from the same computer. */
  async #ask({ method, path, body }: Sent, expected?: number): Promise<Reply> {
    const request = new Request(`http://localhost${path}`, {
      method,
      headers: { authorization: `Bearer ${this.#key}` },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const response = await this.#as(({ app }) => app.fetch(request))
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false
    const reply = { status: response.status, body: isJson ? JSON.parse(text) : text, text }
    this.world.note(`the mirror answers ${method} ${path} with ${reply.status}`)
    if (expected !== undefined && reply.status !== expected)
      throw new Violation(`the mirror answers ${method} ${path} with ${reply.status}: ${text}`)
    return reply
  }
}

function ignoreUnreachable(error: unknown): undefined {
  if (!(error instanceof RemoteUnreachable || error instanceof CursorExpired)) throw error
}
