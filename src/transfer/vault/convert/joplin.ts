import { closeSync, lstatSync, openSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, posix } from 'node:path'
import { refuseTooLarge } from '../../../files/size-limit.ts'
import { parseInstant } from '../../../lib/dates.ts'
import { refused } from '../../../lib/refusal.ts'
import { systemRefusal } from '../../read-file.ts'
import { fileNameOf } from '../../workspace/format.ts'
import type { Unpacked } from '../unpack.ts'
import { type StoredFile, tarEntries } from './tar.ts'
import { WrittenNotes } from './written-notes.ts'

/*
 * An export of Joplin, as a JEX archive or a raw folder: each item is a file named by its id, with a line of the title,
 * the text, and lines of `key: value` at the end. Notes name their notebooks, and attachments are in `resources`.
 */

const ITEM = /^([\da-f]{32})\.md$/
const RESOURCE = /^resources\/([\da-f]{32})(?:\.\w+)?$/
const [NOTE, NOTEBOOK, RESOURCE_ITEM, TAG, NOTE_TAG] = ['1', '2', '4', '5', '6']

/** An item without its text, so that the memory does not grow with the notes and attachments of a library. */
interface Item {
  readonly title: string
  readonly fields: Readonly<Record<string, string>>
  readonly stored: StoredFile
}

/** Whether a folder holds an export of Joplin. */
export function isJoplinFolder(folder: string): boolean {
  const item = readdirSync(folder).find((name) => ITEM.test(name) && lstatSync(join(folder, name)).isFile())
  return item !== undefined && /^type_: \d+\s*$/m.test(readFileSync(join(folder, item), 'utf8'))
}

/** The items and attachments of a raw folder. Symbolic links are not followed: they may lead out of it. */
function* folderEntries(folder: string): Generator<StoredFile> {
  for (const parent of ['', 'resources']) {
    if (!lstatSync(join(folder, parent), { throwIfNoEntry: false })?.isDirectory()) continue
    for (const name of readdirSync(join(folder, parent)).sort()) {
      const path = posix.join(parent, name)
      if (!ITEM.test(path) && !RESOURCE.test(path)) continue
      const stats = lstatSync(join(folder, path))
      if (stats.isFile()) yield { path, bytes: stats.size, read: () => readFileSync(join(folder, path)) }
    }
  }
}

/** Writes the notes of a JEX archive or of a raw folder into an empty folder, in folders named by their notebooks. */
export function unpackJoplin(source: string, folder: string): Unpacked {
  const stats = statSync(source)
  if (stats.isDirectory()) return unpackEntries(source, folderEntries(source), folder)
  const handle = openSync(source, 'r')
  try {
    return unpackEntries(source, tarEntries(handle, stats.size), folder)
  } finally {
    closeSync(handle)
  }
}

function unpackEntries(source: string, entries: Iterable<StoredFile>, folder: string): Unpacked {
  const joplin = new JoplinExport()
  try {
    for (const entry of entries) joplin.add(entry)
  } catch (error) {
    throw (
      systemRefusal(error) ??
      refused(`${source} cannot be read: ${(error as Error).message}; export it again.`)
    )
  }
  if (joplin.isEmpty) throw refused(`${source} is not an export of Joplin.`)
  joplin.write(new WrittenNotes(folder))
  return { unreadable: joplin.unreadable, skipped: [], program: 'joplin' }
}

class JoplinExport {
  readonly #items = new Map<string, Item>()
  readonly #resources = new Map<string, StoredFile>()
  readonly unreadable: { place: string; reason: string }[] = []

