import { and, eq, sql } from 'drizzle-orm'
import type { AppContext, InWorkspace } from '../context.ts'
import { repeatChange } from '../kernel/repeated.ts'
import { sleep, systemClock } from '../lib/clock.ts'
import { logUpdate, systemAuthor } from '../log/log.ts'
import { isServed } from '../storage/connection/server-lock.ts'
import type { Db } from '../storage/database.ts'
import { columnBy, from, rowBy, runBy, update } from '../storage/query.ts'
import type { Reader } from '../storage/reader.ts'
import { files } from '../storage/schema/files.ts'
import type { Tx } from '../storage/writes/transaction.ts'
import { announce } from './events.ts'
import { kindOf, unreadableReason } from './extraction/kinds.ts'
import type { ExtractedText } from './extraction/pages.ts'
import {
  DEFAULT_LIMITS,
  type Extraction,
  type Limits,
  NotStarted,
  startExtraction,
} from './extraction/process.ts'
import type { ExtractionResult } from './extraction/worker.ts'
import { presentFile } from './present.ts'
import { ReadingOrder, type UnreadFile } from './reading-order.ts'
import { deleteSomePages, ensurePageTable, indexPage } from './search.ts'
import {
  type FileRow,
  findAnnouncement,
  findFile,
  findFileByPk,
  insertPage,
  partKey,
  readParts,
  UNFINISHED,
  updateFile,
} from './store.ts'

/*
 * A process claims a file before it extracts the text, and saves the result only while it holds the claim. A new claim
 * replaces an older one, so nothing waits for a dead process. A server never claims a file that it is already reading.
 * A command claims only files that it added, and only while no server runs.
 */

const isUnread = sql.raw(`status = 'processing' AND ${UNFINISHED}`)

/** The pks of files whose text is not extracted yet, oldest first. */
const listUnread = columnBy(() => from(files, { value: files.pk }).where(isUnread).orderBy(files.pk))

/** The right to save the text of a file. The token is unique to an attempt, and `attempts` is its number. */
export type Claim = NonNullable<ReturnType<typeof findClaim>>

const findClaim = rowBy((file: number, token: string) =>
  from(files, {
    file: files.pk,
    workspace: files.workspace,
    fileName: files.fileName,
    token: sql<string>`claim`,
    attempts: files.attempts,
  }).where(isClaimed(file, token)),
)

const isClaimed = (file: number, token: string) => and(eq(files.pk, file), eq(files.claim, token), isUnread)

const startAttempt = runBy((file: number, token: string) =>
  update(files, { claim: token, attempts: sql`attempts + 1` }, and(eq(files.pk, file), isUnread)),
)

/** Starts an attempt; undefined when the file is gone or its text is extracted already. */
export function claimFile(tx: Tx, file: number): Claim | undefined {
  const token = tx.newId()
  startAttempt(tx, file, token)
  return findClaim(tx, file, token)
}

const isClaimValid = (reader: Reader, { file, token }: Claim): boolean =>
  findClaim(reader, file, token) !== undefined

interface Outcome {
  readonly status: 'ready' | 'failed'
  readonly pages: number | null
  readonly error: string | null
  readonly outline: string | null
}

/** Ends the attempt with its outcome; does nothing when another process has claimed the file. */
function endClaim(tx: Tx, claim: Claim, outcome: Outcome): void {
  const { file, workspace } = claim
  const before = findFileByPk(tx, file)
  if (!isClaimValid(tx, claim)) return
  const announcement = findAnnouncement(tx, file)
  updateFile(tx, file, { ...outcome, claim: null, announcement: null }, tx.now)
  const after = findFileByPk(tx, file)
  if (!before || !after) return
  const object = { kind: 'file', id: after.id } as const
  logUpdate(tx, systemAuthor(workspace), object, presentFile(before), presentFile(after), ['note_id'])
  if (announcement) announce(tx, workspace, after, announcement)
}

/** Uncounts an attempt for which no process could start: the file is retried without a limit. */
const revertAttempt = runBy((file: number, token: string) =>
  update(files, { claim: null, attempts: sql`attempts - 1` }, isClaimed(file, token)),
)

/** A file fails after this many unfinished attempts, for example if the machine has too little memory for it. */
const MAX_ATTEMPTS = 5
const PAGES_AT_ONCE = 50

const known = (result: ExtractionResult): Extraction => ({ result: Promise.resolve(result), stop: () => {} })

const NO_TEXT: ExtractedText = { pages: [], outline: [] }

/** Starts to extract the text of a claimed file. */
function startReading(db: Db, { file, fileName, attempts }: Claim, limits: Limits): Extraction {
  if (attempts > MAX_ATTEMPTS)
    return known({ failed: 'Reading the text was started several times and never finished.' })
  const { value: beginning = new Uint8Array() } = readParts(db, file).next()
  const kind = kindOf(fileName, beginning)
  if (kind !== undefined) return startExtraction(kind, readParts(db, file), limits)
  const failed = unreadableReason(fileName)
  return known(failed === undefined ? NO_TEXT : { failed })
}

/** Saves the result in short transactions; the last one makes the file ready and searchable. Throws when aborted. */
export async function saveResult(
  db: Db,
  claim: Claim,
  result: ExtractionResult,
  signal?: AbortSignal,
): Promise<void> {
  await deletePages(db, claim, signal)
  const { pages, outline } = 'failed' in result ? NO_TEXT : result
  let done = 0
  const saveNext = (tx: Tx): boolean => {
    const text = pages[done]
    if (text === undefined || !isClaimValid(tx, claim)) return false
    done += 1
    insertPage(tx, claim.file, done, text)
    indexPage(tx, claim.workspace, partKey(claim.file, done), text)
    return true
  }
  await repeatChange(db, saveNext, signal)
  const outcome: Outcome =
    'failed' in result
      ? { status: 'failed', pages: null, error: result.failed, outline: null }
      : { status: 'ready', pages: pages.length, error: null, outline: JSON.stringify(outline) }
  await db.write((tx): void => void endClaim(tx, claim, outcome))
}

