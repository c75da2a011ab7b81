import { linkComment, NO_COMMENT } from '../../../lib/link-comments.ts'
import type { TextSpan } from '../../../lib/markdown-lines.ts'
import { fold } from '../../../lib/text.ts'
import {
  asLabel,
  bracketedIn,
  fileTarget,
  isOwnHeading,
  linesOutsideCode,
  linkOf,
} from '../../../lib/wiki-links.ts'
import { isTooLong } from '../../../notes/content-length.ts'
import { blockReferences } from './block-references.ts'
import type { FolderFile } from './files.ts'
import type { LinkableNote, LinkTarget, LinkTargets } from './link-targets.ts'
import type { Remark, VaultNote } from './note.ts'
import type { Original, OriginalLink } from './originals.ts'

/** A stored file. */
export interface AddedFile {
  readonly id: string
  readonly fileName: string
}

export interface LinkContext {
  /** Resolves links within the folder. */
  readonly linkTargets: LinkTargets
  /** Whether the service resolves this target to the note. */
  resolvesTo(target: string, note: VaultNote): boolean
  /** Whether the service resolves this target to no note. */
  isNoName(target: string): boolean
  /** A target that the service resolves to the note, followed by the heading: the title if unambiguous, else the id. */
  targetFor(note: VaultNote, heading?: string): string
  /** Adds the file, attached to `from`, unless it was added before. Returns undefined if the file is refused. */
  addFile(file: FolderFile, from: VaultNote): AddedFile | undefined
}

