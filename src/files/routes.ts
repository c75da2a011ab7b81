import type { AppContext } from '../context.ts'
import { presentPage } from '../http/page.ts'
import { routes } from '../http/routes.ts'
import { presentFile, presentFileText, presentFileWithOutline, presentFoundPage } from './present.ts'
import * as schema from './schema.ts'
import { searchFiles } from './search.ts'
import { getFileWithOutline, listFiles, listFilesOfNote, renameFile } from './service.ts'
import { getFileText } from './text.ts'

export const fileRoutes = (ctx: AppContext) =>
  routes('Files', '/v1/files')
    .get(
      '/',
      'listFiles',
      'List files, oldest first',
      ({ caller, query }) => ({ files: listFiles(ctx.db, caller, query.note_id).map(presentFile) }),
      { query: schema.ListQuery, response: schema.FilesResponse },
    )
    .get(
      '/search',
      'searchFiles',
      'Search the text of files, page by page',
      async ({ caller, query }) => {
        const page = await searchFiles(ctx, caller, query)
        return { results: page.items.map(presentFoundPage), ...presentPage(query, page) }
      },
      { query: schema.SearchQuery, response: schema.FileSearchResponse },
    )
    .get(
      '/:id',
      'getFile',
      'Read a file and its sections',
      ({ caller, params }) => ({
        file: presentFileWithOutline(getFileWithOutline(ctx.db, caller, params.id)),
      }),
      { response: schema.FileWithOutlineResponse },
    )
    .get(
      '/:id/text',
      'getFileText',
      'Read the text of a file, marked by page',
      ({ caller, params, query }) => presentFileText(getFileText(ctx.db, caller, params.id, query)),
      { query: schema.TextQuery, response: schema.FileTextResponse },
    )
    .patch(
      '/:id',
      'renameFile',
      'Rename a file, and the links to it in notes',
      async ({ caller, params, body }) => ({
        file: presentFile(await renameFile(ctx, caller, params.id, body)),
      }),
      { write: true, body: schema.FilePatch, response: schema.FileResponse },
    )

/** Under a note's own path. */
export const filesOfNoteRoutes = (ctx: AppContext) =>
  routes('Notes', '/v1/notes').get(
    '/:id/files',
    'listNoteFiles',
    'List the files attached to a note, oldest first',
    ({ caller, params }) => ({ files: listFilesOfNote(ctx.db, caller, params.id).map(presentFile) }),
    { response: schema.FilesResponse },
  )
