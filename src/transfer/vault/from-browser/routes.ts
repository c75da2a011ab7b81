import type { AppContext } from '../../../context.ts'
import { requestWriter } from '../../../files/new-file.ts'
import { presentFile } from '../../../files/present.ts'
import { FileResponse } from '../../../files/schema.ts'
import { applicationEndpoints } from '../../../http/endpoints.ts'
import { jsonResponse } from '../../../http/responses.ts'
import { RawBody } from '../../../http/schema/types.ts'
import * as schema from './schema.ts'
import { importFile, importIds, importNotes, readImported, recognizeFolder } from './service.ts'
import { importTable, previewTable } from './tables.ts'
import { undoImport } from './undo.ts'

/** A folder that is imported from a browser. */
export const importRoutes = () =>
  applicationEndpoints('notes')
    .get('/import', ({ exchange, query }) => exchange.call(readImported, query), {
      access: 'session',
      query: schema.ImportedQuery,
      response: schema.ImportedResponse,
    })
    .post('/import/recognize', ({ exchange, body }) => exchange.call(recognizeFolder, { body }), {
      access: 'session',
      body: schema.RecognizeBody,
      response: schema.RecognizeResponse,
    })
    .post('/import/ids', ({ exchange, body }) => exchange.call(importIds, { body }), {
      access: 'session-write',
      body: schema.IdsBody,
      response: schema.IdsResponse,
    })
    .post('/import/notes', ({ exchange, body }) => exchange.call(importNotes, { body }), {
      access: 'session-write',
      body: schema.NotesBody,
      response: schema.NotesResponse,
    })
    .post('/import/undo', ({ exchange, body }) => exchange.call(undoImport, { body }), {
      access: 'session-write',
      body: schema.UndoBody,
      response: schema.UndoResponse,
    })

/** The databases beside its notes. */
export const importTableRoutes = () =>
  applicationEndpoints('structures')
    .post('/import/tables/preview', ({ exchange, body }) => exchange.call(previewTable, { body }), {
      access: 'session',
      body: schema.TableTextBody,
      response: schema.TablePreview,
    })
    .post('/import/tables', ({ exchange, body }) => exchange.call(importTable, { body }), {
      access: 'session-write',
      body: schema.TableBody,
      response: schema.TableResponse,
    })

/** The files beside its notes. */
export const importFileRoutes = (ctx: AppContext) =>
  applicationEndpoints('files').post(
    '/import/files',
    async ({ exchange, query, request }) => {
      const length = request.headers.get('content-length')
      const announced = length === null ? undefined : Number(length)
      const file = await importFile(requestWriter(ctx.db, exchange), query, {
        announced,
        bytes: request.body,
      })
      return jsonResponse(JSON.stringify({ file: presentFile(file) }), 201)
    },
    {
      access: 'session-write',
      body: RawBody,
      query: schema.FileQuery,
      response: { 201: FileResponse },
    },
  )
