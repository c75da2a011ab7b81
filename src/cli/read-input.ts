import { closeSync, createReadStream, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { refused } from '../lib/refusal.ts'
import { systemRefusal } from '../transfer/read-file.ts'
import type { Io } from './io.ts'

/** The name of standard input in place of a file. */
export const STDIN = '-'

/** The name of a file in messages. */
export const inputName = (file: string) => (file === STDIN ? 'standard input' : file)

async function* bytesOf(io: Io, file: string): AsyncGenerator<Uint8Array> {
  try {
    yield* file === STDIN ? io.readChunks() : (createReadStream(file) as AsyncIterable<Uint8Array>)
  } catch (error) {
    throw systemRefusal(error, inputName(file)) ?? error
  }
}

/** The text of a file or of standard input, as it arrives. Refuses input that is not UTF-8. */
export async function* textOf(io: Io, file: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    for await (const bytes of bytesOf(io, file)) yield decoder.decode(bytes, { stream: true })
    yield decoder.decode()
  } catch (error) {
    throw error instanceof TypeError
      ? refused(`${inputName(file)} is not UTF-8 text; send it as UTF-8.`)
      : error
  }
}

/** The whole text of a file or of standard input. Refuses a longer text than the limit, in characters. */
export async function readAllText(io: Io, file: string, limit: number): Promise<string> {
  let text = ''
  for await (const chunk of textOf(io, file)) {
    text += chunk
    if (text.length > 2 * limit) throw refused(`${inputName(file)} has more than ${limit} characters.`)
  }
  return text
}

/** Runs `use` with the path of a file. Standard input, which can be read only once, is written to one. */
export async function withInputFile<T>(io: Io, path: string, use: (path: string) => Promise<T>): Promise<T> {
  if (path !== STDIN) return use(path)
  return withTemporaryFolder(async (folder) => {
    const file = join(folder, 'standard input')
    const descriptor = openSync(file, 'wx', 0o600)
    try {
      for await (const bytes of io.readChunks()) writeFileSync(descriptor, bytes)
    } finally {
      closeSync(descriptor)
    }
    return use(file)
  })
}

/** Runs `use` with an empty folder, which is removed afterwards. */
export async function withTemporaryFolder<T>(use: (folder: string) => T | Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-'))
  try {
    return await use(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
