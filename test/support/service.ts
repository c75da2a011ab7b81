import { existsSync, writeFileSync } from 'node:fs'
import { type Api, createApi } from '../../src/api.ts'
import { type Config, readConfig } from '../../src/config.ts'
import type { AppContext, PasswordCost } from '../../src/context.ts'
import { openKernel } from '../../src/kernel/call.ts'
import type { Access } from '../../src/kernel/caller.ts'
import type { Clock } from '../../src/lib/clock.ts'
import { createLog } from '../../src/lib/log.ts'
import { VERSION } from '../../src/lib/version.ts'
import { busOf } from '../../src/log/log.ts'
import { openUpgraded } from '../../src/operation/upgrade.ts'
import { createKey } from '../../src/people/accounts/keys.ts'
import { addUser, findUser } from '../../src/people/accounts/users.ts'
import { createWorkspace, findWorkspaceNamed } from '../../src/people/accounts/workspaces.ts'
import { bootstrap } from '../../src/people/administration.ts'
import { credentials } from '../../src/people/sessions/sessions.ts'
import type { OpenOptions } from '../../src/storage/connection/open.ts'
import { openDatabase } from '../../src/storage/database.ts'

/** A clock that moves only on request; it runs the actions due on the way in order. */
export interface TestClock extends Clock {
  set(instant: number): void
  advance(milliseconds: number): void
  /** The number of scheduled actions. */
  waiting(): number
}

export function testClock(start = Date.parse('2026-11-21T09:30:00.000Z')): TestClock {
  let instant = start
  const waiting = new Set<{ at: number; action: () => void }>()
  const nextUntil = (goal: number) =>
    [...waiting].filter(({ at }) => at <= goal).sort((left, right) => left.at - right.at)[0]
  const repeated = new Set<{ at: number; intervalMs: number; action: () => void }>()
  /** Repeated actions run once, however far the clock moves. */
  const runRepeated = () => {
    for (const one of repeated) {
      if (one.at > instant) continue
      one.at = instant + one.intervalMs
      one.action()
    }
  }
  const set = (goal: number) => {
    for (let next = nextUntil(goal); next; next = nextUntil(goal)) {
      waiting.delete(next)
      instant = Math.max(instant, next.at)
      next.action()
    }
    instant = goal
    runRepeated()
  }
  return {
    now: () => instant,
    monotonicMs: () => instant,
    every: (intervalMs, action) => {
      const one = { at: instant + intervalMs, intervalMs, action }
      repeated.add(one)
      return () => void repeated.delete(one)
    },
    after: (delayMs, action) => {
      const later = { at: instant + delayMs, action }
      waiting.add(later)
      return () => void waiting.delete(later)
    },
    set,
    advance: (milliseconds) => set(instant + milliseconds),
    waiting: () => waiting.size,
  }
}

/** Runs all pending microtasks and callbacks that are ready. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
}

/** Resolves after the commit of all writes so far, such as the time of the last use of a key. */
export const committed = ({ ctx }: Pick<TestService, 'ctx'>): Promise<void> => ctx.db.write((): void => {})

export interface Answer {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: an answer is judged by what the test expects of it
  body: any
}

/** A client of the service with one API key: sends JSON, returns status, headers and parsed body. */
export interface Client {
  readonly key: string | undefined
  request(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  get(path: string): Promise<Answer>
  post(path: string, body?: unknown): Promise<Answer>
  patch(path: string, body?: unknown): Promise<Answer>
  put(path: string, body?: unknown): Promise<Answer>
  delete(path: string): Promise<Answer>
}

export function clientOf(app: Pick<Api, 'fetch'>, key: string | undefined): Client {
  const request = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ) => {
    const response = await app.fetch(
      new Request(`http://localhost${path}`, {
        method,
        headers: { ...(key !== undefined && { authorization: `Bearer ${key}` }), ...headers },
        body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
      }),
    )
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false
    return {
      status: response.status,
      headers: response.headers,
      body: isJson && text !== '' ? JSON.parse(text) : text,
    }
  }
  return {
    key,
    request,
    get: (path) => request('GET', path),
    post: (path, body) => request('POST', path, body),
    patch: (path, body) => request('PATCH', path, body),
    put: (path, body) => request('PUT', path, body),
    delete: (path) => request('DELETE', path),
  }
}

