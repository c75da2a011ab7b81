import { strToU8, zipSync } from 'fflate'
import { aliasesOf } from '../../../lib/aliases.ts'
import { api } from '../../data/api.ts'
import { saveFile } from '../../data/download.ts'
import { eachOf } from '../../data/each-of.ts'
import { fileName, freeName } from '../../data/file-names.ts'

/** YAML front matter with JSON values, which are valid YAML. */
function frontMatter(fields: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(fields).map(
    ([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}\n`,
  )
  return lines.length === 0 ? '' : `---\n${lines.join('')}---\n`
}

/** A note as a Markdown file, with aliases, tags and properties in front matter that an import understands. */
async function markdownOf(id: string): Promise<{ title: string; text: string }> {
  const params = { id }
  const [{ note }, { properties }] = await Promise.all([
    api.get('/v1/notes/{id}', { params }),
    api.get('/v1/notes/{id}/properties', { params }),
  ])
  const aliases = aliasesOf(note)
  const fields = {
    ...(fileName(note.title) !== note.title && { title: note.title }),
    ...(aliases.length > 0 && { aliases }),
    ...(note.tags.length > 0 && { tags: note.tags }),
    ...(properties as Record<string, unknown>),
  }
  return { title: note.title, text: frontMatter(fields) + note.content }
}

/** Exports a note as a Markdown file, several as a ZIP file. */
export async function exportNotes(ids: readonly string[]): Promise<void> {
  const notes = await eachOf(ids, markdownOf)
  const taken = new Set<string>()
  const files = notes.map(
    ({ title, text }) => [`${freeName(taken, fileName(title))}.md`, strToU8(text)] as const,
  )
  const [only] = files
  if (files.length === 1 && only) saveFile(only[0], new Blob([only[1]], { type: 'text/markdown' }))
  else saveFile('Notes.zip', new Blob([zipSync(Object.fromEntries(files))], { type: 'application/zip' }))
}
