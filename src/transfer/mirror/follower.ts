import { rmSync } from 'node:fs'
import { type AppContext, wholeWorkspace } from '../../context.ts'
import { jobs } from '../../jobs.ts'
import { ownCredential } from '../../kernel/call.ts'
import { settleBusy } from '../../kernel/job-steps.ts'
import { sleep } from '../../lib/clock.ts'
import { Refusal } from '../../lib/refusal.ts'
import { columnsOfName } from '../../people/accounts/names.ts'
import { updateWorkspace } from '../../people/accounts/store.ts'
import { listStructureRows, presentStructure } from '../../records/structures/store.ts'
import { createFile } from '../../storage/new-file.ts'
import { applyStage, mirrorApply, type Target } from './apply-stage.ts'
import { countOverlay } from './overlay/store.ts'
import { settleUndone } from './overlay/suspended-changes.ts'
import { type ChangePage, CursorExpired, type Remote, RemoteRefusal, RemoteUnreachable } from './remote.ts'
import { RemoteReading } from './remote-reading.ts'
import { FieldKnown, FieldLost, NameTaken, Selector, StructureReplaced } from './selection.ts'
import { Stage } from './stage.ts'
import { findState, type MirrorState, saveProblem, saveProgress } from './state.ts'
import { knowledgeOfProgram } from './unknown.ts'

export interface FollowerOptions {
  readonly remote: Remote
  readonly isForwarding: boolean
  readonly signal: AbortSignal
  /** Called after record events were stored. */
  onEvents(): void
}

const WAIT_SECONDS = 10
const FIRST_RETRY_MS = 250
const MAX_RETRY_MS = 5_000
/**
 * The interval of checks of the key's access while one change follows another. Otherwise no check is needed, because a
 * new access ends the request that waits for changes.
 */
const REACH_CHECKED_EVERY_MS = 10_000
/** The retry delay after a refusal. */
const REFUSED_RETRY_MS = 15_000
/** The worker applies larger pages, so that they do not block requests. */
const FEW_CHANGES = 600
const SHORT_LENGTH = 1_000_000
const FEW_CHANGED = 100

/** The file beside the database in which large parts of the remote are staged. */
export const stageFileOf = (file: string): string => `${file}.stage`

/** Errors after which the whole workspace is copied again, because changes cannot bring the copy up to date. */
const COPIED_ANEW = [CursorExpired, NameTaken, FieldKnown, StructureReplaced]

export class Follower {
  readonly #selector: Selector
  /** Reused for small stages. */
  readonly #memory = new Stage(':memory:')
  #state: MirrorState
  /** Set when everything must be copied again: changes could not be applied, or are insufficient. */
  #isDamaged = false
  #reachCheckedAt = Number.NEGATIVE_INFINITY

  constructor(
    private readonly ctx: AppContext,
    private readonly options: FollowerOptions,
  ) {
    this.#state = findState(ctx.db) ?? fail()
    const { selection, workspace } = this.#state
    const known = listStructureRows(ctx.db, wholeWorkspace(workspace)).map(presentStructure)
    this.#selector = new Selector(selection, known)
  }

