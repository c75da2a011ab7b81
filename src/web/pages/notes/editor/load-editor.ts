import { loadedTables, loadTables, mayHaveTable } from './load-tables.ts'

export type CodeMirror = typeof import('./code-mirror.ts')

let loaded: CodeMirror | undefined

/**
 * The code for a text, if it is loaded. An import of loaded code resolves only after several tasks, and browsers paint
 * frames without the editor between them.
 */
export const loadedEditor = (text: string): CodeMirror | undefined =>
  mayHaveTable(text) && !loadedTables() ? undefined : loaded

export async function loadEditor(text: string): Promise<CodeMirror> {
  // Without the code of tables, which may not be stored in this browser, they stay Markdown.
  const tables = mayHaveTable(text) && loadTables().catch(() => undefined)
  const [codeMirror] = await Promise.all([import('./code-mirror.ts'), tables])
  loaded = codeMirror
  return codeMirror
}
