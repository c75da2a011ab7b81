import { parseInstant } from '../../../lib/dates.ts'
import { type MarkedEncoding, markedEncoding } from '../../../lib/decoders.ts'
import { decodeText } from '../../../lib/encoding.ts'
import { Refusal, refused } from '../../../lib/refusal.ts'
import { storableJson } from '../../../lib/storable-json.ts'
import { codePointLength, fold, MAX_NAME_LENGTH, normalized, withCommas } from '../../../lib/text.ts'
import { isTooLong, MAX_CONTENT } from '../../../notes/content-length.ts'
import { FENCED, MAX_YAML_LENGTH, otherFrontMatter, splitFrontMatter } from '../../front-matter.ts'
import { baseName, type FolderFile, withoutExtension } from './files.ts'
import { type Beginning, obsidian, type Source } from './sources/source.ts'

/** Front matter, sorted into the fields of a note. All other keys are properties. */
interface NoteFields {
  title?: string
  tags: string[]
  aliases: string[]
  createdAt?: number
  updatedAt?: number
  /** Keyed as written. */
  readonly properties: Map<string, unknown>
}

/** A note of a folder without its body, which is read again when the note is written. */
export interface VaultNote extends Omit<NoteFields, 'title'> {
  readonly file: FolderFile
  readonly title: string
  readonly createdAt: number
  readonly updatedAt: number
  /** The offset of the body in the text of the file. */
  readonly bodyStart: number
  /** The encoding that the byte order mark names. */
  readonly mark: MarkedEncoding | undefined
  /** Identifies this state of the file. */
  readonly digest: string
  /** The title that the name of the file gives, if it is not the name itself. */
  readonly fileTitle: string | undefined
  readonly source: Source
  readonly blocks: ReadonlyMap<string, string>
  /** Sentences about content that is stored differently from the file. */
  readonly remarks: readonly string[]
}

/** A larger file exceeds the character limit of notes in any encoding, whatever its front matter. */
const MAX_BYTES = 16_777_216

/** The text as a name of at most 500 characters without control characters. */
export function nameOf(text: string): string {
  const plain = normalized(text, 'NFC').replace(/\p{Cc}+/gu, ' ')
  const name =
    codePointLength(plain) > MAX_NAME_LENGTH ? [...plain].slice(0, MAX_NAME_LENGTH).join('') : plain
  return name.trim() === '' ? 'Untitled' : name
}

/** The title of a note whose front matter gives none. */
export const titleOfPath = (path: string): string => nameOf(withoutExtension(baseName(path)))

/** Records a sentence about content that is stored differently from the file. */
export type Remark = (what: string) => void

/** The name of the stored file. */
export function fileNameFor({ path }: FolderFile, remark: Remark): string {
  const name = nameOf(baseName(path))
  if (name !== normalized(baseName(path), 'NFC')) remark(`its name becomes "${name}".`)
  return name
}

/** Refuses a file that is too large for a note, before it is read. */
export function refuseLongFile({ bytes }: FolderFile): void {
  if (bytes > MAX_BYTES) throw tooLong()
}

/** Decodes a file; refuses a file that is not text. */
export function decodeNote(content: Uint8Array, { path }: FolderFile): Pick<NoteText, 'text' | 'mark'> {
  try {
    return { text: decodeText(content, path), mark: markedEncoding(content) }
  } catch (error) {
    throw error instanceof Refusal ? refused('it is not UTF-8 text; save it as UTF-8.') : error
  }
}

const tooLong = () =>
  refused(`it is longer than ${withCommas(MAX_CONTENT)} characters; split it into several files.`)

/** The content of a file, as read. */
export interface NoteText {
  readonly file: FolderFile
  readonly text: string
  readonly mark: MarkedEncoding | undefined
  readonly digest: string
}

/** Parses a note except its body. The file's modification time is capped at the time of the import. */
export function readNote({ file, text, mark, digest }: NoteText, now: number, source = obsidian): VaultNote {
  if (text.includes('\0')) throw refused('it contains a NUL character, which no text may.')
  const { frontMatter, body } = splitFrontMatter(text, 'lossless')
  const beginning = frontMatter
    ? { fields: frontMatter, bodyStart: text.length - body.length }
    : (source.readBeginning(text, file.path) ?? otherBeginning(text))
  const { fields: written = {}, bodyStart = 0 } = beginning ?? {}
  if (isTooLong(text.slice(bodyStart))) throw tooLong()
  const remarks: string[] = []
  if (!beginning) remarks.push(...remarksOnBeginning(text))
  const { title: givenTitle, ...fields } = fieldsOf(storable(written))
  const fileTitle = normalized(source.titleOf(file.path), 'NFC')
  const title = nameOf(givenTitle ?? fileTitle)
  if (title !== (givenTitle ?? fileTitle)) remarks.push(`its title becomes "${title}".`)
  return {
    ...fields,
    ...timesOf(fields, file, now),
    ...{ file, title, bodyStart, mark, digest, remarks, source, blocks: source.blocksIn(text) },
    fileTitle: nameOf(fileTitle) === titleOfPath(file.path) ? undefined : nameOf(fileTitle),
  }
}

/** The fields of front matter in TOML or JSON. */
function otherBeginning(text: string): Beginning | undefined {
  const { fields, bodyStart = 0 } = otherFrontMatter(text) ?? {}
  return fields && { fields, bodyStart }
}

