import type { AppContext } from '../context.ts'
import { downloadResponse } from '../http/download.ts'
import { applicationEndpoints, endpoints } from '../http/endpoints.ts'
import { jsonResponse } from '../http/responses.ts'
import { RawBody, t } from '../http/schema/types.ts'
import { refreshLinks } from '../notes/links/indexing.ts'
import { addFile, requestWriter } from './new-file.ts'
import { presentFile } from './present.ts'
import * as schema from './schema.ts'
import { searchFiles } from './search.ts'
import { deleteFile, getFileContent, listAllFiles, listFilesOfNote, readFile, renameFile } from './service.ts'
import { getFileText } from './text.ts'

export const fileRoutes = (ctx: AppContext) =>
  endpoints('Files', '/v1/files', 'files')
    .get('', ({ exchange, query }) => exchange.call(listAllFiles, query), {
      access: 'read',
      query: schema.ListQuery,
      response: schema.FilesResponse,
      operationId: 'listFiles',
      summary: 'List files, oldest first',
      description:
        'With `note_id` only the files attached to that note. Files come in through the application and the command line.',
    })
    .get('/search', ({ exchange, query }) => exchange.call(searchFiles, query), {
      access: 'read',
      query: schema.SearchQuery,
      response: schema.FileSearchResponse,
      operationId: 'searchFiles',
      summary: 'Search the names and the text of files, page by page',
      description:
        'A hit is one page; the best match comes first. Words are looked for ignoring case and accents.',
    })
    .get('/:id', ({ exchange, params }) => exchange.call(readFile, params), {
      access: 'read',
      response: schema.FileWithOutlineResponse,
      operationId: 'getFile',
      summary: 'Read a file and its sections',
      description: '`outline` lists the bookmarks, headings, slides or sheets of a document in their order.',
    })
    .get('/:id/text', ({ caller, params, query }) => getFileText(ctx.db, caller, params.id, query), {
      access: 'read',
      query: schema.TextQuery,
      response: schema.FileTextResponse,
      operationId: 'getFileText',
      summary: 'Read the text of a file, marked by page',
      description:
        'Each page begins with a line `=== page N ===`. Whole pages are returned while they fit into `max_chars`; continue with `next_chunk` as `pages` until it is null. A file that is not `ready` is refused.',
    })
    .get(
      '/:id/content',
      ({ exchange, caller, params }) => downloadResponse(exchange, getFileContent(ctx.db, caller, params.id)),
      {
        access: 'read',
        response: t.binaryContent(),
        operationId: 'getFileContent',
        summary: 'Download a file',
        description: schema.CONTENT_DESCRIPTION,
      },
    )
    .patch(
      '/:id',
      async ({ exchange, caller, params, body }) => {
        if (body.file_name !== undefined) await refreshLinks(ctx, caller)
        return exchange.call(renameFile, { ...params, body })
      },
      {
        access: 'write',
        body: schema.FilePatch,
        response: schema.FileResponse,
        operationId: 'renameFile',
        summary: 'Rename a file, and the links to it in notes',
        description:
          'The label of every link `[[file:<id>|…]]` in notes is rewritten too, which makes a revision of each of those notes.',
      },
    )

/** Under a note's own path. */
export const filesOfNoteRoutes = () =>
  endpoints('Notes', '/v1/notes', 'notes').get(
    '/:id/files',
    ({ exchange, params }) => exchange.call(listFilesOfNote, params),
    {
      access: 'read',
      response: schema.FilesResponse,
      operationId: 'listNoteFiles',
      summary: 'List the files attached to a note, oldest first',
      description: 'The same objects as `GET /v1/files?note_id=…`.',
    },
  )

/** Endpoints of signed-in users of the application. */
export const fileManagementRoutes = (ctx: AppContext) =>
  applicationEndpoints('files')
    .post(
      '/files',
      async ({ exchange, query, request }) => {
        const length = request.headers.get('content-length')
        const file = await addFile(requestWriter(ctx.db, exchange), {
          fileName: query.file_name,
          noteId: query.note_id ?? null,
          announced: length === null ? undefined : Number(length),
          bytes: request.body,
        })
        return jsonResponse(JSON.stringify({ file: presentFile(file) }), 201)
      },
      {
        access: 'session-write',
        body: RawBody,
        query: schema.UploadQuery,
        response: { 201: schema.FileResponse },
      },
    )
    .delete('/files/:id', ({ exchange, params }) => exchange.call(deleteFile, params), {
      access: 'session-write',
      response: schema.FileDeleted,
    })
