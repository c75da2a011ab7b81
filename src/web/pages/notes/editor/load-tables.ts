type TableExtensions = typeof import('./table-editing.ts')

let loaded: TableExtensions | undefined

/** The code of tables; undefined until a text with a table, or an editor in use, has loaded it. */
export const loadedTables = (): TableExtensions | undefined => loaded

export async function loadTables(): Promise<TableExtensions> {
  loaded ??= await import('./table-editing.ts')
  return loaded
}

/** False only for texts without tables, whose delimiter rows have a bar after dashes. */
export const mayHaveTable = (text: string): boolean => /-:?[ \t]*\|/.test(text)
