import { isFileTarget, isOwnHeading, namesIn, targetText } from '../../lib/wiki-links.ts'
import type { Reader } from '../../storage/reader.ts'

/*
 * Resolves a link target to a note: by id, else by alias, else by title. Of several notes with one title, the oldest
 * wins. Targets are resolved at every read, against the current state, and only to active notes. Text after a `#` is a
 * heading of the note, unless the whole is a name.
 */

/**
 * The unary pluses prevent SQLite from scanning all notes in `created_at` order, and from preparing the statement again
 * for every bound title.
 */
const oldestWithTitle = (title: string) =>
  `(SELECT pk FROM notes n WHERE n.workspace = +?1 AND n.title_fold = ${title} AND n.deleted_at IS NULL
    ORDER BY +n.created_at, +n.id LIMIT 1)`

/** The pk of the target's note, or NULL, from the two parts of its key; the second part is '' if absent. */
const meaning = (trimmed: string, whole: string) => `coalesce(
    iif(${whole} = '', NULL, ${oldestWithTitle(whole)}),
    (SELECT pk FROM notes n WHERE n.id = ${trimmed} AND n.workspace = ?1 AND n.deleted_at IS NULL),
    (SELECT pk FROM notes n WHERE n.workspace = ?1 AND n.alias_fold = ${trimmed} AND n.deleted_at IS NULL),
    (SELECT note FROM note_aliases WHERE workspace = ?1 AND alias_fold = ${trimmed}),
    ${oldestWithTitle(trimmed)})`

const ONE_KEY = `SELECT ${meaning('+?2', '+?3')}`

/** The pk of the note to which the target with this key resolves. */
export const resolveTarget = (reader: Reader, workspace: number, key: string): number | undefined =>
  resolveLink(reader, workspace, key)?.pk

/** The note to which a target resolves, and the index in `namesIn` of the matching name. */
export function resolveLink(
  { sql }: Reader,
  workspace: number,
  key: string,
): { readonly pk: number; readonly at: number } | undefined {
  for (const [at, name] of keysIn(key).entries()) {
    const [trimmed = '', whole = ''] = name.split('\n')
    const pk = sql.scalar<number | null>(ONE_KEY, workspace, trimmed, whole)
    if (pk !== null) return { pk, at }
  }
  return undefined
}

/** The keys of the names that the target of a key may contain. */
const keysIn = (key: string): string[] => [
  key,
  ...namesIn(targetText(key))
    .slice(1)
    .map((name) => name.trim()),
]

/** Resolves every key: `source` selects `key` and `detail`; the result has `key`, `detail` and the pk of the note or NULL. */
const resolved = (source: string) => `
  SELECT key, detail, ${meaning('trimmed', 'whole')}
  FROM (
    SELECT key, detail, iif(line = 0, key, substr(key, 1, line - 1)) AS trimmed,
      iif(line = 0, '', substr(key, line + 1)) AS whole
    FROM (SELECT key, detail, instr(key, char(10)) AS line FROM (${source}))
  )`

const GIVEN_KEYS = resolved('SELECT value AS key, NULL AS detail FROM json_each(?2)')

/** The pks of the notes to which these keys resolve; the result omits unresolved keys. */
export function resolveTargets(
  { sql }: Reader,
  workspace: number,
  keys: readonly string[],
): Map<string, number> {
  const resolved = new Map<string, number>()
  let open = keys.map((key) => ({ key, names: keysIn(key) }))
  for (let at = 0; open.length > 0; at++) {
    const names = new Set(open.map((target) => target.names[at] ?? ''))
    const rows = sql.rows<[string, null, number | null]>(GIVEN_KEYS, workspace, JSON.stringify([...names]))
    const found = new Map(rows.flatMap(([name, , pk]) => (pk === null ? [] : [[name, pk]])))
    for (const { key, names } of open) {
      const pk = found.get(names[at] ?? '')
      if (pk !== undefined) resolved.set(key, pk)
    }
    open = open.filter(({ key, names }) => !resolved.has(key) && names.length > at + 1)
  }
  return resolved
}

/** A link target, its note, and the notes that link to it, including trashed ones. */
export interface LinkTarget {
  /** Folded, without surrounding blanks. */
  readonly target: string
  /** The pk of an active note; null if the target is unresolved. */
  readonly note: number | null
  readonly linking: readonly number[]
}

const linksFrom = (links: string) =>
  resolved(
    `SELECT target AS key, json_group_array(note) AS detail FROM ${links} GROUP BY target ORDER BY target`,
  )

const ALL_LINKS = linksFrom('note_links WHERE workspace = ?1')
const LINKS_OF_NOTES = linksFrom(
  'note_links INDEXED BY note_links_note WHERE note IN (SELECT value FROM json_each(?2))',
)

/**
 * Every target of the workspace's links to notes, ordered by target; with `among`, only of the links from these notes.
 */
export function listLinkTargets(reader: Reader, workspace: number, among?: readonly number[]): LinkTarget[] {
  type Row = [string, string, number | null]
  const rows = among
    ? reader.sql.rows<Row>(LINKS_OF_NOTES, workspace, JSON.stringify(among))
    : reader.sql.rows<Row>(ALL_LINKS, workspace)
  const open = rows.filter(([key, , note]) => note === null && key.includes('#')).map(([key]) => key)
  const found = resolveTargets(reader, workspace, open)
  return rows
    .map(([key, linking, note]) => ({
      target: targetText(key),
      note: note ?? found.get(key) ?? null,
      linking: JSON.parse(linking),
    }))
    .filter(({ target, note }) => !isFileTarget(target) && (note !== null || !isOwnHeading(target)))
}
