/*
 * A viewer of PDF runs the scripts of a document as soon as it is shown, and a browser shows none in a sandbox. So a
 * document with scripts is not shown.
 */

/** A name of PDF, any sign of which may be written as its number. */
const nameOf = (name: string): RegExp => {
  const signs = [...name].map((sign) => `(?:${sign}|#${sign.charCodeAt(0).toString(16)})`)
  return new RegExp(`/${signs.join('')}`, 'i')
}

const SCRIPT = nameOf('JavaScript')
const ENCRYPTED = nameOf('Encrypt')
const OBJECTS = nameOf('ObjStm')
/** How far before its content the dictionary of a stream may begin. */
const DICTIONARY_LENGTH = 500
/** More than the objects of any document take. */
const MAX_LENGTH = 50_000_000

/** Belongs to the end of a stream, and not to its content. */
const LINE_END = /\r?\n$/

const latin1 = new TextDecoder('latin1')

/** The text that a compressed stream holds; undefined where it cannot be read. */
async function inflated(bytes: Uint8Array<ArrayBuffer>): Promise<string | undefined> {
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate')).getReader()
  let text = ''
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      text += latin1.decode(next.value)
      if (text.length > MAX_LENGTH) return undefined
    }
    return text
  } catch {
    return undefined
  }
}

/** Whether a document has scripts, or hides from this function whether it has. */
export async function mayRunScripts(bytes: Uint8Array<ArrayBuffer>): Promise<boolean> {
  const text = latin1.decode(bytes)
  if (SCRIPT.test(text) || ENCRYPTED.test(text)) return true
  for (const { 0: mark, index } of text.matchAll(/(?<!end)stream\r?\n/g)) {
    if (!OBJECTS.test(text.slice(Math.max(0, index - DICTIONARY_LENGTH), index))) continue
    const start = index + mark.length
    const [content = ''] = text.slice(start, text.indexOf('endstream', start)).split(LINE_END)
    const objects = await inflated(bytes.slice(start, start + content.length))
    if (objects === undefined || SCRIPT.test(objects)) return true
  }
  return false
}
