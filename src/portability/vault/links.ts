import { asLabel, bracketedIn, fileTarget, linkOf, type Passage } from '../../notes/links/syntax.ts'
import type { FolderFile } from './folder.ts'
import type { Found, VaultNames } from './names.ts'
import type { VaultNote } from './note.ts'
import { References } from './references.ts'

/** What the links of a body are rewritten with. */
export interface LinkWorld {
  readonly names: VaultNames
  /** Whether the service takes this target to mean the note. */
  means(target: string, note: VaultNote): boolean
  /** The target by which the service finds the note: its title where that is enough, else its id. */
  targetOf(note: VaultNote): string
  /** Keeps the file for the note, if it is not kept yet; undefined when it is refused. */
  keep(file: FolderFile, from: VaultNote): { id: string; fileName: string } | undefined
}

/** A passage of a body and what stands there afterwards. */
interface Replacement {
  readonly start: number
  readonly end: number
  readonly text: string
}

export interface Rewritten {
  readonly body: string
  readonly count: number
}

/**
 * The body with its links made such that the service resolves them, and everything else as it is. `lines` are those
 * outside code (`linesOutsideCode`).
 */
export function rewriteLinks(
  world: LinkWorld,
  from: VaultNote,
  body: string,
  lines: readonly Passage[],
): Rewritten {
  let result = ''
  let at = 0
  let count = 0
  const references = new References(body, lines)
  for (const line of lines) {
    if (!line.text.includes('[')) continue
    const replacements = [
      ...wikiLinks(world, from, line),
      ...markdownLinks(world, from, line, body),
      ...referenceLinks(world, from, line, body, references),
    ]
    for (const { start, end, text } of replacements.sort((left, right) => left.start - right.start)) {
      if (start < at) continue
      result += body.slice(at, start) + text
      at = end
      count += 1
    }
  }
  return { body: result + body.slice(at), count }
}

/** `[[#Heading]]`, `[[Note#Heading]]`, `[[Note^block]]`: the part of a note. */
const PART = /[#^]/g
const MOST_SIGNS = 4
/** Longer than any path. */
const MOST_TARGET = 4_096

interface Target {
  readonly found: Found
  /** What a target says after the name, with its sign. */
  readonly part: string
}

/** A name may hold the signs by which a part is told, so the longest name that is one counts. */
function findTarget(world: LinkWorld, from: VaultNote, target: string, isWiki: boolean): Target | undefined {
  if (target.length > MOST_TARGET) return undefined
  const signs = Array.from(target.matchAll(PART), ({ index }) => index).slice(0, MOST_SIGNS)
  for (const at of [...signs, target.length].reverse()) {
    const [name, part] = [target.slice(0, at), target.slice(at)]
    if (at === 0) return isWiki ? { found: { note: from }, part } : undefined
    const found = world.names.find({ target: name, from: from.file.path, isWiki })
    if (found) return { found, part }
  }
  return undefined
}

function* wikiLinks(world: LinkWorld, from: VaultNote, line: Passage): Generator<Replacement> {
  if (!line.text.includes('[[')) return
  for (const { text: inner, start } of bracketedIn(line.text)) {
    const text = rewrittenWiki(world, from, inner)
    if (text === undefined) continue
    yield { start: line.start + start, end: line.start + start + inner.length, text }
  }
}

/** What comes between the brackets; undefined for a link that stays as it is. */
function rewrittenWiki(world: LinkWorld, from: VaultNote, inner: string): string | undefined {
  const link = linkOf(inner)
  if (!link) return undefined
  // In a table the bar is escaped.
  const target = link.target.replace(/\\$/, '')
  const at = findTarget(world, from, target, true)
  if (!at) return undefined
  if ('file' in at.found) return fileLink(world.keep(at.found.file, from), link.label, at.part)
  if (world.means(link.target, at.found.note)) return undefined
  return noteLink(world, at.found.note, link.label ?? target.trim())
}

function noteLink(world: LinkWorld, note: VaultNote, label: string): string {
  const target = world.targetOf(note)
  return label === target ? target : `${target}|${label}`
}

/** `![[image.png|300x200]]`: how large an embed is shown. */
const SIZE = /^\s*\d+(?:x\d+)?\s*$/

function fileLink(
  kept: ReturnType<LinkWorld['keep']>,
  label: string | null,
  part: string,
): string | undefined {
  if (!kept) return undefined
  const shown = label === null || SIZE.test(label) ? asLabel(kept.fileName + part) : label
  return `${fileTarget(kept.id)}|${shown}`
}

/** `[text](target)` and `[text](<target> "title")`; a target may hold one level of parentheses. */
const MARKDOWN_LINK =
  /\[((?:[^[\]\\]|\\.)*)\]\((?:<([^<>]*)>|([^\s()<>]*(?:\([^\s()]*\)[^\s()]*)*))(?:[ \t]{1,3}(?:"[^"]*"|'[^']*'))?\)/g
/** An address, a place in this page, or nothing at all. */
const ELSEWHERE = /^(?:[a-z][a-z0-9+.-]*:|\/\/|[#?]|\s*$)/i

function* markdownLinks(
  world: LinkWorld,
  from: VaultNote,
  line: Passage,
  body: string,
): Generator<Replacement> {
  if (!line.text.includes('](')) return
  for (const match of line.text.matchAll(MARKDOWN_LINK)) {
    const [whole, shown = '', bracketed, bare = ''] = match
    const start = line.start + match.index
    // Code is blanked out in the line, and stands in the body alone.
    const written = body.slice(start + 1, start + 1 + shown.length)
    const text = rewrittenMarkdown(world, from, bracketed ?? bare, written)
    if (text !== undefined) yield { start, end: start + whole.length, text }
  }
}

function* referenceLinks(
  world: LinkWorld,
  from: VaultNote,
  line: Passage,
  body: string,
  references: References,
): Generator<Replacement> {
  for (const { start: at, length, textLength, target } of references.in(line.text)) {
    const start = line.start + at
    const text = rewrittenMarkdown(world, from, target, body.slice(start + 1, start + 1 + textLength))
    if (text !== undefined) yield { start, end: start + length, text }
  }
}

/** The link in double brackets; undefined for one that leads elsewhere. */
function rewrittenMarkdown(
  world: LinkWorld,
  from: VaultNote,
  target: string,
  text: string,
): string | undefined {
  const at = ELSEWHERE.test(target) ? undefined : findTarget(world, from, decoded(target), false)
  if (!at) return undefined
  const label = plainLabel(text)
  const inner =
    'file' in at.found
      ? fileLink(world.keep(at.found.file, from), label === '' ? null : label, at.part)
      : noteLink(world, at.found.note, label === '' ? world.targetOf(at.found.note) : label)
  return inner === undefined ? undefined : `[[${inner}]]`
}

function decoded(target: string): string {
  const plain = target.replace(/\\([^\w\s])/g, '$1')
  try {
    return decodeURIComponent(plain)
  } catch {
    return plain
  }
}

/** What the text of a link says, in the place of a label. */
const plainLabel = (text: string): string =>
  asLabel(
    text
      .replaceAll('`', '')
      .replace(/\\([^\w\s])/g, '$1')
      .replace(/\p{Cc}+/gu, ' '),
  ).trim()
