import type { ImportReport } from '../../../transfer/import-run.ts'
import type { VaultImport } from '../../../transfer/vault/import.ts'

const SHOWN_NAMES = {
  logseq: 'a Logseq graph; --as obsidian reads it as plain Markdown',
  notion: 'a Notion export; --as obsidian reads it as plain Markdown',
  bear: 'a backup of Bear',
  evernote: 'an export of Evernote',
  joplin: 'an export of Joplin',
}

const MAX_PRINTED = 20

/** The first lines, and the number of the others. */
function firstOf<Item>(noun: string, items: readonly Item[], line: (item: Item) => string): string[] {
  const first = items.slice(0, MAX_PRINTED).map(line)
  const more = items.length - first.length
  return more > 0 ? [...first, `… and ${more} more ${noun}; --json names all.`] : first
}

export const refusalLines = (parts: ImportReport['refused']): string[] =>
  firstOf('refused', parts, ({ place, reason }) => `${place}: ${reason}`)

type Found = Parameters<NonNullable<VaultImport['onFound']>>[0]

/** Lines about everything that an import of a folder changes, leaves out or refuses. */
export const linesOfFound = (
  { read_as: source, changed, skipped, demoted, gone, refused }: Found,
  wasRecognized: boolean,
): string[] => [
  ...(wasRecognized && source !== undefined ? [`Read as ${SHOWN_NAMES[source]}.`] : []),
  ...firstOf('changed', changed, ({ place, what }) => `${place}: ${what}`),
  ...firstOf(
    'properties',
    demoted,
    ({ property, from, to, place }) => `${place}: the property "${property}" is ${to}, not ${from}.`,
  ),
  ...firstOf(
    'gone',
    gone,
    (place) => `${place}: the file no longer exists; its imported note or file stays.`,
  ),
  ...(skipped.length > 0 ? [`${skipped.length} left out:`] : []),
  ...firstOf('left out', skipped, ({ place, reason }) => `${place}: ${reason}`),
  ...refusalLines(refused),
]
