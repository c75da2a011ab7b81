import type { RecordData } from '../../changes/record-data.ts'
import type { AppContext, Caller } from '../../context.ts'
import type { WorkerTask } from '../../db/worker/client.ts'
import { asRequester } from '../../db/writes/requester.ts'
import { mimeTypeOf } from '../../files/extraction/kinds.ts'
import { insertWholeFile } from '../../files/store.ts'
import { once } from '../../http/idempotency.ts'
import { writeRecords } from '../../records/writing/write-records.ts'
import { notFound, refused } from '../../refusal.ts'
import { optionsOf } from '../service.ts'
import { countWritten, findShareByPk, type Visit, writerOf } from '../visits.ts'
import type { FieldFile } from './values.ts'

interface FormWrite {
  readonly caller: Caller
  readonly share: number
  readonly token: string
  /** Of the page that was sent, or the `Idempotency-Key`: the same post again writes nothing. */
  readonly key: string | undefined
  /** Of what was sent. */
  readonly digest: string
  readonly data: RecordData
  readonly files: readonly FieldFile[]
}

/** Why a form takes nothing at an instant; undefined while it is open. */
export function closedSentence(
  { options, written }: { options: string; written: number },
  now: number,
): string | undefined {
  const { closes_at, max_rows } = optionsOf({ options })
  if (closes_at !== undefined && Date.parse(closes_at) <= now)
    return 'This form is closed; it takes nothing any more.'
  return max_rows !== undefined && written >= max_rows
    ? 'This form is full; it takes nothing any more.'
    : undefined
}

/** Writes the row of a post with its files, or finds that it was written before. */
export const formWrite: WorkerTask<FormWrite, { replayed: boolean }> = {
  name: 'shares.formWrite',
  run: (tx, { caller, share: pk, token, key, digest, data, files }, listeners) => {
    const share = findShareByPk(tx, pk)
    const isOver = share?.expiresAt !== null && (share?.expiresAt ?? 0) <= tx.now
    if (!share || share.token !== token || isOver) throw notFound('form')
    const target = 'POST /f'
    const request =
      key === undefined
        ? undefined
        : { keyId: `share ${share.id}`, target, idempotencyKey: key, bodyHash: digest }
    return once(tx, request, () => {
      const closed = closedSentence(share, tx.now)
      if (closed !== undefined) throw refused(closed)
      const row = { ...data }
      for (const { key: field, file } of files) row[field] = storeFile(tx, caller, file)
      writeRecords(listeners, tx, caller, { structure: share.structure ?? '', data: row })
      countWritten(tx, pk)
      return { written: 1 }
    })
  },
}

function storeFile(
  tx: Parameters<typeof insertWholeFile>[0],
  caller: Caller,
  { name, bytes }: FieldFile['file'],
): string {
  const id = tx.newId()
  const { workspacePk: workspace } = caller
  const row = {
    id,
    workspace,
    note: null,
    fileName: name,
    mimeType: mimeTypeOf(name),
    size: bytes.byteLength,
  }
  insertWholeFile(tx, caller, row, bytes)
  return id
}

/** Writes a post; all posts of a form take turns with the writes of others. Returns whether it was written before. */
export async function writeForm(
  { worker }: AppContext,
  visit: Visit,
  { key, data, files }: Pick<FormWrite, 'key' | 'data' | 'files'>,
): Promise<boolean> {
  const { share } = visit
  const length = files.reduce((sum, { file }) => sum + file.bytes.byteLength, JSON.stringify(data).length)
  const hasher = new Bun.CryptoHasher('sha256').update(JSON.stringify(data))
  for (const { key: field, file } of files) hasher.update(`${field}\0${file.name}\0`).update(file.bytes)
  const input = {
    caller: writerOf(visit),
    share: share.pk,
    token: share.token,
    key,
    digest: hasher.digest('hex'),
    data,
    files,
  }
  const write = () => worker.write(formWrite, input, { size: { length } })
  const { replayed } = await asRequester(`share ${share.id}`, write)
  return replayed
}
