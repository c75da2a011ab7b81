import type { Static } from '@sinclair/typebox'
import type { Caller } from '../../../context.ts'
import { addFile, type CompleteFile, type FileWriter, makeComplete } from '../../../files/new-file.ts'
import { attachFile, type FileRow, VISIBLE } from '../../../files/store.ts'
import { hides } from '../../../kernel/caller.ts'
import { long, read, write } from '../../../kernel/operation.ts'
import { encodeText } from '../../../lib/encoding.ts'
import { invalid, nameTaken } from '../../../lib/refusal.ts'
import { sha256 } from '../../../lib/sha256.ts'
import { furtherAliasesOf, type NoteSummary } from '../../../notes/store.ts'
import { createNote } from '../../../notes/writing/create.ts'
import { findPropertyRule } from '../../../notes/writing/properties.ts'
import { findStructure } from '../../../records/structures/store.ts'
import type { Tx } from '../../../storage/writes/transaction.ts'
import { ImportRun } from '../../import-run.ts'
import {
  columnsOf,
  insertImported,
  updateImported,
  type Written,
  type WrittenFields,
  writtenFile,
} from '../earlier-imports.ts'
import { isNoteFile } from '../plan/files.ts'
import { areLinksOf, originalBody } from '../plan/originals.ts'
import { earlierVault, PresentFiles } from '../recognized.ts'
import type {
  FileQuery,
  IdsBody,
  ImportedQuery,
  ImportedResponse,
  NotesBody,
  RecognizeBody,
} from './schema.ts'

/*
 * A browser imports a folder in many transactions. Each file gets a reserved id before anything links to it, and its
 * outcome is stored with that id. An interrupted import therefore resumes with the same links.
 */

/** The folder under which a user's files are recorded. No folder that a command imports has such a path. */
export const storedFolder = ({ userId }: Caller, folder: string): string => `${userId}/${folder}`

/** A file of the folder, and the id of its present or future note or file. */
interface Reserved {
  readonly pk: number
  readonly id: string
  readonly isFinished: boolean
}

/** Returns the reserved id of a file, or reserves a new one. */
export function reserve(tx: Tx, caller: Caller, folder: string, path: string): Reserved {
  const place = { workspace: caller.workspacePk, folder: storedFolder(caller, folder), path }
  const known = tx.sql.get<{ pk: number; id: string; digest: string }>(
    'SELECT pk, object AS id, digest FROM imported_files WHERE workspace = ? AND folder = ? AND path = ?',
    ...Object.values(place),
  )
  if (known) return { pk: known.pk, id: known.id, isFinished: known.digest !== '' }
  const id = tx.newId()
  const kind = isNoteFile({ path }) ? 'note' : 'file'
  const pk = insertImported(tx, { ...place, kind, object: id, digest: '', written: null, fields: null })
  return { pk, id, isFinished: false }
}

/** Records that the note or file of a reserved id exists. */
const finishFile = (tx: Tx, { pk }: Reserved, made: Written): void =>
  updateImported(tx, pk, columnsOf({ ...made, at: tx.now }))

type Body = Static<typeof NotesBody>
type SentNote = Body['notes'][number]

const NAME = `CASE kind
  WHEN 'note' THEN (SELECT title FROM notes n WHERE n.id = object AND n.deleted_at IS NULL)
  WHEN 'structure' THEN NULL
  ELSE (SELECT file_name FROM files f WHERE f.id = object AND ${VISIBLE}) END`

interface NamedFile {
  readonly kind: string
  readonly path: string
  readonly state: string
  readonly id: string
  readonly name: string | null
}

type NamedNote = Pick<NoteSummary, 'id' | 'title' | 'alias' | 'aliases'> & { readonly created_at_ms: number }

/** The notes, files and structures that were imported from a folder, and the names of all notes. */
export const readImported = long(
  read({
    name: 'portability.imported',
    covers: 'notes',
    run: (reader, caller, { folder }: Static<typeof ImportedQuery>): Static<typeof ImportedResponse> => {
      const { sql } = reader
      const { workspacePk, rights } = caller
      const kinds = hides(rights, 'files') ? ['note', 'structure'] : ['note', 'file', 'structure']
      const nameOf = ({ kind, id, name }: NamedFile) =>
        kind === 'structure' ? (findStructure(reader, caller, id)?.name ?? null) : name
      return {
        now_ms: reader.now,
        files: sql
          .all<NamedFile>(
            `SELECT kind, path, coalesce(json_extract(fields, '$.state'), digest) AS state, object AS id, ${NAME} AS name
             FROM imported_files
             WHERE workspace = ? AND folder = ? AND digest <> '' AND kind IN (SELECT value FROM json_each(?))`,
            workspacePk,
            storedFolder(caller, folder),
            JSON.stringify(kinds),
          )
          .map((file) => ({ path: file.path, state: file.state, id: file.id, name: nameOf(file) })),
        notes: sql
          .all<NamedNote>(
            `SELECT id, title, alias, aliases, created_at AS created_at_ms FROM notes
             WHERE workspace = ? AND deleted_at IS NULL`,
            workspacePk,
          )
          .map(({ aliases, ...note }) =>
            aliases === null ? note : { ...note, aliases: furtherAliasesOf({ aliases }) },
          ),
      }
    },
  }),
)

