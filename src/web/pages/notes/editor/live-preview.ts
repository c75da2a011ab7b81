import {
  Compartment,
  type EditorState,
  type Extension,
  type Range,
  StateEffect,
  StateField,
} from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view'
import type { SyntaxNode, SyntaxNodeRef } from '@lezer/common'
import { fileIdOf } from '../../../../lib/markdown-links.ts'
import { type Links, ownImage } from '../preview/tokens.ts'
import { loadedTables } from './load-tables.ts'
import { MARKS } from './markdown.ts'
import { noteCards } from './note-card.ts'
import { hasNewSyntax, syntaxTree } from './syntax.ts'
import { linkAt, partsOfWikiLink, targetOf } from './targets.ts'
import { CopyCode, Formula, Ornament, Picture, TaskBox } from './widgets.ts'

/*
 * The live preview hides Markdown marks, except on lines that the selection touches. It consists only of decorations of
 * the visible text; the text itself never changes.
 */

const NO_LINKS: Links = new Map()
const setLinks = StateEffect.define<Links>()

/** The targets of the text's links, keyed by lower-case link text. */
type TakenLink = readonly [key: string, note: NonNullable<ReturnType<Links['get']>>]

/** Links taken from the completion, whose notes exist before the server has read the text. */
const takeLink = StateEffect.define<TakenLink>()

const withLink = (links: Links, [key, note]: TakenLink): Links => new Map(links).set(key, note)

export const takenLinks = StateField.define<Links>({
  create: () => NO_LINKS,
  update: (links, { effects }) =>
    effects.reduce((found, effect) => (effect.is(takeLink) ? withLink(found, effect.value) : found), links),
})

export const linkTargets = StateField.define<Links>({
  create: () => NO_LINKS,
  update: (links, { effects, startState }) =>
    effects.reduce((found, effect) => {
      if (effect.is(takeLink)) return withLink(found, effect.value)
      return effect.is(setLinks) ? new Map([...startState.field(takenLinks), ...effect.value]) : found
    }, links),
})

/** Shows a link as one to an existing note, also while the server knows an older text. */
export const showTakenLink = (view: EditorView, ...link: TakenLink) =>
  view.dispatch({ effects: takeLink.of(link) })

export const showLinks = (view: EditorView, links: Links) => view.dispatch({ effects: setLinks.of(links) })

const HIDDEN = Decoration.replace({})
const AUTO_DIRECTION = Decoration.line({ attributes: { dir: 'auto' } })
/** In longer lines without a letter, browsers search for one again on every change. */
const MAX_AUTO_LINE = 10_000
const IMAGE_NAME = /\.(png|jpe?g|gif|webp|avif|svg)$/i
const CALLOUT = /^([ \t]*>[ \t]*)\[!(\w{1,30})\][-+]?/

type Decorations = Range<Decoration>[]

interface Scene {
  readonly state: EditorState
  /** The visible range. */
  readonly from: number
  readonly to: number
  readonly links: Links
  /** True if the selection touches a line of the range. */
  readonly isTouched: (from: number, to: number) => boolean
  readonly out: Decorations
}

/** Adds a class to each visible line of a range. */
function lineClass(scene: Scene, from: number, to: number, name: string) {
  const { doc } = scene.state
  const end = Math.min(to, scene.to)
  for (let line = doc.lineAt(Math.max(from, scene.from)); ; line = doc.lineAt(line.to + 1)) {
    scene.out.push(Decoration.line({ class: name }).range(line.from))
    if (line.to >= end) return
  }
}

/** A view plugin can only replace text within one line. */
const isOnOneLine = ({ doc }: EditorState, from: number, to: number) => doc.lineAt(from).to >= to

function hide({ state, out }: Scene, from: number, to: number) {
  if (to > from && isOnOneLine(state, from, to)) out.push(HIDDEN.range(from, to))
}

/** Hides a mark and the blanks after it. */
function hideWithBlank(scene: Scene, from: number, to: number) {
  const { doc } = scene.state
  const rest = doc.sliceString(to, Math.min(doc.lineAt(to).to, to + 4))
  hide(scene, from, to + (/^[ \t]*/.exec(rest)?.[0].length ?? 0))
}

