/** Writes `src/web/data/api-types.d.ts`, the types of the endpoints, from the OpenAPI document of the sources. */

import { spawnSync } from 'bun'
import openapiTypescript, { astToString } from 'openapi-typescript'

/** The path where the application imports them. */
export const WEB_TYPES = 'src/web/data/api-types.d.ts'

/** Returns the types as text. */
export async function webTypes(document: object): Promise<string> {
  return `// Written by \`bun run web-types\`.\n${astToString(await openapiTypescript(document as never))}`
}

if (import.meta.main) {
  const { stdout } = spawnSync([process.execPath, 'src/main.ts', 'openapi'])
  await Bun.write(WEB_TYPES, await webTypes(JSON.parse(stdout.toString())))
}
