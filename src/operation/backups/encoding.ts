import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { pipeline, Readable } from 'node:stream'
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib'
import { BadSetting } from '../../lib/settings.ts'

/*
 * The content of a backup in a bucket: the database compressed with zstd, then encrypted to age recipients if there are
 * any. Everything is a stream, so that memory does not grow with the database.
 */

type Chunks = AsyncIterable<Uint8Array>

const PART_BYTES = 262_144
const ENCRYPTED = '.age'

/** The ending of names of backups. */
export const backupSuffix = (isEncrypted: boolean): string => `.db.zst${isEncrypted ? ENCRYPTED : ''}`

export const isEncrypted = (name: string): boolean => name.endsWith(ENCRYPTED)

const age = () => import('age-encryption')

function asStream(chunks: Chunks): ReadableStream<Uint8Array<ArrayBuffer>> {
  const iterator = chunks[Symbol.asyncIterator]()
  return new ReadableStream(
    {
      pull: async (controller) => {
        const { done, value } = await iterator.next()
        if (done) controller.close()
        else controller.enqueue(value as Uint8Array<ArrayBuffer>)
      },
      cancel: async () => void (await iterator.return?.()),
    },
    { highWaterMark: 0 },
  )
}

/** Errors of the source end the iteration over the result. */
function through(chunks: Chunks, transform: ReturnType<typeof createZstdCompress>): Chunks {
  pipeline(
    chunks instanceof Readable ? chunks : Readable.from(chunks, { objectMode: false }),
    transform,
    () => {},
  )
  return transform
}

async function encrypted(chunks: Chunks, recipients: readonly string[]): Promise<Chunks> {
  const encrypter = new (await age()).Encrypter()
  for (const recipient of recipients) encrypter.addRecipient(recipient)
  return encrypter.encrypt(asStream(chunks))
}

/** Throws BadSetting for the first recipient that age does not accept. */
export async function checkRecipients(recipients: readonly string[]): Promise<void> {
  const encrypter = new (await age()).Encrypter()
  for (const recipient of recipients) {
    try {
      encrypter.addRecipient(recipient)
    } catch {
      throw new BadSetting(`--backup-recipient must be an age recipient such as age1…, not "${recipient}".`)
    }
  }
}

/** The content of a database file as it is stored. */
export async function encode(file: string, recipients: readonly string[]): Promise<Chunks> {
  const params = { [constants.ZSTD_c_checksumFlag]: 1 }
  const compressed = through(
    createReadStream(file, { highWaterMark: PART_BYTES }),
    createZstdCompress({ params }),
  )
  return recipients.length === 0 ? compressed : encrypted(compressed, recipients)
}

/** Bytes as they are stored. */
export async function encodeBytes(
  bytes: Uint8Array<ArrayBuffer>,
  recipients: readonly string[],
): Promise<Uint8Array> {
  const compressed = await Bun.zstdCompress(bytes)
  if (recipients.length === 0) return compressed
  return Buffer.concat(await Array.fromAsync(await encrypted(Readable.from([compressed]), recipients)))
}

/** The bytes that `encodeBytes` stored. Throws if they are damaged or no identity opens them. */
export async function decodeBytes(bytes: Uint8Array, identity: string | undefined): Promise<Uint8Array> {
  const compressed =
    identity === undefined
      ? bytes
      : Buffer.concat(await Array.fromAsync(await decrypted(Readable.from([bytes]), identity)))
  return Bun.zstdDecompress(compressed)
}

/** The identities of an age identity file. */
const identitiesIn = (text: string): string[] =>
  text.split('\n').flatMap((line) => (line.startsWith('AGE-SECRET-KEY-') ? [line.trim()] : []))

async function decrypted(chunks: Chunks, identity: string): Promise<Chunks> {
  const decrypter = new (await age()).Decrypter()
  for (const one of identitiesIn(identity)) decrypter.addIdentity(one)
  return decrypter.decrypt(asStream(chunks))
}

/** Writes the database that `encode` read to a new file. Throws if the content is damaged or no identity opens it. */
export async function decodeTo(file: string, chunks: Chunks, identity: string | undefined): Promise<void> {
  const compressed = identity === undefined ? chunks : await decrypted(chunks, identity)
  const target = await open(file, 'wx', 0o600)
  try {
    for await (const part of through(compressed, createZstdDecompress())) await target.writeFile(part)
    await target.sync()
  } finally {
    await target.close()
  }
}
