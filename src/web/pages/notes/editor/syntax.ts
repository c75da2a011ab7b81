import { DocInput } from '@codemirror/language'
import {
  type EditorState,
  type Extension,
  Prec,
  RangeSetBuilder,
  StateEffect,
  StateField,
  type Text,
  type Transaction,
} from '@codemirror/state'
import {
  Decoration,
  type DecorationSet,
  type EditorView,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view'
import { type NodeType, Tree, TreeFragment } from '@lezer/common'
import { highlightTree } from '@lezer/highlight'
import { BlockReader } from '../../../../lib/markdown-lines.ts'
import { onLanguage } from '../code/languages.ts'
import { highlighting, parser } from './markdown.ts'

/*
 * Parses only a window around the visible text. A key press costs time in proportion to the window, not to the text, and
 * visible text always has its syntax.
 */

/** Characters parsed before and after the visible range. */
const MARGIN = 20_000
/** If more is visible, as in one endless line, only its beginning is parsed. */
const MAX_VISIBLE = MARGIN
/** A window that grows beyond this is rebuilt. */
const MAX_WINDOW = 8 * MARGIN
/** Time limit for parsing a window; the rest stays plain. */
const MAX_MS = 500

interface TextRange {
  readonly from: number
  readonly to: number
}

interface Window extends TextRange {
  /** Positions refer to the whole text; there are no nodes outside the window. */
  readonly tree: Tree
  /** Reusable parts for the next parse. */
  readonly fragments: readonly TreeFragment[]
  /** End of a code block that began before the window; parsing starts there. */
  readonly codeEnd: number
}

const typeNamed = (name: string) => parser.nodeSet.types.find((type) => type.name === name) as NodeType
const DOCUMENT = typeNamed('Document')
const FENCED_CODE = typeNamed('FencedCode')
const CODE_TEXT = typeNamed('CodeText')

const codeOf = (length: number) => new Tree(FENCED_CODE, [new Tree(CODE_TEXT, [], [], length)], [0], length)

/** The start of a window: after a blank line, searched pos most MARGIN further back. */
function startOf(doc: Text, pos: number): number {
  const target = Math.max(0, pos - MARGIN)
  let line = doc.lineAt(target)
  // The line is longer than the window.
  if (target - line.from > MARGIN) return target
  while (line.number > 1 && target - line.from < MARGIN && line.text.trim() !== '')
    line = doc.line(line.number - 1)
  return line.from
}

/** The end of a code block that is open pos `from`, else `from`. */
function endOfCode(doc: Text, from: number, to: number): number {
  const reader = new BlockReader()
  let isOpen = false
  let pos = 0
  for (const line of doc.iterLines()) {
    if (pos >= from && !isOpen) return from
    const { kind } = reader.read(line)
    const isCode: boolean = isOpen && (kind === 'fenced' || kind === 'fence')
    if (pos >= from && !isCode) return Math.max(from, Math.min(to, pos - 1))
    if (pos >= from && kind === 'fence') return Math.min(to, pos + line.length)
    isOpen = kind === 'fence' ? !isOpen : isCode
    pos += line.length + 1
    if (pos >= to) break
  }
  return isOpen ? to : from
}

/** Parses in steps end the time limit. */
function parsedInTime(doc: Text, range: TextRange, known: readonly TreeFragment[]) {
  const parse = parser.startParse(new DocInput(doc), known, [range])
  const end = performance.now() + MAX_MS
  for (;;) {
    const tree = parse.advance()
    if (tree) return { tree, isComplete: parse.stoppedAt === null }
    if (parse.stoppedAt === null && performance.now() > end) parse.stopAt(parse.parsedPos)
  }
}

/** Parses a window, reusing unchanged parts. */
function parseWindow(
  doc: Text,
  { from, to, codeEnd }: TextRange & { codeEnd: number },
  known: readonly TreeFragment[],
) {
  const code = codeEnd > from ? [codeOf(codeEnd - from)] : []
  const { tree: parsed, isComplete } =
    codeEnd < to ? parsedInTime(doc, { from: codeEnd, to }, known) : { tree: Tree.empty, isComplete: true }
  const tree = new Tree(
    DOCUMENT,
    [...code, ...parsed.children],
    [...code.map(() => from), ...parsed.positions.map((pos) => pos + codeEnd)],
    to,
  )
  return {
    from,
    to,
    codeEnd,
    tree,
    fragments: TreeFragment.addTree(tree, known, to < doc.length || !isComplete),
  }
}

function windowAt(doc: Text, { from: pos, to: end }: TextRange): Window {
  const from = startOf(doc, pos)
  const to = Math.min(doc.length, end + MARGIN)
  return parseWindow(doc, { from, to, codeEnd: from === 0 ? 0 : endOfCode(doc, from, to) }, [])
}

function afterChanges(window: Window, { changes, newDoc, newSelection }: Transaction): Window {
  const { from, to, codeEnd } = window
  const mapped = {
    from: changes.mapPos(from, -1),
    to: changes.mapPos(to, 1),
    codeEnd: changes.mapPos(codeEnd),
  }
  const isBefore = codeEnd > 0 && changes.touchesRange(0, codeEnd) !== false
  if (isBefore || mapped.to - mapped.from > MAX_WINDOW) {
    const pos = Math.min(newDoc.length, isBefore ? mapped.from + MARGIN : newSelection.main.head)
    return windowAt(newDoc, {
      from: pos,
      to: Math.max(pos, Math.min(mapped.to - MARGIN, pos + MAX_WINDOW / 2)),
    })
  }
  const ranges: { fromA: number; toA: number; fromB: number; toB: number }[] = []
  changes.iterChangedRanges((fromA, toA, fromB, toB) => ranges.push({ fromA, toA, fromB, toB }))
  return parseWindow(newDoc, mapped, TreeFragment.applyChanges(window.fragments, ranges))
}

/** Moves the window to a range and parses it again. */
export const moveWindow = StateEffect.define<TextRange>()

const field = StateField.define<Window>({
  create: ({ doc }) => windowAt(doc, { from: 0, to: 0 }),
  update: (window, transaction) => {
    const place = transaction.effects.find((effect) => effect.is(moveWindow))?.value
    if (place) return windowAt(transaction.newDoc, place)
    return transaction.docChanged ? afterChanges(window, transaction) : window
  },
})

/** The syntax of the text in the window; there are no nodes elsewhere. */
export const syntaxTree = (state: EditorState): Tree => state.field(field).tree

function visibleRange({ visibleRanges, viewport }: EditorView): TextRange {
  const from = visibleRanges[0]?.from ?? viewport.from
  return { from, to: Math.min(visibleRanges.at(-1)?.to ?? viewport.to, from + MAX_VISIBLE) }
}

/** Moves the window with the view, before it is painted. */
const follower = ViewPlugin.fromClass(
  class {
    #isScheduled = false
    #isAlive = true
    readonly #stopListening: () => void
    constructor(readonly view: EditorView) {
      this.#stopListening = onLanguage(() => this.#parse())
      this.#follow()
    }
    update({ viewportChanged, docChanged }: ViewUpdate) {
      if (viewportChanged || docChanged) this.#follow()
    }
    destroy() {
      this.#isAlive = false
      this.#stopListening()
    }
    #isInside(): boolean {
      const window = this.view.state.field(field)
      const { from, to } = visibleRange(this.view)
      return from >= window.from && to <= window.to
    }
    #follow() {
      if (this.#isScheduled || this.#isInside()) return
      this.#isScheduled = true
      queueMicrotask(() => {
        this.#isScheduled = false
        if (!this.#isInside()) this.#parse()
      })
    }
    #parse() {
      if (this.#isAlive) this.view.dispatch({ effects: moveWindow.of(visibleRange(this.view)) })
    }
  },
)

const marks = new Map<string, Decoration>()

function markOf(classes: string): Decoration {
  const known = marks.get(classes) ?? Decoration.mark({ class: classes })
  marks.set(classes, known)
  return known
}

function visibleDecorations({ state, visibleRanges }: EditorView): DecorationSet {
  const found = new RangeSetBuilder<Decoration>()
  const tree = syntaxTree(state)
  for (const { from, to } of visibleRanges)
    highlightTree(
      tree,
      highlighting,
      (start, end, classes) => found.add(start, end, markOf(classes)),
      from,
      to,
    )
  return found.finish()
}

/** True if the syntax of the visible text may have changed. */
export const hasNewSyntax = ({ startState, state, viewportChanged }: ViewUpdate): boolean =>
  viewportChanged || syntaxTree(startState) !== syntaxTree(state)

const highlighter = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet
    constructor(view: EditorView) {
      this.decorations = visibleDecorations(view)
    }
    update(update: ViewUpdate) {
      if (hasNewSyntax(update)) this.decorations = visibleDecorations(update.view)
    }
  },
  { decorations: (plugin) => plugin.decorations },
)

/** True if the text before a position is code. */
export function isInCode(state: EditorState, pos: number): boolean {
  let node = syntaxTree(state).resolveInner(pos, -1)
  for (; node.parent; node = node.parent) if (/Code/.test(node.name)) return true
  return false
}

/** Markdown syntax and its highlighting. */
export const syntax: Extension = [field, follower, Prec.high(highlighter)]
