import type { OpenApiDocument } from '../../src/http/openapi/document.ts'
import { startService } from './service.ts'

let document: Promise<OpenApiDocument> | undefined

/** The OpenAPI document of the service; built once for all test files of a process. */
export function openApiDocument(): Promise<OpenApiDocument> {
  document ??= build()
  return document
}

async function build(): Promise<OpenApiDocument> {
  const service = await startService()
  try {
    return await service.app.openApi()
  } finally {
    service.close()
  }
}
