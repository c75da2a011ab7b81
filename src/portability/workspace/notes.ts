import type { Caller } from '../../context.ts'
import type { Reader } from '../../db/reader.ts'
import type { Tx } from '../../db/writes/transaction.ts'
import { checkStorable } from '../../http/storable-json.ts'
import { isoTimestamp } from '../../lib/dates.ts'
import { publishNote } from '../../notes/events.ts'
import { presentEdited, presentNote } from '../../notes/present.ts'
import { CreateBody, PatchBody, TAGS_PER_REQUEST, TagsBody } from '../../notes/schema.ts'
import { loadNotes } from '../../notes/store.ts'
import { insertNote } from '../../notes/writing/create.ts'
import { importProperties, readProperties } from '../../notes/writing/properties.ts'
import { ensureTags } from '../../notes/writing/tags.ts'
import { refused } from '../../refusal.ts'
import { splitFrontMatter } from '../front-matter.ts'
import { parseSimpleYaml } from '../simple-yaml.ts'
import { asObject, checkInput, idOf, instantOf, instantOrNull } from './exported-object.ts'

/** All notes, those in the trash included, oldest first. */
export const listNotes = (
  { sql }: Reader,
  { workspacePk }: Caller,
): { pk: number; deletedAt: number | null }[] =>
  sql.all(
    'SELECT pk, deleted_at AS deletedAt FROM notes WHERE workspace = ? ORDER BY created_at, id',
    workspacePk,
  )

/** A note as a Markdown file. Every value in the front matter is JSON, which is valid YAML. */
export function exportNote(
  reader: Reader,
  pk: number,
  deletedAt: number | null,
): { title: string; text: string } {
  const [row] = loadNotes(reader, [pk])
  if (!row) throw new Error('a note disappeared during the export')
  const { content, title, ...head } = presentNote(row)
  const properties = readProperties(reader, pk)
  const lines = Object.entries({
    title,
    ...head,
    ...(row.editedAt !== row.updatedAt && presentEdited(row)),
    ...(deletedAt !== null && { deleted_at: isoTimestamp(deletedAt) }),
    ...(Object.keys(properties).length > 0 && { properties }),
  }).map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
  return { title, text: `---\n${lines.join('\n')}\n---\n${content}` }
}

interface NoteHead {
  title: string
  tags: string[]
  alias: string | null
  pinned: boolean
  pin_label: string | null
  cover_url: string | null
}

/** Inserts a note with its id and times, in the trash or not, without a revision. */
export function importNote(tx: Tx, caller: Caller, text: string): void {
  const { frontMatter, body } = splitFrontMatter(text, { parseSimple: parseSimpleYaml })
  if (!frontMatter) throw refused('it has no front matter; it must begin with a line of three dashes.')
  checkStorable([frontMatter, body], 'The note')
  const { id, created_at, updated_at, edited_at, deleted_at, properties, ...input } = frontMatter
  const head = checkedHead(input, body)
  const noteId = idOf(id)
  const pk = insertNote(tx, caller, {
    id: noteId,
    title: head.title,
    content: body,
    tagIds: ensureTags(tx, caller, head.tags),
    alias: head.alias,
    coverUrl: head.cover_url,
    pinned: head.pinned,
    pinLabel: head.pin_label,
    createdAt: instantOf(created_at, 'created_at'),
    updatedAt: instantOf(updated_at, 'updated_at'),
    editedAt: instantOrNull(edited_at, 'edited_at') ?? undefined,
    deletedAt: instantOrNull(deleted_at, 'deleted_at'),
  })
  importProperties(tx, caller.workspacePk, pk, properties === undefined ? {} : asObject(properties))
  publishNote(tx, caller, 'note.created', noteId)
}

function checkedHead(
  { pinned = false, pin_label = null, ...rest }: Record<string, unknown>,
  content: string,
): NoteHead {
  const { tags: names = [], ...input } = rest
  checkInput(CreateBody, { ...input, content })
  checkInput(PatchBody, { pinned, pin_label })
  const { title, alias = null, cover_url = null } = input as Partial<NoteHead> & { title: string }
  const tags = checkedTags(names)
  return { title, tags, alias, pinned: pinned === true, pin_label: pin_label as string | null, cover_url }
}

/** A note may have more tags than one request can add. */
function checkedTags(tags: unknown): string[] {
  if (!Array.isArray(tags)) throw refused('"tags" must be a list of the names of tags.')
  for (let at = 0; at < tags.length; at += TAGS_PER_REQUEST)
    checkInput(TagsBody, { tags: tags.slice(at, at + TAGS_PER_REQUEST) })
  return tags
}