  add(stored: StoredFile): void {
    const plain = stored.path.replace(/^\.\//, '')
    const [, item] = ITEM.exec(plain) ?? []
    const [, resource] = RESOURCE.exec(plain) ?? []
    if (resource !== undefined) this.#resources.set(resource, stored)
    if (item === undefined) return
    const refusal = tooLarge(stored)
    if (refusal !== undefined) this.unreadable.push({ place: stored.path, reason: refusal })
    else {
      const { title, fields } = parsedItem(stored)
      // Parts of a string keep the whole one in memory.
      const copied = JSON.parse(JSON.stringify({ title, fields: usedFields(fields) }))
      this.#items.set(item, { ...copied, stored })
    }
  }

  get isEmpty(): boolean {
    return this.#items.size === 0
  }

  write(written: WrittenNotes): void {
    const paths = new Map<string, string>()
    for (const [id, { title, fields }] of this.#ofType(NOTE))
      paths.set(id, written.pathFor(this.#notebookPath(fields.parent_id), title || 'Untitled', '.md'))
    for (const [id, item] of this.#ofType(RESOURCE_ITEM)) this.#writeResource(id, item, written, paths)
    const tags = this.#tagsOfNotes()
    for (const [id, { title, fields, stored }] of this.#ofType(NOTE)) {
      const path = paths.get(id) ?? ''
      if (fields.encryption_applied === '1')
        this.unreadable.push({
          place: path,
          reason: 'it is encrypted; export it from Joplin while unlocked.',
        })
      written.note(path, {
        title: title || 'Untitled',
        body: withPaths(parsedItem(stored).body, path, paths),
        tags: tags.get(id) ?? [],
        createdAt: instantOf(fields.user_created_time ?? fields.created_time),
        updatedAt: instantOf(fields.user_updated_time ?? fields.updated_time),
        properties: propertiesOf(fields),
      })
    }
  }

  #writeResource(
    id: string,
    { title, fields }: Item,
    written: WrittenNotes,
    paths: Map<string, string>,
  ): void {
    const stored = this.#resources.get(id)
    const end = fields.file_extension ? `.${fields.file_extension}` : ''
    const name = title || fields.filename || `${id}${end}`
    const path = written.pathFor('resources', name)
    const refusal = stored ? tooLarge(stored) : 'the export does not hold its content.'
    if (refusal !== undefined) this.unreadable.push({ place: name, reason: refusal })
    else if (stored) {
      written.file(path, stored.read(), instantOf(fields.updated_time))
      paths.set(id, path)
    }
  }

  #ofType = (type: string | undefined): [string, Item][] =>
    [...this.#items].filter(([, { fields }]) => fields.type_ === type)

  #notebookPath(id: string | undefined, depth = 0): string {
    const notebook = id === undefined || depth > 50 ? undefined : this.#items.get(id)
    if (notebook?.fields.type_ !== NOTEBOOK) return ''
    const parent = this.#notebookPath(notebook.fields.parent_id, depth + 1)
    const name = fileNameOf(notebook.title)
    return parent === '' ? name : `${parent}/${name}`
  }

  #tagsOfNotes(): Map<string, string[]> {
    const tags = new Map<string, string[]>()
    for (const [, { fields }] of this.#ofType(NOTE_TAG)) {
      const tag = this.#items.get(fields.tag_id ?? '')
      if (tag?.fields.type_ !== TAG) continue
      const note = fields.note_id ?? ''
      const titles = tags.get(note)
      if (titles) titles.push(tag.title)
      else tags.set(note, [tag.title])
    }
    return tags
  }
}

const FIELD = /^([a-z_]+): ?(.*)$/

/** Splits an item; its fields are the last paragraph. */
function parsedItem(stored: StoredFile) {
  const lines = new TextDecoder().decode(stored.read()).replace(/\r\n/g, '\n').split('\n')
  const fields: Record<string, string> = {}
  for (let line = lines.pop(); line !== undefined; line = lines.pop()) {
    const [, key, value = ''] = FIELD.exec(line) ?? []
    if (key === undefined) {
      if (Object.keys(fields).length > 0 || line.trim() !== '') break
    } else fields[key] = value
  }
  const [title = '', ...rest] = lines
  return { title: title.trim(), body: rest.join('\n').replace(/^\n/, ''), fields }
}

const USED_FIELDS: ReadonlySet<string> = new Set([
  ...['type_', 'parent_id', 'note_id', 'tag_id', 'filename', 'file_extension', 'encryption_applied'],
  ...['created_time', 'updated_time', 'user_created_time', 'user_updated_time'],
  ...['source_url', 'author', 'is_todo', 'todo_completed', 'todo_due'],
])

const usedFields = (fields: Item['fields']): Item['fields'] =>
  Object.fromEntries(Object.entries(fields).filter(([key, value]) => value !== '' && USED_FIELDS.has(key)))

/** Why a file is too large to read, if it is. */
const tooLarge = ({ bytes }: StoredFile): string | undefined => {
  try {
    refuseTooLarge(bytes)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

const instantOf = (text: string | undefined): number | undefined =>
  text === undefined || text === '' ? undefined : parseInstant(text)

function propertiesOf(fields: Item['fields']): Record<string, unknown> {
  const {
    source_url: source = '',
    author = '',
    is_todo: isTodo,
    todo_completed: completed,
    todo_due: due,
  } = fields
  const dueAt = new Date(Number(due ?? 0))
  return {
    ...(source !== '' && { source_url: source }),
    ...(author !== '' && { author }),
    ...(isTodo === '1' && { completed: completed !== undefined && completed !== '0' }),
    ...(isTodo === '1' && dueAt.getTime() > 0 && { due: dueAt.toISOString() }),
  }
}

/** Links to items by their ids become links by their paths. */
const withPaths = (body: string, from: string, paths: ReadonlyMap<string, string>): string =>
  body.replace(
    /\]\(:\/([\da-f]{32})(#[^()\s]*)?( "[^"\n]*")?\)/g,
    (link, id: string, part = '', title = '') => {
      const path = paths.get(id)
      return path === undefined ? link : `](<${posix.relative(posix.dirname(from), path)}${part}>${title})`
    },
  )
