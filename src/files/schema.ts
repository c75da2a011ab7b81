import { t } from '../http/schema/types.ts'

const MAX_PAGE = 200
const LEAST_CHARS = 1_000
const MOST_CHARS = 200_000
export const DEFAULT_CHARS = 20_000

const fileName = t.String({ examples: ['handbook.pdf'] })
const noteId = () =>
  t.nullable(t.id(), { description: 'The note it is attached to, unless that is trashed.' })

const fileFields = {
  id: t.id(),
  file_name: fileName,
  note_id: noteId(),
  mime_type: t.String({ examples: ['application/pdf'] }),
  size: t.integer({ description: 'In bytes.', examples: [48_211] }),
  status: t.choice(['processing', 'ready', 'failed'], {
    description:
      '`ready` when its text can be read, which is empty for what has none, such as a picture; `failed` for a document that could not be read.',
    examples: ['ready'],
  }),
  pages: t.nullable(
    t.integer({ examples: [12] }),
    'How many pages of text it has, once it is ready; 0 for a picture.',
  ),
  error: t.nullable(t.String({ examples: ['The file is protected by a password.'] }), 'Why it failed.'),
  created_at: t.timestamp(),
  updated_at: t.timestamp(),
}

export const File = t.strict(fileFields, { $id: 'File' })

const FileWithOutline = t.strict({
  ...fileFields,
  outline: t.Array(
    t.strict({
      title: t.String({ examples: ['The mill'] }),
      level: t.integer({ description: 'From 1 for the outermost.', examples: [2] }),
      page: t.integer({ examples: [3] }),
    }),
    { description: 'Bookmarks, headings, slides or sheets in their order.' },
  ),
})

export const FilesResponse = t.response({ files: t.Array(File) })
export const FileResponse = t.response({ file: File })
export const FileWithOutlineResponse = t.response({ file: FileWithOutline })

export const FileTextResponse = t.response({
  file: t.strict({ id: t.id(), file_name: fileName }),
  pages: t.String({
    description: 'The pages that `text` holds; empty when the file has none.',
    examples: ['7-9'],
  }),
  text: t.String({
    description: 'Each page begins with a line that names it.',
    examples: ['=== page 7 ===\nCards carry the operations.'],
  }),
  truncated: t.Boolean({ description: 'Whether text of the pages asked for is missing.' }),
  next_chunk: t.nullable(
    t.String({ examples: ['10-12'] }),
    'The value of `pages` for the next request; null after the last page.',
  ),
})

export const FileSearchResponse = t.response({
  results: t.Array(
    t.strict({
      file: t.strict({ id: t.id(), file_name: fileName, note_id: noteId() }),
      page: t.integer({ description: 'From 1; 0 when the name of the file matches.', examples: [7] }),
      snippet: t.String({
        description: 'Text around the first hit, or the name, as HTML with hits in <mark>.',
        examples: ['Cards carry the <mark>operations</mark>.'],
      }),
    }),
  ),
  total: t.integer({ examples: [1] }),
  has_more: t.Boolean(),
})

export const ListQuery = t.strict({
  note_id: t.Optional(t.text({ description: 'Only the files attached to this note.' })),
})

export const CONTENT_DESCRIPTION =
  'The original bytes, always as an attachment; they never change. The `Content-Type` is the `mime_type` of the file. A single range of bytes can be requested, to resume an interrupted download, and `If-None-Match` saves one that is known. More than 512 KiB come without `Content-Length`; `HEAD` and the `size` of the file say how many there are.'

export const TextQuery = t.strict(
  t.optional({
    pages: t.text({
      pattern: '^[1-9][0-9]{0,8}(-[1-9][0-9]{0,8})?$',
      says: 'a page such as 7, or a range such as 7-9',
      description: 'By default all of them, from page 1.',
      examples: ['7-9'],
    }),
    max_chars: t.integer({
      minimum: LEAST_CHARS,
      maximum: MOST_CHARS,
      default: DEFAULT_CHARS,
      description: 'Whole pages are returned while they fit; a first page that is longer is cut.',
    }),
  }),
)

export const SearchQuery = t.strict({
  q: t.text({
    minLength: 1,
    maxLength: 500,
    description:
      'Words are ANDed, "a phrase" keeps order, word* is a prefix, -word excludes; on one page, or in the name of a file.',
    examples: ['operations'],
  }),
  file_id: t.Optional(t.text({ description: 'Only this file.' })),
  ...t.paging(MAX_PAGE),
})

export const FilePatch = t.strict(
  t.optional({
    file_name: t.text({
      minLength: 1,
      maxLength: 500,
      singleLine: true,
      isName: true,
      description: 'Links to the file in notes are rewritten too.',
      examples: ['engine handbook.pdf'],
    }),
  }),
)

export const UploadQuery = t.strict({
  file_name: t.text({ minLength: 1, maxLength: 500, singleLine: true, isName: true }),
  note_id: t.Optional(t.id()),
})

export const FileDeleted = t.response({ deleted: t.Literal(true), id: t.id() })
