import type { Client, TestService } from './service.ts'
import {
  type Ids,
  type NewOracleNote,
  type OracleNote,
  PROPERTIES,
  type PropertyKey,
  STAGES,
  TAGS,
} from './tree-oracle.ts'

/** A separate workspace with the tags and properties of the oracle. */
export interface TreeWorkspace {
  client: Client
  workspace: number
  ids: Ids
  /** Active notes, as the API returned them. */
  notes: OracleNote[]
}

const DAY_MS = 86_400_000

let workspaces = 0

async function made(answer: ReturnType<Client['post']>) {
  const { status, body } = await answer
  if (status !== 201) throw new Error(`the workspace was refused: ${JSON.stringify(body)}`)
  return body
}

export async function makeTreeWorkspace(service: TestService): Promise<TreeWorkspace> {
  const name = `workspace ${workspaces++}`
  const client = service.as(await service.newWorkspace(name))
  const { note } = await made(client.post('/v1/notes', { title: 'Tags', tags: TAGS }))
  await client.delete(`/v1/notes/${note.id}`)
  const { tags } = (await client.get('/v1/tags')).body
  const properties = {} as Record<PropertyKey, string>
  for (const [key, type] of Object.entries(PROPERTIES)) {
    const options = type === 'select' ? { options: STAGES } : {}
    const { property } = await made(client.post('/v1/properties', { key, type, ...options }))
    properties[key as PropertyKey] = property.id
  }
  const workspace = service.ctx.db.sql.scalar<number>('SELECT pk FROM workspaces WHERE name = ?', name)
  const tagIds = Object.fromEntries(tags.map((tag: { id: number; name: string }) => [tag.name, tag.id]))
  return { client, workspace, ids: { tags: tagIds, properties }, notes: [] }
}

/** Creates the notes one after another; trashed notes leave the workspace again. */
export async function fillTreeWorkspace(
  service: TestService,
  { client, notes }: TreeWorkspace,
  wanted: readonly NewOracleNote[],
): Promise<void> {
  for (const { title, tags, properties, daysLater, isTrashed } of wanted) {
    service.clock.advance(daysLater * DAY_MS)
    const { note, properties: held } = await made(
      client.post('/v1/notes', { title, tags, properties, content: `the body of ${title}` }),
    )
    if (isTrashed) await client.delete(`/v1/notes/${note.id}`)
    else notes.push({ ...note, properties: held })
  }
}