/** Sentences about front matter that is not read. */
function remarksOnBeginning(text: string): string[] {
  const yaml = FENCED.exec(text)?.[1]
  if (yaml !== undefined && yaml.length > MAX_YAML_LENGTH)
    return [
      `its front matter is longer than ${withCommas(MAX_YAML_LENGTH)} characters and stays in the body; shorten it.`,
    ]
  if (/^---[ \t]*\r?\n/.test(text) && /\n---[ \t]*(?:\r?\n|$)/.test(text))
    return ['its front matter is not a YAML mapping and stays in the body.']
  const other = otherFrontMatter(text)
  return other
    ? [`its front matter is ${other.language} that cannot be read, and stays in the body; correct it.`]
    : []
}

/** Front matter as JSON; refuses values that cannot be stored. */
const storable = (frontMatter: object) =>
  storableJson(JSON.stringify(frontMatter), 'The front matter') as Record<string, unknown>

/** Front matter takes precedence over the file system; a note is never updated before it is created. */
function timesOf(
  fields: Pick<NoteFields, 'createdAt' | 'updatedAt'>,
  { modifiedAt }: FolderFile,
  now: number,
) {
  const fileTime = Math.min(Math.max(modifiedAt, 0), now)
  const updatedAt = fields.updatedAt ?? fileTime
  const createdAt = fields.createdAt ?? Math.min(fileTime, updatedAt)
  return { createdAt, updatedAt: Math.max(createdAt, updatedAt) }
}

/** Stores a value in its field. Returns false when the value does not fit, so that it becomes a property instead. */
type Assign = (fields: NoteFields, value: unknown) => boolean

const isScalar = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value)

/** The items of a list, or a text split at `separator`; undefined for any other value. */
function wordsOf(value: unknown, separator: RegExp): string[] | undefined {
  if (isScalar(value)) return String(value).split(separator)
  if (!Array.isArray(value)) return undefined
  const words = value.filter((word) => word !== null)
  return words.every(isScalar) ? words.map(String) : undefined
}

const assignTitle: Assign = (fields, value) => {
  const title = isScalar(value) ? String(value).trim() : ''
  if (title === '' || fields.title !== undefined) return false
  fields.title = title
  return true
}

/** The tags in a value of front matter; undefined for a value that holds none. */
const tagWords = (value: unknown): string[] | undefined =>
  wordsOf(value, /[\s,]+/)?.flatMap((word) => word.split(','))

const aliasWords = (value: unknown): string[] | undefined =>
  wordsOf(value, /,/)
    ?.map((word) => word.trim())
    .filter((word) => word !== '')

const assignTags: Assign = (fields, value) => {
  const words = tagWords(value)
  fields.tags.push(...(words ?? []))
  return words !== undefined
}

const assignAliases: Assign = (fields, value) => {
  const words = aliasWords(value)
  fields.aliases.push(...(words ?? []))
  return words !== undefined
}

export const wordsOfTags = (value: unknown): readonly string[] => tagWords(value) ?? []
export const wordsOfAliases = (value: unknown): readonly string[] => aliasWords(value) ?? []

const assignInstant =
  (name: 'createdAt' | 'updatedAt'): Assign =>
  (fields, value) => {
    const instant = instantOf(value)
    if (instant === undefined || fields[name] !== undefined) return false
    fields[name] = instant
    return true
  }

const CREATED = 'created, created at, created date, date created, creation date, ctime'
const UPDATED = 'updated, updated at, date updated, last updated, mtime'
const MODIFIED = 'modified, modified at, modified date, date modified, last modified'

const FIELD_KEYS: readonly [Assign, keys: string][] = [
  [assignTitle, 'title'],
  [assignTags, 'tags, tag'],
  [assignAliases, 'aliases, alias'],
  [assignInstant('createdAt'), CREATED],
  [assignInstant('updatedAt'), `${UPDATED}, ${MODIFIED}`],
]

/** Keyed in lower case, with single spaces between words. */
const ASSIGN_BY_KEY: ReadonlyMap<string, Assign> = new Map(
  FIELD_KEYS.flatMap(([assign, keys]) => keys.split(', ').map((key) => [key, assign])),
)

const LIST_FIELDS = new Map([
  [assignTitle, 'title'],
  [assignTags, 'tags'],
  [assignAliases, 'aliases'],
] as const)

/** The field of a note that a key of front matter gives, of those that an export edits. */
export const fieldOfKey = (key: string): 'title' | 'tags' | 'aliases' | undefined => {
  const assign = ASSIGN_BY_KEY.get(comparable(key))
  return assign && LIST_FIELDS.get(assign)
}

/** Whether a key of front matter gives a field of a note, so that it names no property. */
export const isFieldKey = (key: string): boolean => ASSIGN_BY_KEY.has(comparable(key))

const comparable = (key: string): string => fold(key).replace(/[-_\s]+/g, ' ')

/** Null and empty text count as no value. */
function fieldsOf(frontMatter: Readonly<Record<string, unknown>>): NoteFields {
  const fields: NoteFields = { tags: [], aliases: [], properties: new Map() }
  for (const [key, value] of Object.entries(frontMatter)) {
    const assign = ASSIGN_BY_KEY.get(comparable(key))
    if (value === null || value === '' || assign?.(fields, value)) continue
    fields.properties.set(key, value)
  }
  return fields
}

const DATE_TIME =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(:\d{2}(?:\.\d{1,9})?)?)?(?: ?(?:(Z)|([+-]\d{2}):?(\d{2})))?$/i

/** A day, or a date and time; UTC without an offset. */
function instantOf(value: unknown): number | undefined {
  const match = typeof value === 'string' ? DATE_TIME.exec(value.trim()) : null
  if (!match) return undefined
  const [, day, time = '00:00', seconds = '', , hours, minutes] = match
  const offset = hours === undefined ? 'Z' : `${hours}:${minutes}`
  const instant = parseInstant(`${day}T${time}${seconds}${offset}`)
  return instant === undefined ? undefined : Math.floor(instant)
}
