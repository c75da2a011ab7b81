import type { AppContext } from '../context.ts'
import { downloadResponse } from '../http/download.ts'
import { presentPage } from '../http/page.ts'
import { routes, sessionRoutes } from '../http/routes.ts'
import { binaryContent } from '../http/schema/types.ts'
import { respondWhole } from '../http/whole-list.ts'
import { filesQuery } from './list.ts'
import { presentFile, presentFileText, presentFileWithOutline, presentFoundPage } from './present.ts'
import * as schema from './schema.ts'
import { searchFiles } from './search.ts'
import { deleteFile, getFileContent, getFileWithOutline, renameFile } from './service.ts'
import { getFileText } from './text.ts'
import { uploadFile } from './upload.ts'

export const fileRoutes = (ctx: AppContext) =>
  routes('Files', '/v1/files')
    .get(
      '/',
      'listFiles',
      'List files, oldest first',
      ({ caller, query }) => respondWhole(ctx, caller, filesQuery, { noteId: query.note_id }),
      {
        query: schema.ListQuery,
        response: schema.FilesResponse,
        description:
          'With `note_id` only the files attached to that note. Files come in through the application and the command line.',
      },
    )
    .get(
      '/search',
      'searchFiles',
      'Search the names and the text of files, page by page',
      async ({ caller, query }) => {
        const page = await searchFiles(ctx, caller, query)
        return { results: page.items.map(presentFoundPage), ...presentPage(query, page) }
      },
      {
        query: schema.SearchQuery,
        response: schema.FileSearchResponse,
        description:
          'A hit is one page; the best match comes first. Words are looked for ignoring case and accents.',
      },
    )
    .get(
      '/:id',
      'getFile',
      'Read a file and its sections',
      ({ caller, params }) => ({
        file: presentFileWithOutline(getFileWithOutline(ctx.db, caller, params.id)),
      }),
      {
        response: schema.FileWithOutlineResponse,
        description:
          '`outline` lists the bookmarks, headings, slides or sheets of a document in their order.',
      },
    )
    .get(
      '/:id/text',
      'getFileText',
      'Read the text of a file, marked by page',
      ({ caller, params, query }) => presentFileText(getFileText(ctx.db, caller, params.id, query)),
      {
        query: schema.TextQuery,
        response: schema.FileTextResponse,
        description:
          'Each page begins with a line `=== page N ===`. Whole pages are given while they fit into `max_chars`; go on with `next_chunk` as `pages` until it is null. A file that is not `ready` is refused.',
      },
    )
    .get(
      '/:id/content',
      'getFileContent',
      'Download a file',
      (request) => downloadResponse(request, getFileContent(ctx.db, request.caller, request.params.id)),
      { description: schema.CONTENT_DESCRIPTION, response: binaryContent() },
    )
    .patch(
      '/:id',
      'renameFile',
      'Rename a file, and the links to it in notes',
      async ({ caller, params, body }) => ({
        file: presentFile(await renameFile(ctx, caller, params.id, body)),
      }),
      {
        write: true,
        body: schema.FilePatch,
        response: schema.FileResponse,
        description:
          'The label of every link `[[file:<id>|…]]` in notes is rewritten too, which makes a revision of each of those notes.',
      },
    )

/** Under a note's own path. */
export const filesOfNoteRoutes = (ctx: AppContext) =>
  routes('Notes', '/v1/notes').get(
    '/:id/files',
    'listNoteFiles',
    'List the files attached to a note, oldest first',
    ({ caller, params }) => respondWhole(ctx, caller, filesQuery, { noteId: params.id }),
    { response: schema.FilesResponse, description: 'The same objects as `GET /v1/files?note_id=…`.' },
  )

/** What only a person does who is signed in to the application. */
export const fileManagementRoutes = (ctx: AppContext) =>
  sessionRoutes()
    .post(
      '/files',
      'uploadFile',
      'Add a file; the body is its bytes',
      async ({ caller, query, request }) => {
        const length = request.headers.get('content-length')
        const file = await uploadFile(ctx.db, caller, {
          fileName: query.file_name,
          noteId: query.note_id ?? null,
          announced: length === null ? undefined : Number(length),
          bytes: request.body,
        })
        return { file: presentFile(file) }
      },
      { write: true, status: 201, rawBody: true, query: schema.UploadQuery, response: schema.FileResponse },
    )
    .delete(
      '/files/:id',
      'deleteFile',
      'Delete a file for good',
      async ({ caller, params }) => ({
        deleted: true as const,
        id: (await deleteFile(ctx.db, caller, params.id)).id,
      }),
      { write: true, response: schema.FileDeleted },
    )