export interface TestService extends Client {
  readonly ctx: AppContext
  readonly app: Api
  readonly clock: TestClock
  /** Log lines so far, parsed. */
  readonly logged: () => Record<string, unknown>[]
  /** The same service with another key. */
  as(key: string | undefined): Client
  /** Creates a key for a member of a workspace, by default the first owner's write key. */
  newKey(options?: NewTestKey): Promise<string>
  /** Creates another workspace with its own owner and returns the owner's write key. */
  newWorkspace(name: string): Promise<string>
  close(): void
}

export interface NewTestKey {
  scope?: 'write' | 'read'
  role?: 'owner' | 'editor' | 'viewer'
  user?: string
  workspace?: string
  expiresAt?: number
  access?: Access
}

export interface TestServiceOptions {
  file?: string
  /** The content of a new database; empty by default. */
  content?: Uint8Array
  config?: Partial<Config>
  clock?: TestClock
  /** The calls that flush commits to the disk. */
  disk?: OpenOptions['disk']
  checkpoint?: 'off'
  /**
   * Whether operations run in other threads, for suites that state that this makes no difference. With `always`, tables
   * of any size get indexes. By default, only large operations run in other threads.
   */
  threads?: keyof typeof THREADS
  passwordCost?: PasswordCost
}

const THREADS = { never: { isInline: true }, always: { manyRows: -1, maxWriteLength: -1 } }

let emptyDatabase: Uint8Array | undefined

/** A new database, created once for all tests of a process. */
export function newDatabase(): Uint8Array {
  if (emptyDatabase) return emptyDatabase
  const clock = testClock()
  const log = createLog('silent', clock, () => {})
  const db = openDatabase({ file: ':memory:', programVersion: VERSION, clock, log, role: 'server' })
  emptyDatabase = db.sql.database.serialize()
  db.close()
  return emptyDatabase
}

/** The least cost that Argon2 accepts; `people/accounts/passwords.test.ts` states the product's cost. */
export const CHEAP_PASSWORDS: PasswordCost = { memoryCost: 8, timeCost: 1 }

/** A whole service in memory, with one workspace and a write key. */
export async function startService(options: TestServiceOptions = {}): Promise<TestService> {
  const clock = options.clock ?? testClock()
  const lines: string[] = []
  const log = createLog('debug', clock, (text) => lines.push(text))
  const file = options.file ?? ':memory:'
  const content = options.content ?? newDatabase()
  if (file !== ':memory:' && !existsSync(file)) writeFileSync(file, content)
  const db = await openUpgraded({
    file,
    ...(file === ':memory:' && { content }),
    programVersion: VERSION,
    clock,
    log,
    role: 'server',
    disk: options.disk,
    ...(options.checkpoint && { checkpoint: options.checkpoint }),
  })
  const config: Config = { ...readConfig({}), db: file, ...options.config }
  const bus = busOf(db)
  const threads = options.threads && THREADS[options.threads]
  const opened = openKernel({ db, listeners: bus, log, clock, credentials, ...threads })
  const ctx: AppContext = {
    config,
    db,
    ...opened,
    bus,
    clock,
    log,
    credentials,
    passwordCost: options.passwordCost ?? CHEAP_PASSWORDS,
  }
  const first = await bootstrap(ctx)
  const app = createApi(ctx)
  const newKey = (input: NewTestKey = {}) =>
    db.write((tx): string => {
      const workspace = findWorkspaceNamed(tx, input.workspace ?? 'Personal')
      if (!workspace) throw new Error(`no workspace ${input.workspace}`)
      const name = input.user ?? 'owner'
      const user = findUser(tx, name) ?? addUser(tx, name, workspace, input.role ?? 'editor')
      const key = {
        workspace: workspace.pk,
        user: user.pk,
        name: 'test key',
        scope: input.scope ?? 'write',
      } as const
      return createKey(tx, { ...key, expiresAt: input.expiresAt ?? null, access: input.access ?? null })
        .secret
    })
  const key = first ?? (await newKey())
  return {
    ...clientOf(app, key),
    ctx,
    app,
    clock,
    logged: () => {
      log.flush()
      return lines
        .join('')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    },
    as: (other) => clientOf(app, other),
    newKey,
    newWorkspace: async (name) => {
      await db.write((tx): void => {
        addUser(tx, `owner of ${name}`, createWorkspace(tx, name), 'owner')
      })
      return newKey({ workspace: name, user: `owner of ${name}` })
    },
    close: () => {
      void ctx.kernel.close()
      db.close()
    },
  }
}
