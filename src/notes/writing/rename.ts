import type { Caller } from '../../context.ts'
import { memoize } from '../../lib/bounded-cache.ts'
import { refused } from '../../lib/refusal.ts'
import { fold, withCommas } from '../../lib/text.ts'
import {
  distinctLinkKeys,
  isLinkable,
  namesIn,
  targetKey,
  targetText,
  type WikiLink,
  withLinks,
} from '../../lib/wiki-links.ts'
import type { Reader } from '../../storage/reader.ts'
import type { Tx } from '../../storage/writes/transaction.ts'
import { isTooLong } from '../content-length.ts'
import { indexPendingLinks } from '../links/indexing.ts'
import { keysOfName } from '../links/note-links.ts'
import { bytesOfLinkedValues } from '../links/property-links.ts'
import { resolveLink, resolveTarget, resolveTargets } from '../links/resolve-target.ts'
import { furtherAliasesOf, type NoteRow, presentNote } from '../store.ts'
import { setIndexedAliases } from './aliases.ts'
import { bytesOf, type NoteText, notesWithLinks, type Rewritten, replaceEach } from './replace-content.ts'
import { replacePropertyTexts } from './replace-property-texts.ts'
import { applyPatch, getPatchable, type NotePatch } from './update.ts'

/*
 * Gives a note another title or other aliases. The same transaction rewrites the links to the note by the old name, in all
 * notes that contain them, also those in property values. Trashed notes change too, because a restored note must not
 * lose its links.
 */

/** Other writes wait for a rewrite, and the next search waits for the changed notes. */
const MAX_NOTES = 20_000
const MAX_BYTES = 64 * 1024 * 1024

type Name = 'title' | 'alias' | 'further alias'

/** A name that the patch takes from the note. */
interface OldName {
  readonly name: Name
  readonly text: string
}

/** By link key: the name by which the link leads to the note, and the index in `namesIn` of its target. */
type Keys = ReadonlyMap<string, { readonly name: Name; readonly at: number }>
/**
 * Returns the target that replaces an old name, with the heading that follows; undefined if it does not lead to the
 * note.
 */
type Targets = (name: Name, heading: string) => string | undefined

/**
 * Applies the patch to the note, and rewrites the links that lead to it by a changing title or alias. Links by an alias
 * that is removed go to the title.
 */
export function rename(tx: Tx, caller: Caller, id: string, patch: NotePatch) {
  const { workspacePk: workspace } = caller
  const note = getPatchable(tx, caller, id, patch)
  const names = changedNames(note, patch)
  if (names.length === 0) return renamed(applyPatch(tx, caller, note, patch), 0)
  indexPendingLinks(tx, workspace)
  const content = patch.content ?? note.content
  const keys = leadingKeys(tx, workspace, note, names, content)
  const others = notesWithLinks(tx, workspace, [...keys.keys()], MAX_NOTES + 2).filter((pk) => pk !== note.pk)
  const bytes = content.length + bytesOf(tx, others) + bytesOfLinkedValues(tx, [note.pk, ...others])
  if (others.length > MAX_NOTES || bytes > MAX_BYTES) throw tooMany()
  const targets = newTargets(tx, workspace, note, patch)
  const rewrite = (text: string): Rewritten | undefined => {
    const changed = withLinks(text, (link, inner) => rewritten(link, inner, note.id, keys, targets))
    return changed.count === 0 ? undefined : { content: changed.content, links: changed.count }
  }
  const own = rewrite(content)
  if (own && isTooLong(own.content)) throw tooLongWithTitle(note.title)
  const replacement = { rewrite, tooLong: tooLongWithTitle }
  const inProperties = replacePropertyTexts(tx, caller, [note.pk, ...others], replacement)
  const after = applyPatch(tx, caller, note, { ...patch, content: own?.content ?? content })
  const rewriteOther = (other: NoteText) => {
    const replaced = rewrite(other.content)
    if (replaced && isTooLong(replaced.content)) throw tooLongWithTitle(other.title)
    return replaced
  }
  const links = replaceEach(tx, caller, others, rewriteOther)
  return renamed(after, links + inProperties + (own?.links ?? 0))
}

const renamed = (note: NoteRow, links: number) => ({ note: presentNote(note), links_rewritten: links })

const tooMany = () =>
  refused(
    `Links to this note are in more than ${withCommas(MAX_NOTES)} notes, or in more than 64 MiB of text, which are too many to rewrite at once; rename it without "rewrite_links".`,
  )