function heading(scene: Scene, { name, from, to, node }: SyntaxNodeRef, level: string) {
  lineClass(scene, from, to, `md-h md-h${level}`)
  if (scene.isTouched(from, to)) return
  const mark = node.getChild('HeaderMark')
  if (mark && name.startsWith('ATX')) hideWithBlank(scene, mark.from, mark.to)
}

function quote(scene: Scene, { from, to }: SyntaxNodeRef) {
  const { doc } = scene.state
  const line = doc.lineAt(from)
  const [whole, before = '', kind] = CALLOUT.exec(line.text) ?? []
  lineClass(scene, from, to, kind ? `md-quoted md-callout md-${kind.toLowerCase()}` : 'md-quoted')
  if (kind) {
    scene.out.push(Decoration.line({ class: 'md-callout-first' }).range(line.from))
    scene.out.push(Decoration.line({ class: 'md-callout-last' }).range(doc.lineAt(to).from))
  }
  if (!kind || whole === undefined || scene.isTouched(from, line.to)) return
  const widget = new Ornament('callout-name', kind.charAt(0).toUpperCase() + kind.slice(1))
  const start = line.from + before.length
  scene.out.push(Decoration.replace({ widget }).range(start, line.from + whole.length))
}

const MAX_LEVEL = 8
const BULLETS = ['•', '◦', '▪']

/** The depth of a list item, 1 for items of no other one. */
function levelOf(mark: SyntaxNode): number {
  let level = 0
  for (let node = mark.parent; node; node = node.parent)
    if (node.name === 'BulletList' || node.name === 'OrderedList') level++
  return Math.min(MAX_LEVEL, Math.max(1, level))
}

/** Replaces the mark of a list item by a bullet or a task's checkbox, and its blanks by the indent of its level. */
function listMark(scene: Scene, { from, to, node }: SyntaxNodeRef) {
  const { state, out } = scene
  const task = node.parent?.getChild('Task')?.getChild('TaskMarker')
  const line = state.doc.lineAt(from)
  const level = levelOf(node)
  scene.out.push(Decoration.line({ class: `md-item md-level-${level}` }).range(line.from))
  if (from > line.from && state.sliceDoc(line.from, from).trim() === '') hide(scene, line.from, from)
  if (task) {
    const isDone = state.sliceDoc(task.from, task.to) !== '[ ]'
    if (isDone) out.push(Decoration.line({ class: 'md-done' }).range(line.from))
    if (scene.isTouched(from, to) || task.to > line.to) return
    out.push(Decoration.replace({ widget: new TaskBox(isDone, state.readOnly) }).range(from, task.to))
  } else if (node.parent?.parent?.name === 'BulletList' && !scene.isTouched(from, to))
    out.push(
      Decoration.replace({ widget: new Ornament('bullet', BULLETS[(level - 1) % BULLETS.length]) }).range(
        from,
        to,
      ),
    )
}

/** Shows a picture instead of its Markdown, or beside it while the Markdown is edited. */
function picture(scene: Scene, { from, to }: SyntaxNodeRef, source: string, name: string) {
  const widget = new Picture(source, name)
  scene.out.push(
    scene.isTouched(from, to) || !isOnOneLine(scene.state, from, to)
      ? Decoration.widget({ widget, side: 1 }).range(to)
      : Decoration.replace({ widget }).range(from, to),
  )
}

/** Returns true if the whole link was replaced, so that its children need no decoration. */
function wikiLink(scene: Scene, reference: SyntaxNodeRef): boolean {
  const { from, to, node } = reference
  const text = scene.state.sliceDoc(from, to)
  const { target, label } = partsOfWikiLink(text) ?? { target: '', label: undefined }
  const file = fileIdOf(target)
  if (file !== undefined && (text.startsWith('!') || IMAGE_NAME.test(label ?? ''))) {
    picture(scene, reference, `/v1/files/${file}/content`, label ?? '')
    return true
  }
  link(scene, node)
  return false
}

