import type { AppContext, Caller } from '../../context.ts'
import { mimeTypeOf } from '../../files/extraction/kinds.ts'
import { insertWholeFile } from '../../files/new-file.ts'
import { STATUS_OF } from '../../http/errors.ts'
import type { Exchange } from '../../http/exchange.ts'
import { errorIn, type RefusedRequest } from '../../http/problem.ts'
import { createdResponse } from '../../http/responses.ts'
import { KEY_FORM, once } from '../../kernel/once.ts'
import { write } from '../../kernel/operation.ts'
import { addressGroup } from '../../lib/address-group.ts'
import { BoundedCache } from '../../lib/bounded-cache.ts'
import { DAY_MS } from '../../lib/dates.ts'
import type { RecordData } from '../../lib/record-data.ts'
import {
  atFields,
  fail,
  invalid,
  notFound,
  Refusal,
  type RefusalCode,
  refused,
  unavailable,
} from '../../lib/refusal.ts'
import { writeRecords } from '../../records/rows/writing/write-records.ts'
import { definitionOf, findStructureById } from '../../records/structures/store.ts'
import type { Tx } from '../../storage/writes/transaction.ts'
import { shownText } from '../pages/page.ts'
import { type FormField, type FormSettings, formFields, optionsOf } from '../service.ts'
import { countWritten, findShareByPk, postCredential, type Visit } from '../visits.ts'
import { formPage, pageTokenIn, type ShownForm, sentencePage } from './page.ts'
import {
  type FieldFile,
  readValues,
  type Sent,
  TOKEN_INPUT,
  TRAP_INPUT,
  typedTexts,
  unknownName,
} from './sent.ts'

type Form = Pick<ShownForm, 'title' | 'settings' | 'fields'>

function formOf({ db }: AppContext, { caller, share }: Visit): Form {
  const structure = findStructureById(db, caller, share.target) ?? fail(notFound('form'))
  const settings: FormSettings = optionsOf(share)
  const fields: readonly FormField[] = formFields(definitionOf(structure), settings).map(
    ({ label, help, ...field }) => ({
      ...field,
      label: shownText(label),
      help: help === undefined ? undefined : shownText(help),
    }),
  )
  return { title: shownText(settings.title ?? structure.name), settings, fields }
}

/** The names that a post may repeat: the keys of fields with several values. */
export const repeatableNames = (ctx: AppContext, visit: Visit): ReadonlySet<string> =>
  new Set(formOf(ctx, visit).fields.flatMap(({ field }) => (field.multiple ? [field.key] : [])))

/** The page of a form; the address fills in fields where the form allows it. */
export function showForm(ctx: AppContext, visit: Visit, query: URLSearchParams): Response {
  const form = formOf(ctx, visit)
  const now = ctx.clock.now()
  const closed = closedSentence(visit.share, now)
  if (closed !== undefined) return sentencePage(form.title, closed)
  const typed = new Map<string, string>()
  if (form.settings.prefill === true)
    for (const { field } of form.fields) {
      const [value, ...more] = query.getAll(field.key)
      if (value !== undefined) typed.set(field.key, field.multiple ? [value, ...more].join('\n') : value)
    }
  return formPage({ ...form, now, typed })
}

const DONE = 'Thank you. Your response has been received.'

export function showDone(ctx: AppContext, visit: Visit): Response {
  const { title, settings } = formOf(ctx, visit)
  return sentencePage(title, shownText(settings.done_text ?? DONE))
}

const PER_DAY = 100
const MAX_ADDRESSES = 100_000

