import type { AppContext } from '../context.ts'
import { endpoints } from '../http/endpoints.ts'
import { refreshSearch } from '../notes/search/indexing.ts'
import { find } from './find.ts'
import * as schema from './schema.ts'

export const finderRoutes = (ctx: AppContext) =>
  endpoints('Search', '/v1/search', 'several').get(
    '',
    async ({ exchange, caller, query }) => {
      if (query.q !== undefined) await refreshSearch(ctx, caller.workspacePk)
      return exchange.call(find, query)
    },
    {
      access: 'read',
      query: schema.FindQuery,
      response: schema.FindResponse,
      operationId: 'search',
      summary: 'Find notes, rows, files and presets by a typed text',
      description:
        'The best matches of each kind, for a field in which someone types. Titles and aliases of notes rank before texts. Pages of one kind: `GET /v1/notes`, `GET /v1/records` and `GET /v1/files/search`.',
    },
  )
