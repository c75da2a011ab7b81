import type { Static } from '@sinclair/typebox'
import { eq, getTableColumns, sql } from 'drizzle-orm'
import { type AppContext, type Caller, placeFor, wholeWorkspace } from '../context.ts'
import { isComputed } from '../filter/record/field-types.ts'
import { strict } from '../http/schema/types.ts'
import { createCheck, type SchemaCheck } from '../http/validation.ts'
import { checkWrite, hides, may, mayShare } from '../kernel/caller.ts'
import { isoOrNull, isoTimestamp, parseInstant } from '../lib/dates.ts'
import { type PageRequest, presentPage } from '../lib/pagination.ts'
import { patched } from '../lib/patch.ts'
import { atPlace, fail, notFound, refused } from '../lib/refusal.ts'
import { quoteList } from '../lib/text.ts'
import { logChange } from '../log/log.ts'
import { objectKind } from '../log/objects/objects.ts'
import { findNoteSummary, findTrashedNote, getNoteSummary } from '../notes/store.ts'
import { viewKind } from '../notes/views/service.ts'
import { hashPassword } from '../people/accounts/passwords.ts'
import { findUserById } from '../people/accounts/store.ts'
import { checkedChanges } from '../records/rows/writing/field-values.ts'
import {
  type Definition,
  definitionOf,
  type FieldDefinition,
  findStructureById,
  getStructure,
  type StructureRow,
} from '../records/structures/store.ts'
import { getRowView, rowViewKind } from '../records/views/service.ts'
import { orm, runBy } from '../storage/query.ts'
import type { Reader } from '../storage/reader.ts'
import { shares } from '../storage/schema/shares.ts'
import type { Tx } from '../storage/writes/transaction.ts'
import {
  type CreateShareBody,
  FormOptions,
  NoOptions,
  type PatchShareBody,
  RowViewOptions,
  type ShareKind,
} from './schema.ts'

const MAX_SHARES = 1_000

/** Shares by creation, as in responses but without the URL, which not every caller sees. */
export const shareKind = objectKind({
  kind: 'share',
  table: shares,
  read: {
    ...getTableColumns(shares),
    /** For the log. */
    structureId: sql<string>`shares.structure`,
    maker: sql<string>`(SELECT json_object('id', u.id, 'name', u.name) FROM users u WHERE u.pk = shares.created_by)`,
  },
  order: [shares.pk],
  derived: ['created_by', 'last_used_at', 'uses'],
  present: (row) => ({
    id: row.id,
    kind: row.kind,
    target_id: row.target,
    name: row.name,
    options: JSON.parse(row.options) as object,
    has_password: row.passwordHash !== null,
    expires_at: isoOrNull(row.expiresAt),
    created_by: JSON.parse(row.maker) as { id: string; name: string },
    created_at: isoTimestamp(row.createdAt),
    last_used_at: isoOrNull(row.lastUsedAt),
    uses: row.uses,
  }),
})

export type ShareRow = ReturnType<typeof shareKind.getRow>

export const optionsOf = ({ options }: { readonly options: string }): FormSettings & { csv?: boolean } =>
  JSON.parse(options)

/** A share with its URL, for callers who may write. `origin` is the address at which visitors reach the server. */
export const presentShare = (caller: Caller, row: ShareRow, reader: Reader, origin: string) => ({
  ...shareKind.present(row, reader),
  url: mayOpen(caller, row) ? `${origin}/${row.kind === 'form' ? 'f' : 's'}/${row.token}` : null,
})

/** Only callers who may write the target of a share see its URL. */
const mayOpen = ({ mayWrite, rights }: Caller, { structure }: ShareRow): boolean =>
  mayWrite && mayShare(rights, structure)

/** Whether the target exists; a trashed note counts, because it can be restored. */
function hasTarget(reader: Reader, { workspace, kind, target }: ShareRow): boolean {
  if (kind === 'note')
    return (
      (findNoteSummary(reader, workspace, target) ?? findTrashedNote(reader, workspace, target)) !== undefined
    )
  if (kind === 'view') return viewKind.findById(reader, workspace, target) !== undefined
  if (kind === 'row_view') return rowViewKind.findById(reader, workspace, target) !== undefined
  return findStructureById(reader, wholeWorkspace(workspace), target) !== undefined
}

/** Editors see their own shares, and owners all shares. Read-only callers see all shares without the URLs. */
const isShown = ({ userId, role, mayWrite, rights }: Caller, row: ShareRow): boolean =>
  (role === 'owner' || !mayWrite || JSON.parse(row.maker).id === userId) &&
  (row.structure === null ? !hides(rights, 'notes') : may(rights, row.structure, 'read'))

export function listShares(reader: Reader, caller: Caller, page: PageRequest, origin: string) {
  const shown = shareKind
    .rows(reader, caller.workspacePk)
    .filter((row) => isShown(caller, row) && hasTarget(reader, row))
  const items = shown.slice(page.offset, page.offset + page.limit)
  return {
    shares: items.map((row) => presentShare(caller, row, reader, origin)),
    ...presentPage(page, { items, total: shown.length }),
  }
}

