import { posix } from 'node:path'
import type { Caller } from '../../../context.ts'
import { textsIn, withTexts } from '../../../lib/json-texts.ts'
import { type LinkComment, linkCommentIn } from '../../../lib/link-comments.ts'
import { fold } from '../../../lib/text.ts'
import {
  asLabel,
  bracketed,
  bracketedIn,
  fileTarget,
  isFileTarget,
  linesOutsideCode,
  linkOf,
  namesIn,
  targetIn,
  targetKey,
} from '../../../lib/wiki-links.ts'
import { resolveLink } from '../../../notes/links/resolve-target.ts'
import type { Reader } from '../../../storage/reader.ts'
import { baseName, withoutExtension } from '../plan/files.ts'
import { LinkTargets } from '../plan/link-targets.ts'
import { findTarget } from '../plan/links.ts'
import type { OriginalLink, OriginalLinks } from '../plan/originals.ts'
import type { ExportedFile, ExportedNote, ExportedTree } from './export.ts'

/** Characters that end a wiki link or split its target. */
const NOT_IN_LINKS = /[[\]#^|]/
/** A table may stand in a quotation or in a list. */
const TABLE_ROW = /^[ \t]*(?:(?:>|[-*+][ \t]|\d{1,9}[.)][ \t])[ \t]*)*\|/

interface Place {
  readonly from: ExportedNote
  readonly isEmbed: boolean
  readonly isInTable: boolean
}

/** Rewrites the links of bodies so that they lead to the exported files. */
export class ExportedLinks {
  readonly #targets: LinkTargets<ExportedNote, ExportedFile>
  readonly #notes: ReadonlyMap<number, ExportedNote>
  readonly #files: ReadonlyMap<string, ExportedFile>
  /** The number of paths with each name. */
  readonly #names = new Map<string, number>()

  constructor(
    private readonly reader: Reader,
    private readonly caller: Caller,
    { notes, files }: ExportedTree,
  ) {
    // Obsidian does not resolve titles and aliases.
    const byPathOnly = notes.map((note) => ({ ...note, title: '', aliases: [] }))
    this.#targets = new LinkTargets(byPathOnly, files)
    this.#notes = new Map(notes.map((note) => [note.pk, note]))
    this.#files = new Map(files.map((file) => [fileTarget(file.id), file]))
    for (const { file } of notes) this.#count(withoutExtension(file.path))
    for (const { path } of files) this.#count(path)
  }