function link(scene: Scene, node: SyntaxNode) {
  const { state, links, out } = scene
  const target = targetOf(state, node, links)
  if (!target) return
  const { href, isOutside } = target
  const attributes: Record<string, string> =
    href === undefined ? { title: 'No note with this title yet' } : { href }
  const name = href === undefined ? 'md-dead' : isOutside ? 'md-to md-outside' : 'md-to'
  const tagName = href === undefined ? 'span' : 'a'
  out.push(Decoration.mark({ tagName, class: name, attributes }).range(node.from, node.to))
}

function image(scene: Scene, reference: SyntaxNodeRef): boolean {
  const { state } = scene
  const url = reference.node.getChild('URL')
  const source = url && ownImage(state.sliceDoc(url.from, url.to))
  if (!source) return false
  const [, name = ''] = /^!\[([^\]]*)\]/.exec(state.sliceDoc(reference.from, reference.to)) ?? []
  picture(scene, reference, source, name)
  return true
}

function fencedCode(scene: Scene, { from, to, node }: SyntaxNodeRef) {
  lineClass(scene, from, to, 'md-code-line')
  if (scene.isTouched(from, to)) return
  const { doc } = scene.state
  const marks = node.getChildren('CodeMark')
  for (const mark of marks) {
    const line = doc.lineAt(mark.from)
    const isEnd = mark.from > from
    scene.out.push(Decoration.line({ class: isEnd ? 'md-fence md-fence-end' : 'md-fence' }).range(line.from))
    hide(scene, mark.from, mark.to)
  }
  const code = node.getChild('CodeText')
  const first = doc.lineAt(from)
  if (code && first.from >= scene.from)
    scene.out.push(Decoration.widget({ widget: new CopyCode(code.from, code.to), side: 1 }).range(first.to))
}

/**
 * Draws a formula instead of its source. One on several lines stands in the first; the others have no height. Returns
 * false for one that stays source.
 */
function formula(scene: Scene, { from, to, node }: SyntaxNodeRef): boolean {
  if (scene.isTouched(from, to)) return false
  const { state, out } = scene
  const [open, close] = node.getChildren('MathMark')
  if (!open || !close) return false
  // In a quotation, its marks are between the lines.
  const quotes = node.getChildren('QuoteMark')
  const ends = [...quotes.map((mark) => mark.from), close.from]
  const text = [open, ...quotes]
    .map((mark, at) => state.sliceDoc(mark.to, ends[at]))
    .join('')
    .trim()
  const widget = new Formula(text, open.to - open.from === 2)
  const first = state.doc.lineAt(from)
  out.push(Decoration.replace({ widget }).range(from, Math.min(to, first.to)))
  for (let end = first.to; end < to; ) {
    const line = state.doc.lineAt(end + 1)
    end = line.to
    const isWhole = to >= line.to
    if (isWhole) out.push(Decoration.line({ class: 'md-formula-rest' }).range(line.from))
    hide(scene, line.from, Math.min(to, line.to))
  }
  return true
}

/** Decorates a node. Returns false if its children need no decoration. */
function decorate(scene: Scene, reference: SyntaxNodeRef): boolean {
  const { name, from, to, node } = reference
  const level = /^(?:ATX|Setext)Heading(\d)$/.exec(name)?.[1]
  if (level) heading(scene, reference, level)
  switch (name) {
    case 'Blockquote':
      quote(scene, reference)
      return true
    case 'QuoteMark':
      if (!scene.isTouched(from, to)) hideWithBlank(scene, from, to)
      return true
    case 'ListMark':
      listMark(scene, reference)
      return true
    case 'FencedCode':
      fencedCode(scene, reference)
      return false
    case 'CodeBlock':
      lineClass(scene, from, to, 'md-code-line')
      return false
    case 'HorizontalRule':
      if (!scene.isTouched(from, to))
        scene.out.push(Decoration.replace({ widget: new Ornament('rule') }).range(from, to))
      return false
    case 'Math':
      // The marks within would be hidden in place of the formula.
      return !formula(scene, reference)
    case 'WikiLink':
      return !wikiLink(scene, reference)
    case 'Image':
      return !image(scene, reference)
    case 'Link':
      // Brackets without an address are plain text.
      if (!node.getChild('URL')) return false
      link(scene, node)
      return true
    case 'Autolink':
      link(scene, node)
      return true
    case 'URL':
      if (node.parent?.name !== 'Link' && node.parent?.name !== 'Autolink') link(scene, node)
      else if (node.parent.name === 'Link' && !scene.isTouched(from, to)) hide(scene, from, to)
      return false
    case 'Escape':
      if (!scene.isTouched(from, to)) hide(scene, from, from + 1)
      return false
    default:
      if (MARKS.has(name) && !scene.isTouched(from, to)) hide(scene, from, to)
      return true
  }
}