const tooLongWithTitle = (title: string) =>
  refused(`The note "${title}" links to this one and would be too long with this name; choose a shorter one.`)

/** The current values of the names that the patch changes. A further alias may become the alias. */
function changedNames(note: NoteRow, patch: NotePatch): OldName[] {
  const { title, alias } = note
  const after = namesAfter(note, patch)
  const kept = new Set([after.alias ?? '', ...after.further].map(fold))
  const removed = furtherAliasesOf(note).filter((text) => !kept.has(fold(text)))
  return [
    ...(after.title === title ? [] : [{ name: 'title' as const, text: title }]),
    ...(alias === null || after.alias === alias ? [] : [{ name: 'alias' as const, text: alias }]),
    ...removed.map((text) => ({ name: 'further alias' as const, text })),
  ]
}

/**
 * The keys of links that lead to the note by one of these names, with that name; includes links in its own new text.
 */
function leadingKeys(
  reader: Reader,
  workspace: number,
  note: NoteRow,
  names: readonly OldName[],
  content: string,
): Keys {
  const folded = new Set(names.map(({ text }) => fold(text).trim()))
  const own = [...distinctLinkKeys(content)].filter((key) =>
    namesIn(targetText(key)).some((name) => folded.has(name.trim())),
  )
  const stored = names.flatMap(({ text }) => keysOfName(reader, workspace, text))
  const resolved = resolveTargets(reader, workspace, [...new Set([...stored, ...own])])
  const keys = new Map<string, { name: Name; at: number }>()
  for (const [key, pk] of resolved) {
    const at = pk === note.pk ? resolveLink(reader, workspace, key)?.at : undefined
    const leading = at === undefined ? undefined : nameInKey(key, at, note)
    if (at === undefined || !leading) continue
    const isLeading = ({ name, text }: OldName) => name === leading.name && text === leading.text
    if (names.some(isLeading)) keys.set(key, { name: leading.name, at })
  }
  return keys
}

/** The name by which a link of this key leads to the note; undefined if it leads there by id. */
function nameInKey(key: string, at: number, note: NoteRow): OldName | undefined {
  const { id, title, alias } = note
  const [, whole] = key.split('\n')
  const byTitle = { name: 'title', text: title } as const
  if (at === 0 && whole === fold(title)) return byTitle
  const trimmed = namesIn(targetText(key))[at]?.trim()
  if (trimmed === id) return undefined
  if (alias !== null && trimmed === fold(alias)) return { name: 'alias', text: alias }
  const further = furtherAliasesOf(note).find((name) => fold(name) === trimmed)
  return further === undefined ? byTitle : { name: 'further alias', text: further }
}

const namesAfter = (note: NoteRow, patch: NotePatch) => ({
  title: patch.title ?? note.title,
  alias: patch.alias === undefined ? note.alias : (patch.alias?.trim() ?? null),
  further: patch.aliases?.map((alias) => alias.trim()) ?? furtherAliasesOf(note),
})

function newTargets(tx: Tx, workspace: number, note: NoteRow, patch: NotePatch): Targets {
  const { title, alias, further } = namesAfter(note, patch)
  // The names by which links resolve after the patch.
  tx.sql.run(
    'UPDATE notes SET title_fold = ?, alias_fold = ? WHERE pk = ?',
    fold(title),
    alias === null ? null : fold(alias),
    note.pk,
  )
  setIndexedAliases(tx, workspace, note.pk, further)
  const leading = memoize((name: string) =>
    isLinkable(name) && resolveTarget(tx, workspace, targetKey(name)) === note.pk ? name : null,
  )
  return (name, heading) => leading((name === 'alias' ? (alias ?? title) : title) + heading) ?? undefined
}

/** The new text between the brackets of a link that leads to the note by an old name; undefined for any other link. */
function rewritten(
  { target, label }: WikiLink,
  inner: string,
  id: string,
  keys: Keys,
  targets: Targets,
): string | undefined {
  const leading = keys.get(targetKey(target))
  if (!leading) return undefined
  const heading = target.slice(namesIn(target)[leading.at]?.length ?? target.length)
  const rest = inner.slice(target.length)
  const replaced = targets(leading.name, heading)
  if (replaced !== undefined) return replaced + rest
  return label === null ? `${id}${heading}|${target}` : id + heading + rest
}