export function getShare(reader: Reader, caller: Caller, id: string): ShareRow {
  const row = shareKind.findById(reader, caller.workspacePk, id)
  return row && isShown(caller, row) && hasTarget(reader, row) ? row : fail(notFound('share'))
}

interface Target {
  readonly id: string
  /** The structure of the rows that the share shows or accepts. */
  readonly structure?: StructureRow
}

/** Finds the target of a share; refuses a target that the caller may not write. */
export function getTarget(reader: Reader, caller: Caller, kind: ShareKind, id: string): Target {
  if (kind === 'note' || kind === 'view') {
    const place = placeFor(caller, 'notes')
    const found = kind === 'note' ? getNoteSummary(reader, place, id) : viewKind.getRow(reader, place, id)
    checkWrite(caller.rights, 'notes')
    // The page serves the files that a note names.
    if (hides(caller.rights, 'files')) checkWrite(caller.rights, 'files')
    return { id: found.id }
  }
  const view = kind === 'row_view' ? getRowView(reader, caller, id) : undefined
  if (view?.personal === 1)
    throw refused('A personal view is yours alone; make it one for everybody before you share it.')
  const structure = getStructure(reader, caller, view?.structureId ?? id, 'change')
  return { id: view?.id ?? structure.id, structure }
}

/** 128 random bits, in characters that need no encoding in a URL. */
const newToken = (): string => Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('base64url')

type CreateInput = Static<typeof CreateShareBody>
type PatchInput = Static<typeof PatchShareBody>

/** The hash of the password in a request: undefined if it sends none, null if it removes the password. */
async function passwordHashOf(
  ctx: AppContext,
  { userId }: Caller,
  { password }: PatchInput,
): Promise<string | null | undefined> {
  return typeof password === 'string' ? hashPassword(password, { line: 'users', key: userId }, ctx) : password
}

/** The password hash of a new share. Refuses a share that the caller may not create, before it hashes. */
export async function passwordHashOfNew(
  ctx: AppContext,
  caller: Caller,
  { kind, target_id, options = {}, ...input }: CreateInput,
): Promise<string | null> {
  checkForm(kind, options)
  getTarget(ctx.db, caller, kind, target_id)
  if (kind === 'form') refusePassword(input.password)
  return (await passwordHashOf(ctx, caller, input)) ?? null
}

export function insertShare(
  tx: Tx,
  caller: Caller,
  { kind, target_id, name = null, options = {}, ...input }: CreateInput,
  passwordHash: string | null,
): ShareRow {
  const target = getTarget(tx, caller, kind, target_id)
  checkOptions(kind, options, target.structure)
  if (shareKind.count(tx, caller.workspacePk) >= MAX_SHARES && !deleteLost(tx, caller))
    throw refused(`A workspace has at most ${MAX_SHARES} shares; end one first.`)
  const maker = findUserById(tx, caller.userId) ?? fail(notFound('user'))
  return shareKind.insert(tx, caller, {
    kind,
    target: target.id,
    structure: target.structure?.id ?? null,
    name,
    token: newToken(),
    passwordHash,
    options: JSON.stringify(options),
    expiresAt: instantOf(input.expires_at) ?? null,
    createdBy: maker.pk,
  })
}

/** Deletes the shares whose targets no longer exist; returns whether there was one. */
function deleteLost(tx: Tx, caller: Caller): boolean {
  const lost = shareKind.rows(tx, caller.workspacePk).filter((row) => !hasTarget(tx, row))
  for (const row of lost) shareKind.delete(tx, caller, row)
  return lost.length > 0
}

const instantOf = (text: string | null | undefined): number | null | undefined =>
  typeof text === 'string' ? Math.floor(parseInstant(text) ?? 0) : text

function checkOptions(kind: ShareKind, options: object, structure: StructureRow | undefined): void {
  checkForm(kind, options)
  if (kind === 'form' && structure) checkFormOf(structure, options)
}

function refusePassword(password: string | null | undefined): void {
  if (typeof password === 'string') throw refused('A form has no password; leave "password" out.')
}

/** Finds a share and its target; refuses a change that the caller may not make. */
function getChangeable(reader: Reader, caller: Caller, id: string, { password }: PatchInput) {
  const before = getShare(reader, caller, id)
  const { structure } = getTarget(reader, caller, before.kind, before.target)
  if (before.kind === 'form') refusePassword(password)
  return { before, structure }
}

/** The password hash of a change. Refuses a change that the caller may not make, before it hashes. */
export async function passwordHashOfPatch(
  ctx: AppContext,
  caller: Caller,
  id: string,
  input: PatchInput,
): Promise<string | null | undefined> {
  getChangeable(ctx.db, caller, id, input)
  return passwordHashOf(ctx, caller, input)
}

