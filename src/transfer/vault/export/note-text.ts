import type { Caller } from '../../../context.ts'
import { isoTimestamp } from '../../../lib/dates.ts'
import { encodeText } from '../../../lib/encoding.ts'
import { sha256 } from '../../../lib/sha256.ts'
import { fold } from '../../../lib/text.ts'
import { linesOutsideCode } from '../../../lib/wiki-links.ts'
import { propertyKind } from '../../../notes/properties/service.ts'
import { loadNotes, type NoteRow, tagNamesOf } from '../../../notes/store.ts'
import { readProperties } from '../../../notes/writing/properties.ts'
import type { Reader } from '../../../storage/reader.ts'
import { splitFrontMatter } from '../../front-matter.ts'
import type { Written, WrittenFields } from '../earlier-imports.ts'
import { titleOfPath } from '../plan/note.ts'
import { type Original, OriginalLinks } from '../plan/originals.ts'
import { bodyTags, tagNameOf } from '../plan/tags.ts'
import type { ExportedNote } from './export.ts'
import { editFrontMatter, type FrontMatterEdits, keyText } from './front-matter-edits.ts'
import type { ExportedLinks } from './links.ts'

/** The record of the import of a note's file. */
interface Imported {
  readonly written: string
  readonly fields: WrittenFields
  readonly original: Original
}

interface Definition {
  readonly pk: number
  readonly key: string
  readonly label: string
}

/** The files of notes: as they were imported where nothing changed, otherwise with only the changes. */
export class NoteTexts {
  readonly #definitions: readonly Definition[]

  constructor(
    private readonly reader: Reader,
    caller: Caller,
    private readonly links: ExportedLinks,
  ) {
    this.#definitions = propertyKind
      .rows(reader, caller.workspacePk)
      .map(({ pk, key, label }) => ({ pk, key, label: label ?? key }))
  }

  bytesOf(note: ExportedNote): Uint8Array {
    const [row] = loadNotes(this.reader, [note.pk])
    if (!row) throw new Error('a note disappeared during the export')
    const imported = this.#importOf(note)
    if (!imported) return encodeText(this.#newText(note, row), undefined)
    const { written, original } = imported
    const originals = new OriginalLinks(original.links, sha256(row.content) === written)
    const body = this.links.rewrite(note, row.content, originals)
    const front = editFrontMatter(original.front, this.#editsOf(note, row, imported))
    return encodeText(withFront(front ?? this.#newFront(note, row), body), original.mark)
  }

  /** Undefined for a note that was not imported, or by a version that did not record its file. */
  #importOf({ id }: ExportedNote): Imported | undefined {
    const row = this.reader.sql.get<{ written: string; fields: string; original: string }>(
      `SELECT written, fields, original FROM imported_files
       WHERE object = ? AND original IS NOT NULL AND written IS NOT NULL AND fields IS NOT NULL ORDER BY pk LIMIT 1`,
      id,
    )
    return row && { written: row.written, fields: JSON.parse(row.fields), original: JSON.parse(row.original) }
  }

  /** The record of an import of the note as it is. */
  recordOf(note: ExportedNote): Omit<Written, 'digest'> {
    const [row] = loadNotes(this.reader, [note.pk])
    const properties = readProperties(this.reader, note.pk)
    const fields: WrittenFields = {
      title: note.title,
      alias: note.aliases[0] ?? null,
      tags: this.reader.sql.column('SELECT tag FROM note_tags WHERE note = ?', note.pk),
      properties: Object.fromEntries(
        this.#definitions.flatMap(({ pk, key }) => (key in properties ? [[pk, properties[key]]] : [])),
      ),
    }
    return { written: sha256(row?.content ?? ''), fields, original: null }
  }

  #newText(note: ExportedNote, row: NoteRow): string {
    return withFront(this.#newFront(note, row), this.links.rewrite(note, row.content))
  }

  #newFront(note: ExportedNote, row: NoteRow): string {
    const written = inBody(row.content)
    const tags = tagNamesOf(row).filter((name) => !written.has(fold(name)))
    const labels = new Map(this.#definitions.map(({ key, label }) => [key, label]))
    const lines = [
      ...(titleOfPath(note.file.path) === note.title ? [] : [`title: ${JSON.stringify(note.title)}`]),
      ...(note.aliases.length > 0 ? [`aliases: ${JSON.stringify(note.aliases)}`] : []),
      ...(tags.length > 0 ? [`tags: ${JSON.stringify(tags.sort())}`] : []),
      ...(note.createdAt === note.updatedAt ? [] : [`created: "${isoTimestamp(note.createdAt)}"`]),
      ...Object.entries(readProperties(this.reader, note.pk)).map(
        ([key, value]) => `${keyText(labels.get(key) ?? key)}: ${JSON.stringify(value)}`,
      ),
    ]
    return lines.length === 0 ? '' : `---\n${lines.join('\n')}\n---\n`
  }

  /** The changes since the import. */
  #editsOf(note: ExportedNote, row: NoteRow, { fields }: Imported): FrontMatterEdits {
    const body = row.content
    const ids = this.reader.sql.column<number>('SELECT tag FROM note_tags WHERE note = ?', note.pk)
    return {
      title: note.title,
      isNewTitle: note.title !== fields.title,
      fileTitle: titleOfPath(note.file.path),
      aliases: { before: fields.alias === null ? [] : [fields.alias], now: note.aliases },
      tags: {
        all: tagNamesOf(row),
        inBody: inBody(body),
        added: new Set(this.#namesOf(ids.filter((id) => !fields.tags.includes(id)))),
      },
      properties: this.#propertyEdits(note, fields),
    }
  }

  #namesOf(tags: readonly number[]): string[] {
    return this.reader.sql.column(
      'SELECT name FROM tags WHERE id IN (SELECT value FROM json_each(?))',
      JSON.stringify(tags),
    )
  }

  #propertyEdits({ pk }: ExportedNote, fields: WrittenFields): FrontMatterEdits['properties'] {
    const now = readProperties(this.reader, pk)
    return this.#definitions.flatMap(({ pk: property, key, label }) => {
      const [before, value] = [fields.properties[property], now[key]]
      return JSON.stringify(before) === JSON.stringify(value) ? [] : [{ key, label, value }]
    })
  }
}

/** Empty front matter keeps an import from parsing the start of such a body as front matter. */
const withFront = (front: string, body: string): string =>
  front === '' && splitFrontMatter(body).frontMatter ? `---\n---\n${body}` : front + body

const inBody = (body: string): ReadonlySet<string> =>
  new Set(Array.from(bodyTags([...linesOutsideCode(body, '#')]), (word) => fold(tagNameOf(word) ?? '')))