  #count(path: string): void {
    const name = fold(baseName(path))
    this.#names.set(name, (this.#names.get(name) ?? 0) + 1)
  }

  /**
   * `originals` gives the links as they stand in the file that the note was imported from. Returns the text of the file,
   * and its links that differ from those of the body.
   */
  rewrite(
    from: ExportedNote,
    body: string,
    originals?: OriginalLinks,
  ): { text: string; links: OriginalLink[] } {
    const links: OriginalLink[] = []
    let result = ''
    let at = 0
    for (const line of linesOutsideCode(body, '[[')) {
      const isInTable = TABLE_ROW.test(line.text)
      for (const { text: inner, start } of bracketedIn(line.text)) {
        const begin = line.start + start - '[['.length
        const end = line.start + start + inner.length + ']]'.length
        if (begin < at) continue
        const isEmbed = body[begin - 1] === '!'
        const comment = linkCommentIn(line.text.slice(end - line.start))
        const original = originals?.find(begin, body.slice(begin, end + comment.length))
        const link =
          original !== undefined && !this.#leadsToMoved(inner)
            ? original
            : this.#linkFor(inner, comment, { from, isEmbed, isInTable })
        const written = body.slice(begin, end + comment.length)
        if (link === undefined || link === written) continue
        links.push({ start: begin, written, original: link })
        result += body.slice(at, begin) + link
        at = begin + written.length
      }
    }
    return { text: result + body.slice(at), links }
  }

  /** A property value with links that lead to the exported files. */
  inValue = (from: ExportedNote, value: unknown): unknown =>
    withTexts(value, (text) => (text.includes('[[') ? this.rewrite(from, text).text : text))

  /** Whether a link in a property value leads to a note or file with another path than at its import. */
  hasMoved = (value: unknown): boolean =>
    textsIn(value).some((text) => bracketed(text).some(({ text: inner }) => this.#leadsToMoved(inner)))

  /** Whether a link leads to an imported note or file whose path is no longer the one in its folder. */
  #leadsToMoved(inner: string): boolean {
    const { target } = partsOf(inner)
    if (isFileTarget(target)) {
      const file = this.#files.get(target)
      return file?.importedPath !== undefined && file.importedPath !== file.path
    }
    const link = linkOf(inner)
    const found = link && resolveLink(this.reader, this.caller.workspacePk, targetKey(link.target))
    const note = found && this.#notes.get(found.pk)
    return note?.importedPath !== undefined && note.importedPath !== note.file.path
  }

  /** The rewritten link; undefined if the link needs no change. */
  #linkFor(inner: string, comment: LinkComment, place: Place): string | undefined {
    const { target, label } = partsOf(inner)
    if (!isFileTarget(target)) return this.#noteLink(inner, comment, place)
    const file = this.#files.get(target)
    return file && this.#fileLink(file, label, comment, place)
  }

  #fileLink(file: ExportedFile, label: string | null, { part, caption }: LinkComment, place: Place): string {
    const own = label === null || label === asLabel(file.fileName) ? null : label
    const shown = place.isEmbed && caption !== '' ? caption : own
    return this.#link(file.path, part, shown, place)
  }

  #noteLink(inner: string, { part }: LinkComment, place: Place): string | undefined {
    const link = linkOf(inner)
    if (!link) return undefined
    const { target, label } = link
    const found = resolveLink(this.reader, this.caller.workspacePk, targetKey(target))
    const note = found && this.#notes.get(found.pk)
    if (!note) return undefined
    const name = namesIn(target)[found.at] ?? target
    const heading = target.slice(name.length) + part
    const { from, isInTable } = place
    const labelPart = label === null || heading !== '' ? undefined : this.#partLeadingTo(from, label, note)
    // An import turns a link to a part into a link with such a label.
    if (label !== null && labelPart) return wikiLink(label, null, isInTable)
    if (this.#partLeadingTo(from, target, note) !== undefined) {
      if (part === '' && !(isInTable && label !== null)) return undefined
      return wikiLink(target + part, label ?? target, isInTable)
    }
    if (label !== null && labelPart !== undefined) return wikiLink(label, null, isInTable)
    const shown = label ?? (fold(name.trim()) === note.id ? note.title : target)
    return this.#link(withoutExtension(note.file.path), heading, shown, place, note.file.path)
  }

  /** The part of the note that a target names, or nothing; undefined if the target does not lead to the note. */
  #partLeadingTo(from: ExportedNote, written: string, note: ExportedNote): string | undefined {
    const found = findTarget(this.#targets, { ...from, title: '', aliases: [] }, written, true)
    return found && 'note' in found.target && found.target.note.pk === note.pk ? found.part : undefined
  }

  /** Links by name if only one path has that name, else by whole path. */
  #link(path: string, part: string, label: string | null, { from, isInTable }: Place, whole = path): string {
    if (NOT_IN_LINKS.test(path)) {
      const relative = posix.relative(posix.dirname(from.file.path), whole)
      const encoded = encodeURI(relative).replace(
        /[#?()[\]]/g,
        (sign) => `%${sign.charCodeAt(0).toString(16)}`,
      )
      return `[${asLabel(label ?? '')}](${encoded}${part.replaceAll(' ', '%20')})`
    }
    const name = baseName(path)
    const target = this.#names.get(fold(name)) === 1 ? name : path
    // A link to a part is shown with that part, unless it has a label.
    return wikiLink(target + part, part === '' && label === target ? null : label, isInTable)
  }
}

function partsOf(inner: string): { readonly target: string; readonly label: string | null } {
  const { target, bar } = targetIn(inner)
  return { target: target.trim(), label: bar === '' ? null : inner.slice(target.length + bar.length) }
}

/** The bar would end a cell in a table row. */
const wikiLink = (target: string, label: string | null, isInTable: boolean): string =>
  label === null ? `[[${target}]]` : `[[${target}${isInTable ? '\\|' : '|'}${label}]]`