/** Deletes the pages that an interrupted attempt left. */
async function deletePages(db: Db, claim: Claim, signal?: AbortSignal): Promise<void> {
  const deleteNext = (tx: Tx): boolean => {
    ensurePageTable(tx, claim.workspace)
    return isClaimValid(tx, claim) && deleteSomePages(tx, claim.workspace, claim.file, PAGES_AT_ONCE) > 0
  }
  await repeatChange(db, deleteNext, signal)
}

/** Starts to read a claimed file and returns the result; undefined when the signal aborted it. Throws NotStarted. */
async function resultOf(
  db: Db,
  claim: Claim,
  limits = DEFAULT_LIMITS,
  signal?: AbortSignal,
): Promise<ExtractionResult | undefined> {
  let extraction: Extraction | undefined
  try {
    extraction = startReading(db, claim, limits)
    signal?.addEventListener('abort', extraction.stop)
    return await extraction.result
  } catch (error) {
    if (error instanceof NotStarted)
      await db.write((tx): void => void revertAttempt(tx, claim.file, claim.token))
    throw error
  } finally {
    if (extraction) signal?.removeEventListener('abort', extraction.stop)
  }
}

/** Extracts and saves the text of a claimed file. Throws NotStarted. */
export async function extractText(db: Db, claim: Claim): Promise<void> {
  const result = await resultOf(db, claim)
  if (result) await saveResult(db, claim, result)
}

/** How many files a server reads at the same time. */
const MAX_RUNNING = 2
/** Anyone may send files to a form. */
export const LIMITS_OF_FORMS: Limits = { ...DEFAULT_LIMITS, seconds: 10 }

/** The sender of an unread file. */
function senderOf(reader: Reader, pk: number): UnreadFile {
  const announcement = findAnnouncement(reader, pk)
  const { surface, keyId } = announcement?.source ?? { surface: 'system', keyId: null }
  const sender = announcement?.sender ?? keyId ?? surface
  return { pk, sender, isOfForm: surface === 'form' }
}

/** The interval for finding files and retrying after errors. */
const SCAN_INTERVAL_MS = 5_000

/**
 * Extracts the text of files in the background: files that other processes add, and files left unread by a server that
 * stopped or died. Returns a function that stops it.
 */
export function startTextExtraction(
  { db, log, clock }: AppContext,
  limitsOfForms = LIMITS_OF_FORMS,
): () => void {
  const order = new ReadingOrder()
  let unread = new Map<number, UnreadFile>()
  const stopping = new AbortController()

  const warn = (error: unknown): void => {
    if (!stopping.signal.aborted) log.warn('the text of files cannot be read yet', { error: String(error) })
  }

  /** Returns whether reading the file reached a limit. */
  const read = async ({ pk, isOfForm }: UnreadFile): Promise<boolean> => {
    const claim = await db.write((tx) => claimFile(tx, pk))
    if (!claim || stopping.signal.aborted) return false
    const limits = isOfForm ? limitsOfForms : DEFAULT_LIMITS
    const result = await resultOf(db, claim, limits, stopping.signal)
    if (!result) return false
    await saveResult(db, claim, result, stopping.signal)
    return 'failed' in result && result.isOverLimit === true
  }

  const readFile = async (file: UnreadFile): Promise<void> => {
    let isOverLimit = false
    try {
      isOverLimit = await read(file)
    } finally {
      order.end(file, isOverLimit)
    }
  }

  const readNext = (): void => {
    if (stopping.signal.aborted) return
    unread = new Map(listUnread(db).map((pk) => [pk, unread.get(pk) ?? senderOf(db, pk)]))
    const files = [...unread.values()]
    while (order.running < MAX_RUNNING) {
      const file = order.begin(files)
      if (!file) return
      readFile(file).then(scan, warn)
    }
  }

  const scan = (): void => {
    try {
      readNext()
    } catch (error) {
      warn(error)
    }
  }

  const stopScanning = clock.every(SCAN_INTERVAL_MS, scan)
  const stopListening = db.onExternalWrite(scan)
  scan()
  return () => {
    stopping.abort()
    stopScanning()
    stopListening()
  }
}

const POLL_MS = 50
const RETRY_MS = 1_000

/** A server may have other files to read first. */
const MAX_WAIT_MS = 5 * 60_000

/**
 * For a command that added a file: waits up to 5 minutes for the server to extract its text, or extracts it here when
 * no server runs. Returns the file with its new status.
 */
export async function waitForText(
  { db, clock }: Pick<AppContext, 'db' | 'clock'>,
  caller: InWorkspace,
  added: FileRow,
): Promise<FileRow> {
  const until = clock.now() + MAX_WAIT_MS
  for (;;) {
    const file = findFile(db, caller, added.id)
    if (file?.status !== 'processing' || clock.now() > until) return file ?? added
    if (isServed(db.file)) await sleep(systemClock, POLL_MS)
    else if (!(await readHere(db, file.pk))) await sleep(systemClock, RETRY_MS)
  }
}

/** Returns whether a process could start for it. */
async function readHere(db: AppContext['db'], file: number): Promise<boolean> {
  const claim = await db.write((tx) => claimFile(tx, file))
  try {
    if (claim) await extractText(db, claim)
    return true
  } catch (error) {
    if (error instanceof NotStarted) return false
    throw error
  }
}
