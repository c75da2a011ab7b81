import { swagger } from '@elysiajs/swagger'
import { Elysia } from 'elysia'

/** `GET /openapi.json` and `GET /docs`. */
export const openApi = () =>
  new Elysia().use(
    swagger({ path: '/docs', specPath: '/openapi.json', documentation: { openapi: '3.1.0' } as never }),
  )
