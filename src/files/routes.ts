import { Elysia } from 'elysia'
import type { AppContext } from '../context.ts'
import { presentPage } from '../http/page.ts'
import { keyed } from '../http/request-context.ts'
import { NoQuery } from '../http/schema/types.ts'
import { presentFile, presentFileText, presentFileWithOutline, presentFoundPage } from './present.ts'
import { renameFile } from './rename.ts'
import * as schema from './schema.ts'
import { searchFiles } from './search.ts'
import { getFileWithOutline, listFiles, listFilesOfNote } from './service.ts'
import { getFileText } from './text.ts'

const tags = ['Files']

export const fileRoutes = (ctx: AppContext) =>
  new Elysia({ prefix: '/v1' })
    .use(keyed())
    .get(
      '/files',
      ({ caller, query }) => ({ files: listFiles(ctx.db, caller, query.note_id).map(presentFile) }),
      {
        query: schema.ListQuery,
        response: schema.FilesAnswer,
        detail: { operationId: 'listFiles', tags, summary: 'List files, oldest first' },
      },
    )
    .get(
      '/files/search',
      async ({ caller, query }) => {
        const page = await searchFiles(ctx, caller, query)
        return { results: page.items.map(presentFoundPage), ...presentPage(query, page) }
      },
      {
        query: schema.SearchQuery,
        response: schema.FileSearchAnswer,
        detail: { operationId: 'searchFiles', tags, summary: 'Search the text of files, page by page' },
      },
    )
    .get(
      '/files/:id',
      ({ caller, params }) => ({
        file: presentFileWithOutline(getFileWithOutline(ctx.db, caller, params.id)),
      }),
      {
        query: NoQuery,
        response: schema.FileWithOutlineAnswer,
        detail: { operationId: 'getFile', tags, summary: 'Read a file and its sections' },
      },
    )
    .get(
      '/files/:id/text',
      ({ caller, params, query }) => presentFileText(getFileText(ctx.db, caller, params.id, query)),
      {
        query: schema.TextQuery,
        response: schema.FileTextAnswer,
        detail: { operationId: 'getFileText', tags, summary: 'Read the text of a file, marked by page' },
      },
    )
    .patch(
      '/files/:id',
      async ({ caller, params, body }) => ({
        file: presentFile(await renameFile(ctx, caller, params.id, body)),
      }),
      {
        write: true,
        query: NoQuery,
        body: schema.FilePatch,
        response: schema.FileAnswer,
        detail: { operationId: 'renameFile', tags, summary: 'Rename a file, and the links to it in notes' },
      },
    )
    .get(
      '/notes/:id/files',
      ({ caller, params }) => ({ files: listFilesOfNote(ctx.db, caller, params.id).map(presentFile) }),
      {
        query: NoQuery,
        response: schema.FilesAnswer,
        detail: {
          operationId: 'listNoteFiles',
          tags: ['Notes'],
          summary: 'List the files attached to a note, oldest first',
        },
      },
    )
