/*
 * Loads Markdown documents into a workspace through the API, one note each:
 * `bun scripts/load-documents.ts <url> <key> <folder…>`. The note's title is the document's first heading or
 * else its path; the first folder of the path becomes a tag. Loading again changes only what has changed.
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
const AT_ONCE = 8

async function call({ url, key }: Api, method: string, path: string, body: object): Promise<Response> {
  return fetch(new URL(path, url), {
    method,
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
  })
}

const clipped = (text: string, length: number) => Array.from(text).slice(0, length).join('')

/** The first heading, or the title in the front matter, without what a title may not hold. */
export function titleOf(path: string, content: string): string {
  const heading = /^(?:#{1,6}[ \t]+|title: *)(.+)$/m.exec(content)?.[1] ?? ''
  const title = heading
    .replaceAll(/\p{Cc}/gu, ' ')
    .replace(/^"(.*)"$/, '$1')
    .trim()
  return clipped(title === '' ? path : title, MAX_TITLE)
}

/** A name for links and for finding the note again: the path, its end when it is too long. */
const aliasOf = (path: string) => Array.from(path).slice(-MAX_ALIAS).join('').trim()

const tagOf = (path: string) => clipped(path.split('/')[0]?.replaceAll(',', ' ') ?? '', MAX_TAG)

/** Makes the note of a document, or brings the one it was loaded into before up to date; answers its id. */
async function loadDocument(api: Api, known: Map<string, string>, path: string, content: string) {
  const alias = aliasOf(path)
  const document = { title: titleOf(path, content), content, tags: [tagOf(path)] }
  const id = known.get(alias)
  const answer = await (id
    ? call(api, 'PATCH', `/v1/notes/${id}`, document)
    : call(api, 'POST', '/v1/notes', { ...document, alias }))
  const body = (await answer.json()) as { note: { id: string }; error: string }
  if (!answer.ok) throw new Error(`${path}: ${body.error}`)
  return body.note.id
}

/** The ids of the notes of the workspace by their alias. */
async function knownAliases({ url, key }: Api): Promise<Map<string, string>> {
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

/** Loads every `.md` and `.mdx` document under the folder, several at once; throws with the refusal of the first that fails. */
export async function loadDocuments(api: Api, folder: string): Promise<LoadedDocument[]> {
  const paths = Array.from(new Glob('**/*.{md,mdx}').scanSync({ cwd: folder, followSymlinks: false })).sort()
  const known = await knownAliases(api)
  const loaded: LoadedDocument[] = []
  const loadNext = async (): Promise<void> => {
    for (let path = paths.shift(); path !== undefined; path = paths.shift()) {
      const content = (await Bun.file(`${folder}/${path}`).text()).replaceAll('\0', '').toWellFormed()
      loaded.push({ path, noteId: await loadDocument(api, known, path, content) })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, loadNext))
  return loaded
}

if (import.meta.main) {
  const [url, key, ...folders] = process.argv.slice(2)
  if (!url || !key || folders.length === 0) {
    process.stderr.write('Usage: bun scripts/load-documents.ts <url> <key> <folder…>\n')
    process.exit(2)
  }
  for (const folder of folders) {
    const loaded = await loadDocuments({ url, key }, folder)
    process.stdout.write(`${folder}: ${loaded.length} documents\n`)
  }
}
