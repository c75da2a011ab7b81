import { t } from '../../../http/schema/types.ts'
import { MARKED_ENCODINGS } from '../../../lib/decoders.ts'
import { MAX_ALIAS_LENGTH, MAX_FURTHER_ALIASES } from '../../../lib/text.ts'
import { MAX_CONTENT } from '../../../notes/content-length.ts'
import { propertyValues, tagName } from '../../../notes/schema.ts'
import { MAX_TAGS } from '../../../notes/writing/tags.ts'

const MAX_PATH = 4_096
const MAX_NOTES = 500
const MAX_PATHS = 1_000
const MAX_FILES = 10_000
const EARLIEST_MS = -62_135_596_800_000
const LATEST_MS = 253_402_300_799_999

const line = (maxLength: number) => t.text({ minLength: 1, maxLength, singleLine: true })
const instant = () => t.integer({ minimum: EARLIEST_MS, maximum: LATEST_MS })

const ALIAS = { minLength: 1, maxLength: MAX_ALIAS_LENGTH, trimmed: true, singleLine: true } as const

const path = () => t.text({ minLength: 1, maxLength: MAX_PATH })

/** A file of the folder and its state, by which the browser sees whether it changed. */
const place = {
  path: path(),
  state: t.text({ pattern: '^[0-9-]{1,100}$', says: 'its size and time, of digits and hyphens' }),
}

export const ImportedQuery = t.strict({ folder: line(500) })

export const ImportedResponse = t.response({
  now_ms: t.integer({ description: 'An import that begins now can be undone from here.' }),
  files: t.Array(
    t.strict({
      ...place,
      id: t.id(),
      name: t.Union([t.String(), t.Null()], { description: 'Null if it was deleted or is in the trash.' }),
    }),
  ),
  notes: t.Array(
    t.strict({
      id: t.id(),
      title: t.String(),
      alias: t.Union([t.String(), t.Null()]),
      aliases: t.Optional(t.Array(t.String(), { description: 'Further aliases, where some were given.' })),
      created_at_ms: t.integer(),
    }),
    { description: 'Every note of the workspace, by what links find it.' },
  ),
})

export const IdsBody = t.strict({
  folder: line(500),
  paths: t.Array(path(), { minItems: 1, maxItems: MAX_PATHS }),
})

export const IdsResponse = t.response({ ids: t.Array(t.id()) })

export const NotesBody = t.strict({
  folder: line(500),
  notes: t.Array(
    t.strict({
      ...place,
      title: line(500),
      content: t.text({ maxLength: MAX_CONTENT }),
      original: t.Optional(
        t.strict(
          {
            front: t.text({ maxLength: MAX_CONTENT }),
            links: t.Array(
              t.strict({
                start: t.integer({ minimum: 0 }),
                written: t.text({ maxLength: MAX_CONTENT }),
                original: t.text({ maxLength: MAX_CONTENT }),
              }),
            ),
            mark: t.Optional(t.choice(MARKED_ENCODINGS)),
            fileTitle: t.Optional(line(500)),
          },
          {
            description:
              'The parts of the file that the note does not hold; tabs of version 0.1 leave it out.',
          },
        ),
      ),
      alias: t.nullableText(ALIAS),
      aliases: t.Optional(t.Array(t.text(ALIAS), { maxItems: MAX_FURTHER_ALIASES })),
      tags: t.Array(tagName(), { maxItems: MAX_TAGS }),
      properties: propertyValues('By key.'),
      files: t.Array(t.id(), {
        maxItems: MAX_FILES,
        description: 'Attached to it, unless they are to another note.',
      }),
      created_at_ms: instant(),
      updated_at_ms: instant(),
    }),
    { minItems: 1, maxItems: MAX_NOTES },
  ),
})

export const NotesResponse = t.response({
  refused: t.Array(t.strict({ path: t.String(), error: t.String() })),
})

export const FileQuery = t.strict({
  folder: line(500),
  ...place,
  file_name: line(500),
  created_at_ms: instant(),
})

/** The decoded text of a database in an export of Notion; larger ones are imported by the command line. */
const tableText = () => t.text({ maxLength: MAX_CONTENT })

export const TableTextBody = t.strict({ path: path(), text: tableText() })

export const TablePreview = t.response({
  name: t.String(),
  columns: t.Array(t.strict({ label: t.String(), type: t.String() })),
  rows: t.Array(t.Array(t.String()), { description: 'The first rows, as written.' }),
  row_count: t.integer(),
})

export const TableBody = t.strict({
  folder: line(500),
  ...place,
  text: tableText(),
  mark: t.Optional(t.choice(MARKED_ENCODINGS)),
})

export const TableResponse = t.response({ rows: t.integer() })

export const UndoBody = t.strict({
  folder: line(500),
  since_ms: t.integer({ minimum: 0, maximum: LATEST_MS, description: 'When the import began (`now_ms`).' }),
  after: t.Optional(t.integer({ minimum: 1, description: 'The value of the response before.' })),
})

export const UndoResponse = t.response({
  notes: t.integer(),
  files: t.integer(),
  structures: t.integer(),
  tags: t.integer(),
  properties: t.integer(),
  kept: t.Array(t.strict({ path: t.String(), error: t.String() })),
  after: t.Union([t.integer(), t.Null()], { description: 'Null once nothing is left to remove.' }),
})

/** Enough files to recognize a vault by. */
const MAX_SAMPLE = 2_000

export const RecognizeBody = t.strict({
  folder: line(500),
  files: t.Array(
    t.strict({ path: path(), sha256: t.text({ pattern: '^[0-9a-f]{64}$', says: 'a SHA-256' }) }),
    {
      minItems: 1,
      maxItems: MAX_SAMPLE,
    },
  ),
})

export const RecognizeResponse = t.response({
  earlier: t.Union([t.String(), t.Null()], { description: 'When and from where the vault was imported.' }),
})