/** The text that replaces a part of a body. */
interface Replacement {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** A body without a match has neither links nor tags. */
const LINK_OR_TAG = /\[\[|\]\(|\]:|#|\(\(/

/**
 * Plans the body of a note, given the text of its file. Returns the body with rewritten links, what an export needs to
 * write the file back, and the lines of the file's body outside code.
 */
export function planBody(context: LinkContext, note: VaultNote, text: string, remark: Remark) {
  const { bodyStart, mark, fileTitle } = note
  const written = text.slice(bodyStart)
  const original: Original = {
    front: text.slice(0, bodyStart),
    links: [],
    ...(mark && { mark }),
    ...(fileTitle !== undefined && { fileTitle }),
  }
  const lines = LINK_OR_TAG.test(written) ? [...linesOutsideCode(written)] : []
  const { body, links } = rewriteLinks(context, note, written, lines)
  if (!isTooLong(body)) return { lines, body, original: { ...original, links } }
  remark('its links stay as they are; rewritten they would make it too long.')
  return { lines, body: written, original }
}

/**
 * Rewrites links so that the service resolves them to their targets in the folder. Returns the body, otherwise
 * unchanged, and the originals of the changed links. `lines` are the lines outside code (`linesOutsideCode`).
 */
export function rewriteLinks(
  context: LinkContext,
  from: VaultNote,
  body: string,
  lines: readonly TextSpan[],
) {
  let result = ''
  let at = 0
  const links: OriginalLink[] = []
  const definitions = new LinkDefinitions(body, lines)
  for (const paragraph of paragraphsOf(body, lines)) {
    if (!/\[|\(\(/.test(paragraph.text)) continue
    const replacements = [
      ...paragraph.lines.flatMap((line) => [
        ...wikiLinks(context, from, line),
        ...referenceLinks(context, from, line, body, definitions),
        ...blockReferences(context, line),
      ]),
      ...markdownLinks(context, from, paragraph, body),
    ]
    for (const { start, end, text } of replacements.sort((left, right) => left.start - right.start)) {
      if (start < at) continue
      result += body.slice(at, start)
      // A comment of the file's author does not belong to the link.
      const isBeforeComment = !text.endsWith('-->') && body.startsWith('<!-- ', end)
      const link = isBeforeComment ? text + NO_COMMENT : text
      links.push({ start: result.length, written: link, original: body.slice(start, end) })
      result += link
      at = end
    }
  }
  return { body: result + body.slice(at), links }
}

interface Paragraph extends TextSpan {
  readonly lines: readonly TextSpan[]
}

/** Groups consecutive lines up to a blank one: the text of a link may continue on the next line. */
function* paragraphsOf(body: string, all: readonly TextSpan[]): Generator<Paragraph> {
  let lines: TextSpan[] = []
  let text = ''
  let end = -1
  for (const line of all) {
    const follows = line.start === end + 1 && !(line.text.trim() === '' && body[end] === '\n')
    if (lines.length > 0 && !follows) {
      yield { text, start: lines[0]?.start ?? 0, lines }
      lines = []
      text = ''
    }
    text += lines.length === 0 ? line.text : `${body[end]}${line.text}`
    lines.push(line)
    end = line.start + line.text.length
  }
  if (lines.length > 0) yield { text, start: lines[0]?.start ?? 0, lines }
}

/** The signs before the part of a note: `[[#Heading]]`, `[[Note#Heading]]`, `[[Note^block]]`. */
const PART_SIGN = /[#^]/g
const MAX_PART_SIGNS = 4
/** Longer than any path. */
const MAX_TARGET_LENGTH = 4_096

interface FoundTarget<Target> {
  readonly target: Target
  /** The part after the name, with its sign: `#Heading`, `^block` or nothing. */
  readonly part: string
}

/** Names may contain part signs themselves, so the longest existing name matches. */
export function findTarget<Note extends LinkableNote, File extends { readonly path: string }>(
  linkTargets: LinkTargets<Note, File>,
  from: Note,
  written: string,
  isWiki: boolean,
): FoundTarget<LinkTarget<Note, File>> | undefined {
  if (written.length > MAX_TARGET_LENGTH) return undefined
  const signs = Array.from(written.matchAll(PART_SIGN), ({ index }) => index).slice(0, MAX_PART_SIGNS)
  for (const end of [...signs, written.length].reverse()) {
    const [name, part] = [written.slice(0, end), written.slice(end)]
    if (end === 0) return isWiki ? { target: { note: from }, part } : undefined
    const target = linkTargets.find({ target: name, from: from.file.path, isWiki })
    if (target) return { target, part }
  }
  return undefined
}

function* wikiLinks(context: LinkContext, from: VaultNote, line: TextSpan): Generator<Replacement> {
  if (!line.text.includes('[[')) return
  for (const { text: inner, start } of bracketedIn(line.text)) {
    const isEmbed = line.text[start - '![['.length] === '!'
    const text = rewrittenWikiLink(context, from, inner, isEmbed)
    if (text === undefined) continue
    const begin = line.start + start - '[['.length
    yield { start: begin, end: begin + '[[]]'.length + inner.length, text }
  }
}

/** The rewritten link; undefined if the link needs no change. */
function rewrittenWikiLink(
  context: LinkContext,
  from: VaultNote,
  inner: string,
  isEmbed: boolean,
): string | undefined {
  const link = linkOf(inner)
  if (!link) return undefined
  const { target: written, label, isEscaped } = link
  const found = findTarget(context.linkTargets, from, written, true)
  if (!found) return undefined
  const { target, part } = found
  if ('file' in target) return fileLink(context, from, target.file, { label, part, isEmbed, isEscaped })
  if (isResolved(context, from, written, target.note)) return undefined
  if (label !== null) return noteLink(context, target.note, label, part, isEscaped)
  return noteLink(context, target.note, written.trim(), part.startsWith('#') ? part : '')
}

/** Whether the service resolves the link as the folder does. */
function isResolved(context: LinkContext, from: VaultNote, written: string, note: VaultNote): boolean {
  const isOwn = note === from && isOwnHeading(written) && context.isNoName(written)
  return isOwn || context.resolvesTo(written, note)
}

/** The rewritten link of a property value; undefined if it needs no change. Block marks are left out. */
export function rewrittenPropertyLink(
  context: LinkContext,
  from: VaultNote,
  inner: string,
): string | undefined {
  const link = linkOf(inner)
  const found = link && findTarget(context.linkTargets, from, link.target, true)
  if (!found || 'file' in found.target) return undefined
  const { target, label } = link
  if (isResolved(context, from, target, found.target.note)) return undefined
  return plainNoteLink(context, found.target.note, label ?? target.trim(), found.part)
}

/** Characters that would end a link, or start its label or code. */
const NOT_IN_HEADING: Readonly<Record<string, string>> = { '[': '(', ']': ')', '|': '-', '`': "'" }

const isHeading = (part: string): boolean => part.startsWith('#')

/** The service does not support block marks, so they go into a comment. */
const noteLink = (
  context: LinkContext,
  note: VaultNote,
  label: string | null,
  part: string,
  isEscaped = false,
): string =>
  plainNoteLink(context, note, label, part, isEscaped) +
  (isHeading(part) ? '' : linkComment({ part, caption: '' }))

/** A heading becomes part of the target. */
function plainNoteLink(
  context: LinkContext,
  note: VaultNote,
  label: string | null,
  part: string,
  isEscaped = false,
): string {
  const heading = isHeading(part) ? part.replace(/[[\]|`]/g, (sign) => NOT_IN_HEADING[sign] ?? '') : ''
  const target = context.targetFor(note, heading)
  return `[[${label === null || label === target ? target : `${target}${labelled(label, isEscaped)}`}]]`
}

/** The bar and the label, as they were written: in tables, the bars are escaped. */
const labelled = (label: string, isEscaped: boolean): string =>
  isEscaped ? `|${label}`.replaceAll('|', '\\|') : `|${label}`

interface FileLink {
  readonly label: string | null
  readonly part: string
  readonly isEmbed: boolean
  readonly isEscaped?: boolean
}

/** An embedded file is labelled with its name; its caption or size follows the link. */
function fileLink(
  context: LinkContext,
  from: VaultNote,
  target: FolderFile,
  { label, part, isEmbed, isEscaped = false }: FileLink,
): string | undefined {
  const file = context.addFile(target, from)
  if (!file) return undefined
  const name = asLabel(file.fileName)
  const caption = isEmbed && label !== null && label !== name ? label : ''
  const shown = isEmbed ? name : (label ?? name)
  return `[[${fileTarget(file.id)}${labelled(shown, isEscaped)}]]${linkComment({ part, caption })}`
}

/**
 * `[text](target)` and `[text](<target> "title")`; a target may contain one level of parentheses. Also matches escaped
 * characters, which start no link.
 */
const MARKDOWN_LINK =
  /\\.|\[((?:[^[\]\\]|\\.)*)\]\((?:<([^<>]*)>|([^\s()<>]*(?:\([^\s()]*\)[^\s()]*)*))(?:[ \t]{1,3}(?:"[^"]*"|'[^']*'))?\)/g
/** A line that cannot continue the text of a link: a list item, a quotation, a heading. */
const NEXT_BLOCK = /[\r\n][ \t]*(?:[-*+>#|]|\d{1,9}[.)])/
/** A URL, an anchor in the same page, or an empty target. */
const NOT_A_PATH = /^(?:[a-z][a-z0-9+.-]*:|\/\/|[#?]|\s*$)/i

function* markdownLinks(
  context: LinkContext,
  from: VaultNote,
  line: TextSpan,
  body: string,
): Generator<Replacement> {
  if (!line.text.includes('](')) return
  for (const match of line.text.matchAll(MARKDOWN_LINK)) {
    const [whole, label = '', bracketed, bare = ''] = match
    if (whole.startsWith('\\')) continue
    const start = line.start + match.index
    // Code is blanked out in the line; the body has the label as written.
    const writtenLabel = body.slice(start + 1, start + 1 + label.length)
    if (NEXT_BLOCK.test(writtenLabel)) continue
    const text = rewrittenMarkdownLink(context, from, bracketed ?? bare, {
      writtenLabel,
      isEmbed: line.text[match.index - 1] === '!',
    })
    if (text !== undefined) yield { start, end: start + whole.length, text }
  }
}

function* referenceLinks(
  context: LinkContext,
  from: VaultNote,
  line: TextSpan,
  body: string,
  definitions: LinkDefinitions,
): Generator<Replacement> {
  for (const { start: at, length, labelLength, target } of definitions.linksIn(line.text)) {
    const start = line.start + at
    const writtenLabel = body.slice(start + 1, start + 1 + labelLength)
    const isEmbed = line.text[at - 1] === '!'
    const text = rewrittenMarkdownLink(context, from, target, { writtenLabel, isEmbed })
    if (text !== undefined) yield { start, end: start + length, text }
  }
}

/** The link in double brackets; undefined for a link that leads out of the folder. */
function rewrittenMarkdownLink(
  context: LinkContext,
  from: VaultNote,
  written: string,
  { writtenLabel, isEmbed }: { writtenLabel: string; isEmbed: boolean },
): string | undefined {
  const found = NOT_A_PATH.test(written)
    ? undefined
    : findTarget(context.linkTargets, from, decoded(written), false)
  if (!found) return undefined
  const { target, part } = found
  const text = plainLabel(writtenLabel)
  const label = text === '' ? null : text
  return 'file' in target
    ? fileLink(context, from, target.file, { label, part, isEmbed })
    : noteLink(context, target.note, label, part)
}

function decoded(target: string): string {
  const unescaped = target.replace(/\\([^\w\s])/g, '$1')
  try {
    return decodeURIComponent(unescaped)
  } catch {
    return unescaped
  }
}

/** The label of a Markdown link without its markup. */
const plainLabel = (text: string): string =>
  asLabel(
    text
      .replaceAll('`', '')
      .replace(/\\([^\w\s])/g, '$1')
      .replace(/\p{Cc}[\p{Cc} ]*/gu, ' '),
  ).trim()

/** `[label]: target "title"` on a line of its own, also in a quotation. Labels of footnotes begin with `^`. */
const DEFINITION =
  /^[ >]{0,8}\[((?!\^)(?:[^[\]\\]|\\.){1,999})\]:[ \t]{0,8}(?:<([^<>]*)>|([^\s<]\S*))(?:[ \t]{1,8}(?:"[^"]*"|'[^']*'|\([^()]*\)))?[ \t]*$/
/** `[text][label]`, `[label][]` or `[label]`, but not a link of another form or a part of one. */
const REFERENCE_LINK = /(?<![[\]\\])\[((?:[^[\]\\]|\\.)*)\](?:\[((?:[^[\]\\]|\\.)*)\]|(?![[(]))/g
/** Stands for blanked-out code in a line. Labels with code are not supported. */
const BLANKED_CODE = '\0'

interface ReferenceLink {
  /** Its offset in the line. */
  readonly start: number
  readonly length: number
  /** The length of the text in its first brackets. */
  readonly labelLength: number
  readonly target: string
}

/** CommonMark compares labels ignoring case and the amount of white space. */
const labelKey = (label: string): string => fold(label).trim().replace(/\s+/g, ' ')

/** The link reference definitions of a body. The first definition of a label takes precedence. */
class LinkDefinitions {
  readonly #targets = new Map<string, string>()

  constructor(body: string, lines: readonly TextSpan[]) {
    if (!body.includes(']:')) return
    for (const { text } of lines) {
      const [, label, bracketed, bare = ''] = DEFINITION.exec(text) ?? []
      if (label === undefined || label.includes(BLANKED_CODE)) continue
      const key = labelKey(label)
      if (!this.#targets.has(key)) this.#targets.set(key, bracketed ?? bare)
    }
  }

  *linksIn(line: string): Generator<ReferenceLink> {
    if (this.#targets.size === 0 || DEFINITION.test(line)) return
    for (const { 0: whole, 1: text = '', 2: label, index } of line.matchAll(REFERENCE_LINK)) {
      const target = this.#targets.get(labelKey(label || text))
      if (target === undefined) continue
      yield { start: index, length: whole.length, labelLength: text.length, target }
    }
  }
}
