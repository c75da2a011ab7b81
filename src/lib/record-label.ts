interface Labelled {
  readonly label_field: string | null
  readonly fields: readonly { readonly key: string; readonly type: string }[]
}

interface Row {
  readonly id: string
  readonly data: Readonly<Record<string, unknown>>
}

/** The key of the value that names a row: its title field, else its first text, else its first value. */
export function titleKey({ label_field, fields }: Labelled, { data }: Row): string | undefined {
  const firstText = fields.find(({ key, type }) => type === 'text' && data[key] != null)?.key
  const first = fields.find(({ key }) => data[key] != null)?.key
  return [label_field, firstText, first].find(
    (key) => key != null && (typeof data[key] === 'string' || typeof data[key] === 'number'),
  ) as string | undefined
}

/** The label of a row: the value that names it, else its short id. */
export function recordLabel(structure: Labelled, row: Row): string {
  const key = titleKey(structure, row)
  return key === undefined ? row.id.slice(0, 8) : String(row.data[key])
}
