import { codePointLength, fold, hasControlCharacter, normalized } from '../../../lib/text.ts'
import { isTooLong } from '../../../notes/content-length.ts'
import { isFileTarget, linesOutsideCode } from '../../../notes/links/syntax.ts'
import { baseName, type FolderFile } from './folder-files.ts'
import { type LinkContext, rewriteLinks } from './links.ts'
import { nameOf, type VaultNote } from './note.ts'
import type { Remark } from './tags.ts'

const MAX_ALIAS_LENGTH = 200

/** Whether a note may have this alias: `isName` says whether something, or a note of the folder, has that name. */
const isFree = (alias: string, isName: (name: string) => boolean): boolean =>
  codePointLength(alias) <= MAX_ALIAS_LENGTH && !hasControlCharacter(alias) && !isName(alias)

/**
 * The first alias of a note that is no name of another one: an alias takes precedence over a title, so an alias equal to a
 * note's title would take over the links to that note. Links that use its other aliases are rewritten.
 */
export function aliasFor(
  { aliases, title }: VaultNote,
  isName: (name: string) => boolean,
  remark: Remark,
): string | null {
  const free = aliases.find((alias) => isFree(alias, isName)) ?? null
  for (const alias of new Set(aliases)) {
    if (alias === free || fold(alias) === fold(title)) continue
    remark(`the alias "${alias}" is not kept; links that use it are rewritten.`)
  }
  return free
}

/** Characters that would end or split a link, or start code in it. */
const NOT_IN_TARGET = /[[\]|`]/

/** What a link to a note says, with a heading: its title where that leads to it, else its id. */
export function targetFor(
  { title, id }: { readonly title: string; readonly id: string },
  heading: string,
  leadsToIt: (target: string) => boolean,
): string {
  const isUnambiguous =
    !NOT_IN_TARGET.test(title) && !isFileTarget(title.trim()) && leadsToIt(title + heading)
  return (isUnambiguous ? title : id) + heading
}

/** A body without any of these has neither links nor tags. */
const LINK_OR_TAG = /\[\[|\]\(|\]:|#/

/**
 * The body of a note with its links rewritten, of which there are `count`, and its lines outside code as they are in
 * the file.
 */
export function planBody(context: LinkContext, note: VaultNote, written: string, remark: Remark) {
  const lines = LINK_OR_TAG.test(written) ? [...linesOutsideCode(written)] : []
  const { body, count } = rewriteLinks(context, note, written, lines)
  if (!isTooLong(body)) return { lines, body, count }
  remark('its links stay as they are; rewritten they would make it too long.')
  return { lines, body: written, count: 0 }
}

/** The name with which a file is stored. */
export function fileNameFor({ path }: FolderFile, remark: Remark): string {
  const name = nameOf(baseName(path))
  if (name !== normalized(baseName(path), 'NFC')) remark(`its name becomes "${name}".`)
  return name
}
