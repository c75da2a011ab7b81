/*
 * Loads Markdown documents into a workspace through the API, one note each:
 * `bun scripts/dev/load-documents.ts <url> <key> <folder…>`. The title is the first heading, or the path if there is none;
 * the first folder of the path becomes a tag. Loading the same folder again updates its notes.
 */
import { Glob } from 'bun'

export interface LoadedDocument {
  path: string
  noteId: string
}

interface Api {
  url: string
  key: string
}

const MAX_TITLE = 500
const MAX_ALIAS = 200
const MAX_TAG = 100
const CONCURRENCY = 8

async function call({ url, key }: Api, method: string, path: string, body: object): Promise<Response> {
  return fetch(new URL(path, url), {
    method,
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
  })
}

const clipped = (text: string, length: number) => Array.from(text).slice(0, length).join('')

/** Returns the first heading, or the front matter's title, without control characters; the path if there is neither. */
export function titleOf(path: string, content: string): string {
  const heading = /^(?:#{1,6}[ \t]|title:)(.+)$/m.exec(content)?.[1] ?? ''
  const title = heading
    .replaceAll(/\p{Cc}/gu, ' ')
    .trim()
    .replace(/^"(.*)"$/, '$1')
    .trim()
  return clipped(title === '' ? path : title, MAX_TITLE)
}

/** The path, which identifies the note in a second run; truncated to its end if too long for an alias. */
const aliasOf = (path: string) => Array.from(path).slice(-MAX_ALIAS).join('').trim()

const tagOf = (path: string) => clipped(path.split('/')[0]?.replaceAll(',', ' ') ?? '', MAX_TAG)

/** Creates or updates the note of a document; returns its id. */
async function loadDocument(api: Api, known: Map<string, string>, path: string, content: string) {
  const alias = aliasOf(path)
  const document = { title: titleOf(path, content), content, tags: [tagOf(path)] }
  const id = known.get(alias)
  const response = await (id
    ? call(api, 'PATCH', `/v1/notes/${id}`, document)
    : call(api, 'POST', '/v1/notes', { ...document, alias }))
  const body = (await response.json()) as { note: { id: string }; error: string }
  if (!response.ok) throw new Error(`${path}: ${body.error}`)
  return body.note.id
}

/** Returns the ids of all notes with an alias, keyed by alias. */
async function notesByAlias({ url, key }: Api): Promise<Map<string, string>> {
  const known = new Map<string, string>()
  for (let offset = 0; ; offset += 200) {
    const page = await fetch(new URL(`/v1/notes?sort=created_at&limit=200&offset=${offset}`, url), {
      headers: { authorization: `Bearer ${key}` },
    })
    const body = (await page.json()) as { notes: { id: string; alias: string | null }[]; has_more: boolean }
    for (const { id, alias } of body.notes) if (alias !== null) known.set(alias, id)
    if (!body.has_more) return known
  }
}

/** Loads every `.md` and `.mdx` document under the folder, several concurrently; throws the first error. */
export async function loadDocuments(api: Api, folder: string): Promise<LoadedDocument[]> {
  const paths = Array.from(new Glob('**/*.{md,mdx}').scanSync({ cwd: folder, followSymlinks: false })).sort()
  const known = await notesByAlias(api)
  const loaded: LoadedDocument[] = []
  const loadNext = async (): Promise<void> => {
    for (let path = paths.shift(); path !== undefined; path = paths.shift()) {
      const content = (await Bun.file(`${folder}/${path}`).text()).replaceAll('\0', '').toWellFormed()
      loaded.push({ path, noteId: await loadDocument(api, known, path, content) })
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, loadNext))
  return loaded
}

if (import.meta.main) {
  const [url, key, ...folders] = process.argv.slice(2)
  if (!url || !key || folders.length === 0) {
    process.stderr.write('Usage: bun scripts/dev/load-documents.ts <url> <key> <folder…>\n')
    process.exit(2)
  }
  for (const folder of folders) {
    const loaded = await loadDocuments({ url, key }, folder)
    process.stdout.write(`${folder}: ${loaded.length} documents\n`)
  }
}
