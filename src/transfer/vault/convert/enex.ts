import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { Parser } from 'htmlparser2'
import { parseInstant } from '../../../lib/dates.ts'
import { Refusal, refused } from '../../../lib/refusal.ts'
import type { RefusedPart } from '../../import-run.ts'
import type { Unpacked } from '../unpack.ts'
import { markdownOf, refuseDeepNesting } from './html-markdown.ts'
import { WrittenNotes } from './written-notes.ts'

/* An export of Evernote: one XML file of notes with HTML-like content and their attachments. */

interface Resource {
  data: string
  mime: string
  fileName: string
}

interface EnexNote {
  title: string
  content: string
  created: string
  updated: string
  sourceUrl: string
  author: string
  readonly tags: string[]
  readonly resources: Resource[]
}

const emptyNote = (): EnexNote => ({
  ...{ title: '', content: '', created: '', updated: '', sourceUrl: '', author: '' },
  tags: [],
  resources: [],
})

/** The fields of a note by the path of their elements. */
const NOTE_FIELDS: Readonly<
  Record<string, 'title' | 'content' | 'created' | 'updated' | 'sourceUrl' | 'author'>
> = {
  'note/title': 'title',
  'note/content': 'content',
  'note/created': 'created',
  'note/updated': 'updated',
  'note-attributes/source-url': 'sourceUrl',
  'note-attributes/author': 'author',
}
const RESOURCE_FIELDS: Readonly<Record<string, keyof Resource>> = {
  'resource/data': 'data',
  'resource/mime': 'mime',
  'resource-attributes/file-name': 'fileName',
}

const TIME = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z$/

function instantOf(text: string): number | undefined {
  const iso = text.trim().replace(TIME, '$1-$2-$3T$4:$5:$6Z')
  return parseInstant(iso)
}

/** Reads the notes one by one, because an export may be larger than the memory. */
class EnexReader {
  readonly #path: string[] = []
  #note = emptyNote()
  #resource: Resource = { data: '', mime: '', fileName: '' }
  #text = ''
  isExport = false

  constructor(private readonly onNote: (note: EnexNote) => void) {}

  readonly parser = new Parser(
    {
      onopentag: (name) => {
        if (name === 'en-export') this.isExport = true
        if (name === 'note') this.#note = emptyNote()
        if (name === 'resource') this.#resource = { data: '', mime: '', fileName: '' }
        this.#path.push(name)
        refuseDeepNesting(this.#path.length)
        this.#text = ''
      },
      ontext: (text) => {
        this.#text += text
      },
      onclosetag: (name) => this.#close(name),
    },
    { xmlMode: true },
  )

  #close(name: string): void {
    const [parent, own] = this.#path.slice(-2)
    const place = `${parent}/${own}`
    this.#path.pop()
    const noteField = NOTE_FIELDS[place]
    const resourceField = RESOURCE_FIELDS[place]
    if (noteField) this.#note[noteField] = this.#text
    else if (place === 'note/tag') this.#note.tags.push(this.#text.trim())
    else if (resourceField) this.#resource[resourceField] = this.#text
    if (name === 'resource') this.#note.resources.push(this.#resource)
    if (name === 'note') this.onNote(this.#note)
    this.#text = ''
  }
}

/** Writes the notes of an Evernote export and their attachments into an empty folder. */
export async function unpackEnex(file: string, folder: string): Promise<Unpacked> {
  const written = new WrittenNotes(folder)
  const unreadable: RefusedPart[] = []
  const titles = new Set<string>()
  for await (const { title } of notesIn(file)) titles.add(title.trim())
  for await (const note of notesIn(file)) {
    const path = written.pathFor('', nameOfNote(note), '.md')
    try {
      writeNote(written, path, note, titles)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      unreadable.push({ place: path, reason: error.message })
    }
    if (note.content.includes('<en-crypt')) unreadable.push({ place: path, reason: ENCRYPTED })
  }
  return { unreadable, skipped: [], program: 'evernote' }
}

async function* notesIn(file: string): AsyncGenerator<EnexNote> {
  let found: EnexNote[] = []
  const reader = new EnexReader((note) => found.push(note))
  const decoder = new TextDecoder()
  for await (const chunk of createReadStream(file) as AsyncIterable<Uint8Array>) {
    reader.parser.write(decoder.decode(chunk, { stream: true }))
    yield* found
    found = []
  }
  reader.parser.end()
  yield* found
  if (!reader.isExport) throw refused(`${file} is not an export of Evernote.`)
}

const ENCRYPTED = 'a part of it is encrypted; decrypt it in Evernote, and export it again.'

const nameOfNote = ({ title }: EnexNote): string => title.trim() || 'Untitled'

function writeNote(written: WrittenNotes, path: string, note: EnexNote, titles: ReadonlySet<string>): void {
  const { content, tags, created, updated, sourceUrl, author, resources } = note
  const files = new Map<string, string>()
  for (const resource of resources) {
    const bytes = Buffer.from(resource.data, 'base64')
    const at = written.pathFor('attachments', nameOf(resource))
    written.file(at, bytes, instantOf(updated) ?? instantOf(created))
    files.set(createHash('md5').update(bytes).digest('hex'), at)
  }
  const named = new Set<string>()
  const body = markdownOf(content, {
    elementOf: (element, attributes) => {
      if (element === 'en-todo') return `- [${attributes.checked === 'true' ? 'x' : ' '}] `
      if (element !== 'en-media') return undefined
      const file = files.get(attributes.hash ?? '')
      if (file === undefined) return ''
      named.add(file)
      return `![[${file}]]`
    },
    linkTo: (address, label) =>
      address.startsWith('evernote:') && titles.has(label) ? `[[${label}]]` : undefined,
  })
  const others = [...files.values()].filter((file) => !named.has(file)).map((file) => `![[${file}]]\n`)
  written.note(path, {
    title: nameOfNote(note),
    body: body + others.join(''),
    tags,
    createdAt: instantOf(created),
    updatedAt: instantOf(updated),
    properties: {
      ...(sourceUrl.trim() !== '' && { source_url: sourceUrl.trim() }),
      ...(author.trim() !== '' && { author: author.trim() }),
    },
  })
}

const nameOf = ({ fileName, mime }: Resource): string => {
  const given = fileName.trim().replaceAll('/', '-')
  const end = /^\w+\/(?:x-)?([\w]{1,9})$/.exec(mime.trim())?.[1]
  return given === '' ? `attachment.${end === 'jpeg' ? 'jpg' : (end ?? 'bin')}` : given
}
