/*
 * PDF viewers run the scripts of a document as soon as they show it, and browsers show no PDF in a sandboxed frame.
 * Documents with scripts are therefore not shown.
 */

/** Matches a PDF name, any character of which may be written as its hexadecimal code. */
const nameOf = (name: string): RegExp => {
  const signs = [...name].map((sign) => `(?:${sign}|#${sign.charCodeAt(0).toString(16)})`)
  return new RegExp(`/${signs.join('')}`, 'i')
}

const SCRIPT = nameOf('JavaScript')
const ENCRYPTED = nameOf('Encrypt')
const OBJECTS = nameOf('ObjStm')
/** The dictionary of a stream begins at most this many characters before its content. */
const DICTIONARY_LENGTH = 500
/** Larger than the object streams of real documents. */
const MAX_LENGTH = 50_000_000

/** The line end before `endstream` is not part of the content. */
const LINE_END = /\r?\n$/

const latin1 = new TextDecoder('latin1')

/** The text of a compressed stream; undefined if it cannot be decompressed. */
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

/** Whether a document has scripts, or may have some that this function cannot read. */
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
