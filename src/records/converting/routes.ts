import type { AppContext } from '../../context.ts'
import { endpoints } from '../../http/endpoints.ts'
import { convertField } from './convert.ts'
import * as schema from './schema.ts'

export const conversionRoutes = (ctx: AppContext) =>
  endpoints('Structures', '/v1/records/structures', 'structures').post(
    '/:nameOrId/convert',
    ({ caller, params, body }) => convertField(ctx, caller, params.nameOrId, body),
    {
      access: 'write',
      body: schema.ConvertBody,
      response: schema.ConvertedResponse,
      operationId: 'convertField',
      summary: 'Give a field another type: a new field with its values',
      description:
        'Values are read as `import` reads the cells of a column. The old field is hidden and keeps all of them; what cannot be read stays in it alone. One transaction, of at most 200,000 rows, with the log entries and events of any change of these rows.',
    },
  )
