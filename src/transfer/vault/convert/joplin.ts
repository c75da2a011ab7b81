import { lstatSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, posix } from 'node:path'
import { parseInstant } from '../../../lib/dates.ts'
import { refused } from '../../../lib/refusal.ts'
import { fileNameOf } from '../../workspace/format.ts'
import type { Unpacked } from '../unpack.ts'
import { type TarEntry, tarEntries } from './tar.ts'
import { WrittenNotes } from './written-notes.ts'

/*
 * An export of Joplin, as a JEX archive or a raw folder: each item is a file named by its id, with a line of the title,
 * the text, and lines of `key: value` at the end. Notes name their notebooks, and attachments are in `resources`.
 */

const ITEM = /^([\da-f]{32})\.md$/
const RESOURCE = /^resources\/([\da-f]{32})(?:\.\w+)?$/
const [NOTE, NOTEBOOK, RESOURCE_ITEM, TAG, NOTE_TAG] = ['1', '2', '4', '5', '6']

interface Item {
  readonly title: string
  readonly body: string
  readonly fields: Readonly<Record<string, string>>
}

/** Whether a folder holds an export of Joplin. */
export const isJoplinFolder = (folder: string): boolean => {
  const item = readdirSync(folder).find((name) => ITEM.test(name))
  return item !== undefined && /^type_: \d+\s*$/m.test(readFileSync(join(folder, item), 'utf8'))
}

/** The items and attachments of a raw folder. Symbolic links are not followed: they may lead out of it. */
function* folderEntries(folder: string): Generator<TarEntry> {
  for (const parent of ['', 'resources']) {
    if (!lstatSync(join(folder, parent), { throwIfNoEntry: false })?.isDirectory()) continue
    for (const name of readdirSync(join(folder, parent)).sort()) {
      const path = posix.join(parent, name)
      const isKnown = ITEM.test(path) || RESOURCE.test(path)
      if (isKnown && lstatSync(join(folder, path)).isFile())
        yield { path, bytes: readFileSync(join(folder, path)) }
    }
  }
}

/** Writes the notes of a JEX archive or of a raw folder into an empty folder, in folders named by their notebooks. */
export function unpackJoplin(source: string, folder: string): Unpacked {
  const joplin = exportIn(source)
  if (joplin.isEmpty) throw refused(`${source} is not an export of Joplin.`)
  joplin.write(new WrittenNotes(folder))
  return { unreadable: joplin.unreadable, skipped: [], program: 'joplin' }
}

function exportIn(source: string): JoplinExport {
  if (statSync(source).isDirectory()) return new JoplinExport(folderEntries(source))
  const archive = readFileSync(source)
  try {
    return new JoplinExport(tarEntries(archive))
  } catch (error) {
    throw refused(`${source} cannot be read: ${(error as Error).message}; export it again.`)
  }
}

class JoplinExport {
  readonly #items = new Map<string, Item>()
  readonly #resources = new Map<string, Uint8Array>()
  readonly unreadable: { place: string; reason: string }[] = []

  constructor(entries: Iterable<TarEntry>) {
    for (const { path, bytes } of entries) {
      const plain = path.replace(/^\.\//, '')
      const [, item] = ITEM.exec(plain) ?? []
      const [, resource] = RESOURCE.exec(plain) ?? []
      if (item !== undefined) this.#items.set(item, parsedItem(new TextDecoder().decode(bytes)))
      else if (resource !== undefined) this.#resources.set(resource, bytes)
    }
  }

  get isEmpty(): boolean {
    return this.#items.size === 0
  }

  write(written: WrittenNotes): void {
    const paths = new Map<string, string>()
    for (const [id, { title, fields }] of this.#ofType(NOTE))
      paths.set(id, written.pathFor(this.#notebookPath(fields.parent_id), title || 'Untitled', '.md'))
    for (const [id, { title, fields }] of this.#ofType(RESOURCE_ITEM)) {
      const bytes = this.#resources.get(id)
      const end = fields.file_extension ? `.${fields.file_extension}` : ''
      const name = title || fields.filename || `${id}${end}`
      const path = written.pathFor('resources', name)
      if (!bytes) this.unreadable.push({ place: name, reason: 'the export does not hold its content.' })
      else {
        written.file(path, bytes, instantOf(fields.updated_time))
        paths.set(id, path)
      }
    }
    const tags = this.#tagsOfNotes()
    for (const [id, { title, body, fields }] of this.#ofType(NOTE)) {
      const path = paths.get(id) ?? ''
      if (fields.encryption_applied === '1')
        this.unreadable.push({
          place: path,
          reason: 'it is encrypted; export it from Joplin while unlocked.',
        })
      written.note(path, {
        title: title || 'Untitled',
        body: withPaths(body, path, paths),
        tags: tags.get(id) ?? [],
        createdAt: instantOf(fields.user_created_time ?? fields.created_time),
        updatedAt: instantOf(fields.user_updated_time ?? fields.updated_time),
        properties: propertiesOf(fields),
      })
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
function parsedItem(text: string): Item {
  const lines = text.replace(/\r\n/g, '\n').split('\n')
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
