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
import { otherFrontMatter, splitFrontMatter } from '../../front-matter.ts'
import { aliasFields, type Written, type WrittenFields, writtenAliases } from '../earlier-imports.ts'
import { isFieldKey, titleOfPath } from '../plan/note.ts'
import { type Original, OriginalLinks } from '../plan/originals.ts'
import { bodyTags, tagNameOf } from '../plan/tags.ts'
import type { ExportedNote } from './export.ts'
import { editFrontMatter, type FrontMatterEdits, jsonText, keyText } from './front-matter-edits.ts'
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
  /** The name by which an import finds the property: its label, else its key. */
  readonly label: string
}

/** The file of a note. */
export interface NoteFile {
  readonly bytes: Uint8Array
  /** The record of an import of the file. */
  record(): Omit<Written, 'digest'>
}

/** The files of notes: as they were imported where nothing changed, otherwise with only the changes. */
export class NoteTexts {
  readonly #definitions: readonly Definition[]

  constructor(
    private readonly reader: Reader,
    caller: Caller,
    private readonly links: ExportedLinks,
  ) {
    this.#definitions = importable(propertyKind.rows(reader, caller.workspacePk))
  }

  fileOf(note: ExportedNote): NoteFile {
    const [row] = loadNotes(this.reader, [note.pk])
    if (!row) throw new Error('a note disappeared during the export')
    const imported = this.#importOf(note)
    const written = sha256(row.content)
    const originals = imported && new OriginalLinks(imported.original.links, written === imported.written)
    const { text: body, links } = this.links.rewrite(note, row.content, originals)
    const edited = imported && editFrontMatter(imported.original.front, this.#editsOf(note, row, imported))
    const front = frontOf(edited ?? this.#newFront(note, row), body, imported !== undefined)
    const { mark, fileTitle } = imported?.original ?? {}
    return {
      bytes: encodeText(front + body, mark),
      record: () => ({
        written,
        fields: this.#fieldsOf(note),
        original: { front, links, ...(mark && { mark }), ...(fileTitle !== undefined && { fileTitle }) },
      }),
    }
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

  /** An empty text is omitted: in front matter, it is no value. */
  #fieldsOf(note: ExportedNote): WrittenFields {
    const properties = readProperties(this.reader, note.pk)
    return {
      title: note.title,
      ...aliasFields(note.aliases),
      tags: this.reader.sql.column('SELECT tag FROM note_tags WHERE note = ?', note.pk),
      properties: Object.fromEntries(
        this.#definitions.flatMap(({ pk, key }) =>
          key in properties && properties[key] !== '' ? [[pk, properties[key]]] : [],
        ),
      ),
    }
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
        ([key, value]) => `${keyText(labels.get(key) ?? key)}: ${jsonText(this.links.inValue(note, value))}`,
      ),
    ]
    return lines.length === 0 ? '' : `---\n${lines.join('\n')}\n---\n`
  }

  /** The changes since the import. */
  #editsOf(note: ExportedNote, row: NoteRow, { fields, original }: Imported): FrontMatterEdits {
    const { path } = note.file
    const fileTitle = path === note.importedPath ? original.fileTitle : undefined
    const body = row.content
    const ids = this.reader.sql.column<number>('SELECT tag FROM note_tags WHERE note = ?', note.pk)
    return {
      title: note.title,
      isNewTitle: note.title !== fields.title,
      fileTitle: fileTitle ?? titleOfPath(path),
      aliases: { before: writtenAliases(fields), now: note.aliases },
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

  #propertyEdits(note: ExportedNote, fields: WrittenFields): FrontMatterEdits['properties'] {
    const now = readProperties(this.reader, note.pk)
    return this.#definitions.flatMap(({ pk: property, key, label }) => {
      const [before, value] = [fields.properties[property], now[key]]
      const isSame = JSON.stringify(before) === JSON.stringify(value) && !this.links.hasMoved(value)
      return isSame ? [] : [{ key, label, value: this.links.inValue(note, value) }]
    })
  }
}

/** Empty front matter keeps an import from parsing the start of such a body as front matter. */
function frontOf(front: string, body: string, isImported: boolean): string {
  if (front !== '') return front
  // Earlier versions imported front matter in other syntaxes as part of the body.
  const isRead =
    splitFrontMatter(body).frontMatter ?? (isImported ? undefined : otherFrontMatter(body)?.fields)
  return isRead ? '---\n---\n' : ''
}

/** A label that an import reads as a field of notes or as another property is replaced with the key. */
function importable(
  rows: readonly { readonly pk: number; readonly key: string; readonly label: string | null }[],
) {
  const owners = new Map(rows.toReversed().map(({ key, label }) => [fold(label ?? key).trim(), key]))
  for (const { key } of rows) owners.set(key, key)
  return rows.map(({ pk, key, label }): Definition => {
    const isOwn = label !== null && owners.get(fold(label).trim()) === key && !isFieldKey(label)
    return { pk, key, label: isOwn ? label : key }
  })
}

const inBody = (body: string): ReadonlySet<string> =>
  new Set(Array.from(bodyTags([...linesOutsideCode(body, '#')]), (word) => fold(tagNameOf(word) ?? '')))
