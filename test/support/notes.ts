import { expect } from 'bun:test'
import type { Client } from './service.ts'

/** A note as the API returns it. */
export interface NoteAnswer {
  id: string
  title: string
  content: string
  tags: string[]
  alias: string | null
  aliases?: string[]
  pinned: boolean
  pin_label: string | null
  cover_url: string | null
  created_at: string
  updated_at: string
  snippet?: string
}

/** Creates a note, by default an empty one. */
export async function makeNote(client: Client, input: Record<string, unknown> = {}): Promise<NoteAnswer> {
  const { status, body } = await client.post('/v1/notes', { title: 'A note', ...input })
  expect({ status, error: body.error }).toEqual({ status: 201, error: undefined })
  return body.note
}

export const readNote = async (client: Client, id: string): Promise<NoteAnswer> =>
  (await client.get(`/v1/notes/${id}`)).body.note

export const revisionsOf = async (client: Client, id: string): Promise<Record<string, string>[]> =>
  (await client.get(`/v1/notes/${id}/revisions`)).body.revisions

/** Returns the tag of this name from the list. */
export async function tagNamed(client: Client, name: string) {
  const { tags } = (await client.get('/v1/tags')).body
  return tags.find((tag: { name: string }) => tag.name === name)
}

/** Returns the titles that a search finds, in its order. */
export async function titlesFound(client: Client, search: string, more = ''): Promise<string[]> {
  const { status, body } = await client.get(`/v1/notes?search=${encodeURIComponent(search)}${more}`)
  expect({ status, error: body.error }).toEqual({ status: 200, error: undefined })
  return body.notes.map(({ title }: NoteAnswer) => title)
}
