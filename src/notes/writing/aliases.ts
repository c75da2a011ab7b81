import { atPlace, nameTaken, refused } from '../../lib/refusal.ts'
import { fold } from '../../lib/text.ts'
import type { Tx } from '../../storage/writes/transaction.ts'
import { findByAlias, furtherAliasesOf, type NoteSummary } from '../store.ts'

/*
 * A note has one `alias`, and further ones in `aliases`. The note holds both as they were written. `note_aliases` has
 * the folded further aliases of active notes.
 */

/** The aliases of a request; undefined for what it does not send. */
export interface SentAliases {
  readonly alias?: string | null | undefined
  readonly aliases?: readonly string[] | null | undefined
}

type OwnAliases = Pick<NoteSummary, 'pk' | 'alias' | 'aliases'>

/** Refuses aliases that a note would have twice, or that another active note has; `own` are those it has now. */
export function refuseAliases(tx: Tx, workspace: number, sent: SentAliases, own?: OwnAliases): void {
  const alias = sent.alias === undefined ? own?.alias : sent.alias?.trim()
  const kept = own && sent.aliases === undefined ? furtherAliasesOf(own) : []
  const further = sent.aliases?.map((name) => name.trim()) ?? kept
  const seen = new Set(alias ? [fold(alias)] : [])
  const placeOf = (at: number) => (sent.aliases ? `aliases[${at}]` : 'alias')
  for (const [at, name] of further.entries()) {
    if (seen.has(fold(name)))
      throw refused(`The note would have the alias "${name}" twice; send each once.`, atPlace(placeOf(at)))
    seen.add(fold(name))
  }
  if (sent.alias) refuseTakenAlias(tx, workspace, sent.alias.trim(), 'alias', own?.pk)
  if (sent.aliases)
    for (const [at, name] of further.entries()) refuseTakenAlias(tx, workspace, name, placeOf(at), own?.pk)
}

/** Refuses an alias that another active note has. */
export function refuseTakenAlias(
  tx: Tx,
  workspace: number,
  alias: string,
  place = 'alias',
  except?: number,
): void {
  const holder = findByAlias(tx, workspace, fold(alias))
  if (!holder || holder.pk === except) return
  throw nameTaken(
    `The alias "${alias}" belongs to the note "${holder.title}" already; choose another.`,
    atPlace(place),
  )
}

/** The column of further aliases as they are sent. */
export const aliasesJson = (aliases: readonly string[]): string =>
  JSON.stringify(aliases.map((name) => name.trim()))

/** Brings the index of further aliases up to date; must be called when they, or the deletion of their note, change. */
export function indexAliases(tx: Tx, workspace: number, pk: number): void {
  const [aliases = null] = tx.sql.column<string | null>(
    'SELECT aliases FROM notes WHERE pk = ? AND deleted_at IS NULL',
    pk,
  )
  setIndexedAliases(tx, workspace, pk, furtherAliasesOf({ aliases }))
}

/** Makes links resolve to a note by these further aliases only. */
export function setIndexedAliases(
  { sql }: Tx,
  workspace: number,
  pk: number,
  aliases: readonly string[],
): void {
  sql.run('DELETE FROM note_aliases WHERE note = ?', pk)
  const insert = 'INSERT INTO note_aliases (workspace, alias_fold, note) VALUES (?, ?, ?)'
  for (const alias of aliases) sql.run(insert, workspace, fold(alias), pk)
}

/** Frees the further aliases of a note if an update will replace them with these later in the transaction. */
export const releaseAliases = ({ sql }: Tx, id: string, aliases: readonly string[] | null): void =>
  void sql.run(
    'DELETE FROM note_aliases WHERE note = (SELECT pk FROM notes WHERE id = ? AND aliases IS NOT ?)',
    id,
    aliases && aliasesJson(aliases),
  )