/** Updates the sent attributes; the options are replaced as a whole. */
export function updateShare(
  tx: Tx,
  caller: Caller,
  id: string,
  input: PatchInput,
  passwordHash: string | null | undefined,
): ShareRow {
  const { before, structure } = getChangeable(tx, caller, id, input)
  if (input.options) checkOptions(before.kind, input.options, structure)
  shareKind.update(tx, caller, before, {
    name: patched(input.name, before.name),
    passwordHash: patched(passwordHash, before.passwordHash),
    expiresAt: patched(instantOf(input.expires_at), before.expiresAt),
    options: input.options ? JSON.stringify(input.options) : before.options,
  })
  return getShare(tx, caller, id)
}

/** Gives a share another URL; the old URL stops working at once. */
export function replaceToken(tx: Tx, caller: Caller, id: string): ShareRow {
  const before = getShare(tx, caller, id)
  getTarget(tx, caller, before.kind, before.target)
  setToken(tx, before.pk, newToken())
  const difference = { changed: ['url'], previous: {} }
  logChange(tx, caller, { kind: 'share', id }, 'updated', { difference })
  return getShare(tx, caller, id)
}

const setToken = runBy((pk: number, token: string) =>
  orm
    .update(shares)
    .set({ token: sql`${token}` })
    .where(eq(shares.pk, pk)),
)

export function endShare(tx: Tx, caller: Caller, id: string): void {
  const row = getShare(tx, caller, id)
  if (row.structure === null) checkWrite(caller.rights, 'notes')
  else getStructure(tx, caller, row.structure, 'change')
  shareKind.delete(tx, caller, row)
}

export type FormSettings = Static<typeof FormOptions>

export interface FormField {
  readonly field: FieldDefinition
  readonly label: string
  readonly help: string | undefined
  readonly isRequired: boolean
}

const checkOf = (options: Parameters<typeof strict>[0][string]): SchemaCheck =>
  createCheck('body', strict({ options }))

const CHECKS: Readonly<Record<ShareKind, SchemaCheck>> = {
  note: checkOf(NoOptions),
  view: checkOf(NoOptions),
  row_view: checkOf(RowViewOptions),
  form: checkOf(FormOptions),
}

/** Refuses options that a share of this kind does not have. */
const checkForm = (kind: ShareKind, options: object): void => CHECKS[kind]({ options })

/** Pages without a session neither show other objects of the workspace nor accept their ids. */
const isAskable = (field: FieldDefinition): boolean =>
  !['note', 'record', 'user'].includes(field.type) && !isComputed(field)

/** The fields of a form in order: the named fields, or all fields that a form can ask for. */
export function formFields({ fields, byKey }: Definition, settings: FormSettings): FormField[] {
  const { hidden = {} } = settings
  const named =
    settings.fields ??
    fields
      .filter((field) => !field.hidden && isAskable(field) && !Object.hasOwn(hidden, field.key))
      .map(({ key }) => ({ key }))
  return named.flatMap(({ key, label, help, required }: NonNullable<FormSettings['fields']>[number]) => {
    const field = byKey.get(key)
    return field
      ? [{ field, label: label ?? field.label ?? key, help, isRequired: field.required || required === true }]
      : []
  })
}

/** Refuses a form that this structure cannot have. */
export function checkFormOf(structure: StructureRow, settings: FormSettings): void {
  const definition = definitionOf(structure)
  if (structure.maxRows === 1)
    throw refused(
      `"${structure.name}" holds one row, which every post would replace; share a form of another structure.`,
    )
  checkFields(definition, settings)
  checkedChanges(definition, settings.hidden ?? {})
  const shown = new Set(formFields(definition, settings).map(({ field }) => field.key))
  const missing = definition.fields.filter(
    ({ key, required }) => required && !shown.has(key) && !Object.hasOwn(settings.hidden ?? {}, key),
  )
  if (missing.length === 0) return
  const keys = quoteList(missing.map(({ key }) => key))
  throw refused(`Every row needs ${keys}; add it to "fields", or give it a value in "hidden".`)
}

function checkFields({ byKey }: Definition, { fields = [], hidden = {} }: FormSettings): void {
  const keys = fields.map(({ key }) => key)
  const repeated = keys.find((key, at) => keys.indexOf(key) < at)
  if (repeated !== undefined)
    throw refused(`"options.fields" names "${repeated}" twice; name each once.`, atPlace('options.fields'))
  for (const key of keys) {
    const field = byKey.get(key)
    if (!field)
      throw refused(
        `"options.fields" names "${key}", and the structure has no such field.`,
        atPlace('options.fields'),
      )
    if (!isAskable(field))
      throw refused(
        `"options.fields" names "${key}", a field of type "${field.type}", which a form cannot ask; leave it out.`,
        atPlace('options.fields'),
      )
    if (Object.hasOwn(hidden, key))
      throw refused(`"${key}" is in "options.fields" and in "options.hidden"; leave it in one.`)
  }
}
