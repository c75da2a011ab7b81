import type { Caller } from '../../context.ts'
import type { Reader } from '../../db/reader.ts'
import { sources } from '../../db/schema/sources.ts'
import type { Tx } from '../../db/writes/transaction.ts'
import { CreateSourceBody } from '../../sources/schema.ts'
import { createSource, type NewSource } from '../../sources/service.ts'
import { presentSource, sourceKind } from '../../sources/store.ts'
import { asObject, parseExported, restoreUpdatedAt, txForOriginal } from './exported-object.ts'

/** Everything but the secret, the URL, and what was received. */
export const exportSources = (reader: Reader, { workspacePk }: Caller) =>
  sourceKind.rows(reader, workspacePk).map((row) => {
    const { structure, url: _, counts: __, last_event_at: ___, ...source } = presentSource(row)
    return { ...source, structure: structure.id }
  })

/** The source is disabled until it is given a secret and a URL again. */
export function importSource(tx: Tx, caller: Caller, value: unknown): void {
  const original = parseExported<NewSource>(asObject(value), CreateSourceBody)
  createSource(txForOriginal(tx, original), caller, original.input, true)
  restoreUpdatedAt(tx, sources, original)
}
