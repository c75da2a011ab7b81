import { type ExtractedText, FlowingText, Unreadable } from '../pages.ts'

/*
 * Rich Text Format: groups in braces, control words, and text in the code page of the document or of the font. The text
 * is what a word processor shows; destinations such as pictures and tables of fonts are skipped.
 */

/** A control word with its number, a control sign, a brace, or text up to the next of them. */
const TOKEN = /\\([a-z]{1,32})(-?\d{1,10})? ?|\\'([\da-f]{2})|\\([^a-z])|([{}])|[\r\n]+|[^\\{}\r\n]+/giy

const SKIPPED = new Set(
  (
    'colortbl stylesheet info pict object fldinst themedata colorschememapping datastore latentstyles listtable ' +
    'listoverridetable rsidtbl generator xmlnstbl filetbl revtbl bkmkstart bkmkend nonshppict'
  ).split(' '),
)

const TEXTS: ReadonlyMap<string, string> = new Map([
  ['par', '\n'],
  ['line', '\n'],
  ['sect', '\n'],
  ['page', '\n'],
  ['row', '\n'],
  ['nestrow', '\n'],
  ['tab', '\t'],
  ['cell', '\t'],
  ['nestcell', '\t'],
  ['emdash', '\u2014'],
  ['endash', '\u2013'],
  ['emspace', ' '],
  ['enspace', ' '],
  ['bullet', '\u2022'],
  ['lquote', '\u2018'],
  ['rquote', '\u2019'],
  ['ldblquote', '\u201c'],
  ['rdblquote', '\u201d'],
])
const SIGNS: Readonly<Record<string, string>> = { '~': '\u00a0', _: '-', '\n': '\n', '\r': '\n' }

/** Encodings of character sets of fonts; others have that of the document. */
const CHARSETS: Readonly<Record<number, string>> = {
  77: 'macintosh',
  128: 'shift_jis',
  129: 'euc-kr',
  134: 'gbk',
  136: 'big5',
  161: 'windows-1253',
  162: 'windows-1254',
  163: 'windows-1258',
  177: 'windows-1255',
  178: 'windows-1256',
  186: 'windows-1257',
  204: 'windows-1251',
  222: 'windows-874',
  238: 'windows-1250',
}
const CODE_PAGES: Readonly<Record<number, string>> = {
  932: 'shift_jis',
  936: 'gbk',
  949: 'euc-kr',
  950: 'big5',
  866: 'ibm866',
  874: 'windows-874',
  10000: 'macintosh',
  65001: 'utf-8',
}
const MAX_DEPTH = 1_000
const LINE_LENGTH = 100_000

interface Group {
  isSkipped: boolean
  isHidden: boolean
  isFontTable: boolean
  font: number
  /** The number of characters after a `\\u` that stand for it in old programs. */
  substitutes: number
}

class RtfText {
  readonly flow = new FlowingText()
  readonly #fonts = new Map<number, string>()
  #groups: Group[] = [{ isSkipped: false, isHidden: false, isFontTable: false, font: -1, substitutes: 1 }]
  #encoding = 'windows-1252'
  #line = ''
  #bytes: number[] = []
  #left = 0

  get #group(): Group {
    return this.#groups[this.#groups.length - 1] as Group
  }

  open(): void {
    this.#flush()
    if (this.#groups.length > MAX_DEPTH) throw new Unreadable('The file is not a whole RTF document.')
    this.#groups.push({ ...this.#group })
    this.#left = 0
  }

  close(): void {
    this.#flush()
    if (this.#groups.length > 1) this.#groups.pop()
    this.#left = 0
  }

  byte(byte: number): void {
    if (this.#left > 0) this.#left -= 1
    else if (!this.#isSilent) this.#bytes.push(byte)
  }

  /** Text between control words; one character is one byte. */
  raw(text: string): void {
    for (let at = 0; at < text.length; at++) this.byte(text.charCodeAt(at))
  }

  sign(sign: string): void {
    // An unknown destination, which readers may skip.
    if (sign === '*') this.#group.isSkipped = true
    else if (sign === '\\' || sign === '{' || sign === '}') this.byte(sign.charCodeAt(0))
    else this.#add(SIGNS[sign] ?? '')
  }

  word(word: string, number: number | undefined): void {
    const group = this.#group
    const text = TEXTS.get(word)
    if (text !== undefined) this.#add(text)
    else if (word === 'u' && number !== undefined) {
      this.#add(String.fromCharCode(number & 0xffff))
      this.#left = group.substitutes
    } else if (word === 'uc') group.substitutes = number ?? 1
    else if (word === 'ansicpg') this.#encoding = CODE_PAGES[number ?? 0] ?? encodingOf(`windows-${number}`)
    else if (word === 'mac') this.#encoding = 'macintosh'
    else if (word === 'fonttbl') group.isFontTable = true
    else if (word === 'f') this.#setFont(number ?? -1)
    else if (word === 'fcharset') this.#fonts.set(group.font, CHARSETS[number ?? 0] ?? '')
    else if (word === 'v') group.isHidden = number !== 0
    else if (word === 'plain') group.isHidden = false
    else if (SKIPPED.has(word)) group.isSkipped = true
  }

  finish(): ExtractedText {
    this.#flush()
    this.#endLine()
    return this.flow.finish()
  }

  get #isSilent(): boolean {
    const { isSkipped, isHidden, isFontTable } = this.#group
    return isSkipped || isHidden || isFontTable
  }

  #setFont(font: number): void {
    this.#flush()
    this.#group.font = font
  }

  #flush(): void {
    if (this.#bytes.length === 0) return
    const encoding = this.#fonts.get(this.#group.font) || this.#encoding
    const text = new TextDecoder(encoding as 'utf-8').decode(new Uint8Array(this.#bytes))
    this.#bytes = []
    this.#add(text)
  }

  #add(text: string): void {
    this.#flush()
    if (this.#isSilent || text === '') return
    if (text === '\n') this.#endLine()
    else this.#line += text
    if (this.#line.length > LINE_LENGTH) this.#endLine()
  }

  #endLine(): void {
    this.flow.line(this.#line.trimEnd())
    this.#line = ''
  }
}

/** The encoding, or the most common one if there is none of this name. */
function encodingOf(name: string): string {
  try {
    return new TextDecoder(name as 'utf-8').encoding
  } catch {
    return 'windows-1252'
  }
}

/** The text of a Rich Text document. */
export function readRtf(bytes: Uint8Array): ExtractedText {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  if (!/^\s*\{\\rtf/.test(source)) throw new Unreadable('The file is not a whole RTF document.')
  const text = new RtfText()
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < source.length) {
    const at = TOKEN.lastIndex
    const [whole, word, number, hex, sign, brace] = TOKEN.exec(source) ?? []
    // A lone backslash at the end.
    if (whole === undefined) break
    if (word === 'bin') TOKEN.lastIndex = at + whole.length + Math.max(Number(number ?? 0), 0)
    else if (word !== undefined)
      text.word(word.toLowerCase(), number === undefined ? undefined : Number(number))
    else if (hex !== undefined) text.byte(Number.parseInt(hex, 16))
    else if (sign !== undefined) text.sign(sign)
    else if (brace === '{') text.open()
    else if (brace === '}') text.close()
    else if (!/^[\r\n]/.test(whole)) text.raw(whole)
  }
  return text.finish()
}
