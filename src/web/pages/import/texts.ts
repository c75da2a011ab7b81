import { decodeNote, refuseLongFile } from '../../../transfer/vault/plan/note.ts'
import { bytesOf, type SelectedFile } from './folder.ts'

export type Decoded = ReturnType<typeof decodeNote>

/** Decodes a note's file. Throws if it is too large or not text. */
export async function textOf(file: SelectedFile): Promise<Decoded> {
  refuseLongFile(file)
  return decodeNote(await bytesOf(file), file)
}

/** The number of files read at once, because browsers open each file slowly. */
const FILES_AT_ONCE = 32

/** The texts of files, in order; `text` throws if the file cannot be read. */
export async function* textsOf<Item extends { readonly file: SelectedFile }>(
  items: readonly Item[],
): AsyncGenerator<{ readonly item: Item; text(): Decoded }> {
  for (let from = 0; from < items.length; from += FILES_AT_ONCE) {
    const some = items.slice(from, from + FILES_AT_ONCE)
    const read = await Promise.allSettled(some.map(({ file }) => textOf(file)))
    for (const [at, item] of some.entries()) {
      const result = read[at]
      const text = () => {
        if (result?.status === 'fulfilled') return result.value
        throw result?.reason
      }
      yield { item, text }
    }
  }
}