/** Counts the posts of each address within a day; only written posts count. */
export class SentPerDay {
  readonly #counts = new BoundedCache<string, { readonly since: number; readonly count: number }>(
    MAX_ADDRESSES,
  )

  constructor(private readonly ctx: Pick<AppContext, 'clock'>) {}

  /** Counts a post until its outcome is known; throws if there are too many. */
  begin(share: string, address: string, most = PER_DAY): () => void {
    const key = `${share} ${addressGroup(address)}`
    const now = this.ctx.clock.now()
    const known = this.#counts.get(key)
    const current =
      known && now >= known.since && now - known.since < DAY_MS ? known : { since: now, count: 0 }
    if (current.count >= most)
      throw new Refusal(
        'rate_limited',
        'From this address the form was sent as often as it may be in a day; try again tomorrow.',
        { retryAfterSeconds: Math.ceil((current.since + DAY_MS - now) / 1_000) },
      )
    this.#counts.set(key, { ...current, count: current.count + 1 })
    return () => {
      const latest = this.#counts.get(key)
      if (latest?.since === current.since) this.#counts.set(key, { ...latest, count: latest.count - 1 })
    }
  }
}

interface FormDay {
  readonly since: number
  readonly bytes: number
}

/** Counts the bytes that forms write within a day, by workspace. A restart of the server resets the counts. */
export class FormBytes {
  readonly #days = new Map<number, FormDay>()

  constructor(private readonly ctx: Pick<AppContext, 'clock' | 'config'>) {}

  /** Counts a post until its outcome is known; throws if it does not fit. */
  begin(workspace: number, bytes: number): () => void {
    const now = this.ctx.clock.now()
    const day = this.#dayOf(workspace, now)
    if (day.bytes + bytes > this.ctx.config.formBytesPerDay)
      throw unavailable(
        'The forms of this workspace have received as much as they may in a day; nothing was kept. Try again tomorrow.',
        { retryAfterSeconds: Math.ceil((day.since + DAY_MS - now) / 1_000) },
      )
    this.#days.set(workspace, { ...day, bytes: day.bytes + bytes })
    return () => {
      const latest = this.#days.get(workspace)
      if (latest?.since === day.since) this.#days.set(workspace, { ...latest, bytes: latest.bytes - bytes })
    }
  }

  /** The total of all workspaces. */
  get bytesToday(): number {
    const now = this.ctx.clock.now()
    return [...this.#days.keys()].reduce((sum, workspace) => sum + this.#dayOf(workspace, now).bytes, 0)
  }

  #dayOf(workspace: number, now: number): FormDay {
    const day = this.#days.get(workspace)
    return day && now >= day.since && now - day.since < DAY_MS ? day : { since: now, bytes: 0 }
  }
}

const ROBOT =
  'This looks like a robot: a field was filled in that nobody sees. Empty it, or send the form again.'

export interface FormLimits {
  readonly perDay: SentPerDay
  readonly bytes: FormBytes
}

interface Post {
  readonly exchange: Exchange
  readonly sent: Sent
}

/** Handles a post: writes one row, or responds with what to change. */
export async function takePost(
  ctx: AppContext,
  visit: Visit,
  limits: FormLimits,
  post: Post,
): Promise<Response> {
  const form = formOf(ctx, visit)
  try {
    const replayed = await writeOnce(ctx, visit, form, limits, post)
    if (post.sent.isJson) return createdResponse('{"written":1}', replayed)
    return new Response(null, { status: 303, headers: { Location: `${visit.base}/done` } })
  } catch (error) {
    if (error instanceof Refusal || error instanceof FieldRefusals)
      return answer(ctx, visit, form, post, error)
    throw error
  }
}

/** The refusals of a post, by the key of the field. */
class FieldRefusals extends Error {
  constructor(readonly byKey: ReadonlyMap<string, Refusal>) {
    super('fields were refused')
  }
}

/** Writes the row of a post; returns whether it was written before. */
async function writeOnce(
  ctx: AppContext,
  visit: Visit,
  form: Form,
  limits: FormLimits,
  { exchange, sent }: Post,
): Promise<boolean> {
  const now = ctx.clock.now()
  const { share } = visit
  if (!sent.isJson && (sent.texts.get(TRAP_INPUT)?.[0] ?? '') !== '') throw new Refusal('rate_limited', ROBOT)
  const unknown = unknownName(sent, form.fields)
  if (unknown !== undefined)
    throw refused(`"${unknown}" is not a field of this form; leave it out.`, atFields(unknown))
  const values = readValues(form.fields, form.settings, sent)
  if (values.refusals.size > 0) throw new FieldRefusals(values.refusals)
  const token = pageTokenIn(sent.isJson ? undefined : sent.texts.get(TOKEN_INPUT)?.[0], now)
  const key = idempotencyKeyOf(exchange) ?? token
  const length = lengthOf(values)
  const reversals = [limits.perDay.begin(share.id, exchange.address, form.settings.per_address_per_day)]
  let isWritten = false
  try {
    reversals.push(limits.bytes.begin(share.workspace, length))
    const replayed = await writePost(ctx, visit, { ...values, key })
    isWritten = !replayed
    return replayed
  } catch (error) {
    throw key !== undefined && key === token ? ofPage(form, error) : atFormField(form, error)
  } finally {
    if (!isWritten) for (const revert of reversals) revert()
  }
}