  /** Follows until the signal aborts. Failures are retried while the copy is being served. */
  async run(): Promise<void> {
    const { signal } = this.options
    const { log } = this.ctx
    let failures = 0
    let isConnected = false
    while (!signal.aborted) {
      try {
        if (!isConnected) await this.connect()
        isConnected = true
        await this.catchUp(WAIT_SECONDS)
        if (failures > 0) log.info('following the remote again', { remote: this.#state.remote })
        failures = 0
      } catch (error) {
        if (signal.aborted) return
        isConnected = false
        log.warn('cannot follow the remote', { remote: this.#state.remote, error: sentenceOf(error) })
        await this.#noteProblem(sentenceOf(error))
        if (error instanceof FieldLost) return
        await sleep(this.ctx.clock, retryDelay(error, failures), signal)
        failures += 1
      }
    }
  }

  /** If storage is not available, the problem is only logged. */
  #noteProblem = (problem: string): Promise<void> =>
    this.ctx.db.write((tx): void => saveProblem(tx, problem)).catch(() => {})

  /** Applies all new changes of the remote; without any, waits up to some seconds for one. */
  async catchUp(waitSeconds: number): Promise<void> {
    const { remote } = this.options
    if (this.ctx.clock.now() - this.#reachCheckedAt >= REACH_CHECKED_EVERY_MS) await this.#checkReach()
    if (this.#isDamaged) return this.#copyAnew()
    try {
      const page = await remote.changes(this.#state.cursor, waitSeconds)
      if (page.changes.length > 0 || !page.unknown.isEmpty || page.has_more) await this.#applyRun(page)
      else await this.#noteContact(page.cursor)
    } catch (error) {
      if (!COPIED_ANEW.some((reason) => error instanceof reason)) throw error
      this.#isDamaged = true
      this.ctx.log.warn('the changes of the remote do not suffice; it is copied again', {
        reason: sentenceOf(error),
      })
      await this.#copyAnew()
    }
  }

  /** Refuses a remote that is no longer the same. */
  async connect(): Promise<void> {
    const { id, name } = await this.options.remote.connect()
    const { workspace } = this.#state
    const own = this.ctx.db.sql.get<{ id: string; name: string }>(
      'SELECT id, name FROM workspaces WHERE pk = ?',
      workspace,
    )
    if (own?.id !== id)
      throw new RemoteRefusal(409, 'The key belongs to another workspace than the copied one.')
    if (own.name !== name)
      await this.ctx.db.write((tx): void => updateWorkspace(tx, workspace, columnsOfName(name)))
    await this.#checkReach()
  }

  /** The feed reports neither changes of the key's access, nor objects that were omitted before an upgrade. */
  async #checkReach(): Promise<void> {
    const access = await this.options.remote.access()
    this.#reachCheckedAt = this.ctx.clock.now()
    const { knowledge } = this.#state.selection
    if (knowledge !== undefined && knowledge !== knowledgeOfProgram()) {
      this.#isDamaged = true
      this.ctx.log.info('this version knows more of the remote than the last one; it is copied again')
      return
    }
    if (JSON.stringify(access) === JSON.stringify(this.#state.selection.access)) return
    this.#isDamaged = true
    this.ctx.log.warn('the access of the key has changed; the remote is copied again')
  }

  /**
   * A small page is staged in memory and written at once; all others in a file, from which the worker writes them.
   */
  async #applyRun(first: ChangePage): Promise<void> {
    const { bus } = this.ctx
    // Local changes are removed from the tables and reapplied afterwards.
    const isSmall = isSmallPage(first) && countOverlay(this.ctx.db) <= FEW_CHANGED
    await this.#apply(isSmall, 'changes', (reading) => reading.readChanges(this.#state.cursor, first))
    const structures = new Set(first.changes.map(({ structure_id }) => structure_id))
    if (!isSmall) bus.notify()
    else for (const id of structures) if (id !== null) bus.notify(id)
  }

  /** Reads the whole workspace beside the copy, and applies all differences at once. */
  async #copyAnew(): Promise<void> {
    await this.#apply(false, 'whole', async (reading, stage) => {
      const cursor = await reading.readChanges(await reading.readSnapshot(() => {}))
      stage.forgetEntries()
      return cursor
    })
    this.ctx.bus.notify()
  }

  /** Stages everything that `read` returns, and advances the copy to its cursor. */
  async #apply(
    isSmall: boolean,
    mode: Target['mode'],
    read: (reading: RemoteReading, stage: Stage) => Promise<string>,
  ): Promise<void> {
    const { db } = this.ctx
    const { remote, isForwarding } = this.options
    const stage = isSmall ? this.#memory : newStage(this.#stageFile)
    try {
      const reading = new RemoteReading(remote, this.#selector, stage)
      const cursor = await read(reading, stage)
      await reading.readContents(db, this.#state.selection.hasFiles)
      if (isForwarding) await reading.readDeletedRecords()
      await this.#write(isSmall, mode, cursor, mode === 'whole' ? undefined : reading.lastAt)
    } finally {
      if (isSmall) stage.clear()
      else removeStage(stage, this.#stageFile)
    }
    // The copy is complete before its listeners are notified.
    await settleBusy(this.ctx, jobs)
  }

  async #write(
    isSmall: boolean,
    mode: Target['mode'],
    cursor: string,
    lastAt: string | undefined,
  ): Promise<void> {
    const { db, kernel, clock } = this.ctx
    const now = clock.now()
    const { workspace: workspacePk } = this.#state
    const target: Target = {
      workspacePk,
      mode,
      isForwarding: this.options.isForwarding,
      progress: {
        cursor,
        lastContactAt: now,
        selection: this.#selector.selection,
        delayMs: lastAt === undefined ? 0 : Math.max(0, now - Date.parse(lastAt)),
      },
    }
    try {
      if (isSmall) await db.write((tx): void => applyStage(tx, this.#memory, target))
      else
        await kernel.call(mirrorApply, ownCredential('several', workspacePk), {
          stageFile: this.#stageFile,
          now,
          target,
        })
      this.#isDamaged = false
    } catch (error) {
      this.#isDamaged ||= !mayPass(error)
      throw error
    }
    this.#state = { ...this.#state, cursor, selection: this.#selector.selection }
    this.options.onEvents()
  }

  async #noteContact(cursor: string): Promise<void> {
    const { workspace } = this.#state
    const progress = { cursor, delayMs: 0, lastContactAt: this.ctx.clock.now() }
    const hasSettled = await this.ctx.db.write((tx): boolean => {
      saveProgress(tx, workspace, progress)
      return settleUndone(tx, workspace)
    })
    if (hasSettled) this.ctx.bus.notify()
    this.#state = { ...this.#state, cursor }
  }

  get #stageFile(): string {
    return stageFileOf(this.ctx.db.file)
  }
}

/** A change of a structure may concern many rows. */
function isSmallPage({ changes, has_more }: ChangePage): boolean {
  const length = changes.reduce((sum, { object }) => sum + String(object?.content ?? '').length, 0)
  const areShort = changes.every(({ kind }) => kind !== 'file' && kind !== 'structure')
  return !has_more && areShort && changes.length <= FEW_CHANGES && length <= SHORT_LENGTH
}

/** A stage in a file; removes the one of an interrupted process. */
export function newStage(file: string): Stage {
  rmSync(file, { force: true })
  createFile(file, {})
  return new Stage(file)
}

export function removeStage(stage: Stage, file: string): void {
  stage.close()
  rmSync(file, { force: true })
}

const fail = (): never => {
  throw new Error('the database is not a copy')
}

/** Whether a retry may succeed: storage was not available, or names moved while they were read. */
const mayPass = (error: unknown): boolean =>
  error instanceof Refusal && (error.code === 'unavailable' || error.code === 'stale')

const sentenceOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Data that changed while it was read is read again at once. */
function retryDelay(error: unknown, failures: number): number {
  if (error instanceof RemoteUnreachable)
    return Math.min(FIRST_RETRY_MS * 2 ** Math.min(failures, 10), MAX_RETRY_MS)
  if (error instanceof Refusal && error.code === 'stale') return FIRST_RETRY_MS
  return REFUSED_RETRY_MS
}