/** The id of each file's note or file, in the order of the paths. Files without an id get a new one. */
export const importIds = write({
  name: 'portability.import-ids',
  covers: 'notes',
  run: (tx, caller, { body: { folder, paths } }: { body: Static<typeof IdsBody> }) => ({
    ids: paths.map((path) => reserve(tx, caller, folder, path).id),
  }),
})

/** Imports files of a folder as notes, each completely or not at all; returns the refused files. */
export const importNotes = long(
  write({
    name: 'portability.import-notes',
    covers: 'notes',
    run: (tx, caller, { body: { folder, notes } }: { body: Body }) => {
      const run = new ImportRun(tx, caller)
      for (const note of notes) run.try(note.path, () => importNote(tx, caller, folder, note))
      return { refused: run.refused.map(({ place, reason }) => ({ path: place, error: reason })) }
    },
  }),
)

function importNote(tx: Tx, caller: Caller, folder: string, sent: SentNote): void {
  const reserved = reserve(tx, caller, folder, sent.path)
  // The response to an earlier call may have been lost.
  if (reserved.isFinished) return
  const { title, content, alias, aliases, tags, properties, original } = sent
  if (original && !areLinksOf(content, original.links))
    throw invalid('"original.links" must follow each other, each where "content" holds what it wrote.')
  const { note, propertiesError } = createNote(
    tx,
    caller,
    { title, content, alias, aliases, tags, properties },
    { id: reserved.id, createdAt: sent.created_at_ms, updatedAt: sent.updated_at_ms },
  )
  if (propertiesError) throw propertiesError
  for (const id of sent.files) attachFile(tx, caller, id, note.pk)
  finishFile(tx, reserved, {
    digest: digestOf(sent),
    state: sent.state,
    written: sha256(content),
    fields: fieldsOf(tx, caller, note.pk, sent),
    original: original ?? null,
  })
}

/** The digest of the note's file; tabs of version 0.1 do not send what the note does not hold. */
const digestOf = ({ content, original, state }: SentNote): string =>
  original === undefined
    ? state
    : sha256(encodeText(original.front + originalBody(content, original.links), original.mark))

const fieldsOf = (
  { sql }: Tx,
  { workspacePk }: Caller,
  note: number,
  { title, alias, aliases, properties }: SentNote,
): WrittenFields => ({
  title,
  alias,
  ...(aliases && { aliases }),
  tags: sql.column<number>('SELECT tag FROM note_tags WHERE note = ?', note),
  properties: Object.fromEntries(
    Object.entries(properties).map(([key, value]) => [
      findPropertyRule({ sql }, workspacePk, key)?.pk ?? 0,
      value,
    ]),
  ),
})

interface Place {
  readonly folder: string
  readonly path: string
}

interface FinishedFile extends Place {
  readonly state: string
  readonly digest: string
  readonly file: CompleteFile
}

export const reserveFile = write({
  name: 'portability.reserve-file',
  covers: 'files',
  run: (tx, caller, { folder, path }: Place) => {
    const { id, isFinished } = reserve(tx, caller, folder, path)
    if (isFinished) throw isStored()
    return { id }
  },
})

export const finishImportedFile = write({
  name: 'portability.finish-file',
  covers: 'files',
  run: (tx, caller, { folder, path, state, digest, file }: FinishedFile) => {
    const row = makeComplete(tx, caller, file)
    const reserved = reserve(tx, caller, folder, path)
    if (reserved.isFinished) throw isStored()
    finishFile(tx, reserved, { ...writtenFile(digest), state })
    return row
  },
})

/** Stores a file of a folder; refuses a file that is already stored. */
export async function importFile(
  writer: FileWriter,
  { folder, path, state, file_name: fileName, created_at_ms: createdAt }: Static<typeof FileQuery>,
  sent: { readonly announced: number | undefined; readonly bytes: AsyncIterable<Uint8Array> | null },
): Promise<FileRow> {
  const { id } = await writer.run(reserveFile, { folder, path })
  const hash = new Bun.CryptoHasher('sha256')
  return addFile(writer, {
    announced: sent.announced,
    bytes: sent.bytes && hashed(sent.bytes, hash),
    id,
    fileName,
    createdAt,
    noteId: null,
    finish: (file) =>
      writer.run(finishImportedFile, { folder, path, state, digest: hash.digest('hex'), file }),
  })
}

async function* hashed(bytes: AsyncIterable<Uint8Array>, hash: Bun.CryptoHasher): AsyncGenerator<Uint8Array> {
  for await (const part of bytes) {
    hash.update(part)
    yield part
  }
}

const isStored = () => nameTaken('This file is stored already; leave it out.')

/** The refusal to import a vault again, which another import or an export of the workspace holds; null for a new one. */
export const recognizeFolder = long(
  read({
    name: 'portability.recognize',
    covers: 'notes',
    run: (reader, caller, { body: { folder, files } }: { body: Static<typeof RecognizeBody> }) => {
      const digests = new Map(files.map(({ path, sha256: digest }) => [path, digest]))
      const present = new PresentFiles(storedFolder(caller, folder), digests)
      return {
        earlier: earlierVault(reader, caller, present, 'use "daybook import --update"')?.message ?? null,
      }
    },
  }),
)