/** True if the selection touches a line of the range; always false without focus. */
const touching =
  ({ state, hasFocus }: EditorView) =>
  (from: number, to: number): boolean => {
    const start = state.doc.lineAt(from).from
    const end = state.doc.lineAt(to).to
    return hasFocus && state.selection.ranges.some((range) => range.from <= end && range.to >= start)
  }

/** In a table, marks are visible only where the selection touches them, not in the whole row. */
const touchingExactly =
  ({ state, hasFocus }: EditorView) =>
  (from: number, to: number): boolean =>
    hasFocus && state.selection.ranges.some((range) => range.from <= to && range.to >= from)

function decorationsOf(view: EditorView): DecorationSet {
  const { state } = view
  const out: Decorations = []
  const known = { state, links: state.field(linkTargets), isTouched: touching(view), out }
  for (const { from, to } of view.visibleRanges) {
    const scene: Scene = { ...known, from, to }
    for (let pos = from; pos <= to; ) {
      const line = state.doc.lineAt(pos)
      if (line.length <= MAX_AUTO_LINE) out.push(AUTO_DIRECTION.range(line.from))
      pos = line.to + 1
    }
    let current = scene
    syntaxTree(state).iterate({
      from,
      to,
      enter: (reference) => {
        if (reference.name === 'TableCell') current = { ...scene, isTouched: touchingExactly(view) }
        return decorate(current, reference)
      },
      leave: ({ name }) => {
        if (name === 'TableCell') current = scene
      },
    })
  }
  return Decoration.set(out, true)
}

const hasNewLinks = ({ startState, state }: ViewUpdate) =>
  startState.field(linkTargets) !== state.field(linkTargets)

const decorations = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet
    constructor(view: EditorView) {
      this.decorations = decorationsOf(view)
    }
    update(update: ViewUpdate) {
      if (hasNewSyntax(update) || update.selectionSet || update.focusChanged || hasNewLinks(update))
        this.decorations = decorationsOf(update.view)
    }
  },
  { decorations: (plugin) => plugin.decorations },
)

/** Follows a link on click. The cursor enters a link by keyboard or by a click beside it. */
const clickHandlers = (follow: (href: string, isOutside: boolean) => void) =>
  EditorView.domEventHandlers({
    mousedown: (event) => event.button === 0 && linkUnder(event) !== undefined,
    click: (event) => {
      const href = linkUnder(event)?.getAttribute('href')
      if (!href || event.button !== 0) return false
      event.preventDefault()
      follow(href, linkUnder(event)?.classList.contains('md-outside') ?? false)
      return true
    },
  })

function linkUnder({ target }: Event): Element | undefined {
  return (target instanceof Element && target.closest('a.md-to')) || undefined
}

/** Follows the link pos the cursor; returns false if there is none. */
export const followLink =
  (follow: (href: string, isOutside: boolean) => void) =>
  ({ state }: EditorView): boolean => {
    const target = linkAt(state, state.selection.main.head, state.field(linkTargets))
    if (target?.href === undefined) return false
    follow(target.href, target.isOutside)
    return true
  }

/** Holds the tables of the preview; empty until their code is loaded. */
export const previewedTables = new Compartment()

/** The live preview; `follow` is called with the address of a clicked link. */
export const livePreview = (follow: (href: string, isOutside: boolean) => void): Extension => [
  decorations,
  previewedTables.of(loadedTables()?.previewedTables ?? []),
  clickHandlers(follow),
  noteCards((state) => state.field(linkTargets)),
  EditorView.perLineTextDirection.of(true),
]