/** A page that was sent before with other content is not an accidental repetition. */
function ofPage(form: Form, error: unknown): unknown {
  return error instanceof Refusal && error.data.reason === 'key_reused'
    ? refused('You already submitted this form. Press Send again to submit another response.')
    : atFormField(form, error)
}

/** Turns a refusal of the whole row that concerns one field of the form into a refusal of that field. */
function atFormField({ fields }: Form, error: unknown): unknown {
  if (!(error instanceof Refusal)) return error
  const named = error.data.fields ?? []
  const isHidden = named.some((key) => !fields.some(({ field }) => field.key === key))
  // Visitors learn nothing about fields outside the form, nor about the limits of the structure.
  if (isHidden || OF_STRUCTURE.has(error.code))
    return refused('This form cannot be sent at present. Tell the person who gave you the link.')
  const [first] = named
  if (error.code !== 'unique_violation' || first === undefined) return error
  const sentence = 'This was sent already and can be given only once; choose another.'
  return new FieldRefusals(new Map([[first, new Refusal(error.code, sentence, atFields(first))]]))
}

const OF_STRUCTURE: ReadonlySet<RefusalCode> = new Set(['max_rows_reached', 'immutable'])

function idempotencyKeyOf({ request }: Exchange): string | undefined {
  const key = request.headers.get('idempotency-key') ?? undefined
  if (key === undefined || KEY_FORM.test(key)) return key
  throw invalid('The header "Idempotency-Key" must be 1 to 255 printable ASCII characters.')
}

function answer(
  { db, clock }: AppContext,
  { share }: Visit,
  form: Form,
  { exchange, sent }: Post,
  error: Refusal | FieldRefusals,
): Response {
  const refusals = error instanceof FieldRefusals ? error.byKey : new Map<string, Refusal>()
  const [first] = refusals
  const refusal = error instanceof FieldRefusals ? (first?.[1] ?? refused('')) : error
  const status = STATUS_OF[refusal.code]
  if (sent.isJson) {
    const request = { request: exchange.request, body: { data: sent.data } }
    const others = [...refusals.values()].slice(1)
    return jsonRefusal(request, [refusal, ...others], first?.[0])
  }
  const closed = closedSentence(findShareByPk(db, share.pk) ?? share, clock.now())
  if (closed !== undefined) return sentencePage(form.title, closed, status)
  return formPage({
    ...form,
    now: clock.now(),
    typed: typedTexts(sent),
    refusals: new Map(Array.from(refusals, ([key, { message }]) => [key, message])),
    ...(error instanceof Refusal && { refusal: error.message }),
    status,
    ...(refusal.retryAfterSeconds !== undefined && { retryAfterSeconds: refusal.retryAfterSeconds }),
  })
}

/**
 * Responds to a program with the first of several refusals. `field` names the field of that refusal, if there is one.
 */
export function jsonRefusal(
  request: RefusedRequest,
  refusals: readonly [Refusal, ...Refusal[]],
  field?: string,
): Response {
  const [{ message: sentence, code, retryAfterSeconds }] = refusals
  const headers = new Headers()
  if (retryAfterSeconds !== undefined) headers.set('Retry-After', String(retryAfterSeconds))
  const more = field === undefined ? {} : { field }
  return errorIn(request, { status: STATUS_OF[code], code, sentence, refusals, headers, more })
}

/** Lets pages of every site read a response. */
export function shownToAll(response: Response): Response {
  response.headers.set('Access-Control-Allow-Origin', '*')
  response.headers.set('Access-Control-Expose-Headers', 'Idempotent-Replayed, Retry-After')
  response.headers.set('Cross-Origin-Resource-Policy', 'cross-origin')
  return response
}

/** The response to the preflight request of a browser that sends JSON from another site. */
export const formPreflight = (): Response =>
  shownToAll(
    new Response(null, {
      status: 204,
      headers: {
        'Access-Control-Allow-Methods': 'GET, POST',
        'Access-Control-Allow-Headers': 'Content-Type, Idempotency-Key',
        'Access-Control-Max-Age': '600',
      },
    }),
  )

interface FormWrite {
  readonly share: number
  readonly token: string
  /** From the sent page, or the `Idempotency-Key`: the same post again writes nothing. */
  readonly key: string | undefined
  readonly digest: string
  readonly data: RecordData
  readonly files: readonly FieldFile[]
}

/** Why a form refuses posts at an instant; undefined while it is open. */
export function closedSentence(
  { options, written }: { options: string; written: number },
  now: number,
): string | undefined {
  const { closes_at, max_rows } = optionsOf({ options })
  if (closes_at !== undefined && Date.parse(closes_at) <= now)
    return 'This form is closed and no longer accepts responses.'
  return max_rows !== undefined && written >= max_rows
    ? 'This form is full and no longer accepts responses.'
    : undefined
}

/** Writes the row of a post with its files, unless it was written before. */
export const writeForm = write({
  name: 'shares.write-form',
  covers: 'several',
  run: (tx, caller, { share: pk, token, key, digest, data, files }: FormWrite) => {
    const share = findShareByPk(tx, pk)
    const isOver = share?.expiresAt !== null && (share?.expiresAt ?? 0) <= tx.now
    if (!share || share.token !== token || isOver) throw notFound('form')
    const writeRow = () => {
      const closed = closedSentence(share, tx.now)
      if (closed !== undefined) throw refused(closed)
      const row = { ...data }
      for (const { key: field, file, isMultiple } of files) {
        const id = storeFile(tx, caller, file)
        row[field] = isMultiple ? [...((row[field] as string[] | undefined) ?? []), id] : id
      }
      writeRecords(tx, caller, { structure: share.structure ?? '', data: row })
      countWritten(tx, pk)
      return { written: 1 }
    }
    if (key === undefined) {
      writeRow()
      return { replayed: false }
    }
    const target = 'POST /f'
    const request = { keyId: `share ${share.id}`, target, idempotencyKey: key, bodyHash: digest }
    return { replayed: once(tx, request, writeRow).replayed }
  },
})

function storeFile(tx: Tx, caller: Caller, { name: fileName, bytes }: FieldFile['file']): string {
  const id = tx.newId()
  const { workspacePk: workspace } = caller
  const about = { fileName, mimeType: mimeTypeOf(fileName), size: bytes.byteLength }
  insertWholeFile(tx, caller, { id, workspace, note: null, ...about }, bytes)
  return id
}

const lengthOf = ({ data, files }: Pick<FormWrite, 'data' | 'files'>): number =>
  files.reduce((sum, { file }) => sum + file.bytes.byteLength, Buffer.byteLength(JSON.stringify(data)))

/**
 * Writes a post; the posts of a form are scheduled together, fairly with other writes. Returns whether it was written
 * before.
 */
async function writePost(
  { kernel }: AppContext,
  visit: Visit,
  { key, data, files }: Pick<FormWrite, 'key' | 'data' | 'files'>,
): Promise<boolean> {
  const { share } = visit
  const hasher = new Bun.CryptoHasher('sha256').update(JSON.stringify(data))
  for (const { key: field, file } of files) hasher.update(`${field}\0${file.name}\0`).update(file.bytes)
  const input = { share: share.pk, token: share.token, key, digest: hasher.digest('hex'), data, files }
  const { replayed } = await kernel.call(writeForm, postCredential(visit), input)
  return replayed
}
