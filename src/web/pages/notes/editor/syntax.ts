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
 * The syntax of what is in sight and of some text around it, in a window that follows the view. However long the text is,
 * a key costs what the window costs, and what is in sight is never without its syntax.
 */

/** How much is read before and after what is in sight. */
const MARGIN = 20_000
/** Of more that is in sight, as of one line without an end, the beginning is read. */
const MAX_IN_SIGHT = MARGIN
/** A window that has grown to this is made anew. */
const MAX_WINDOW = 8 * MARGIN
/** Reading a window takes at most about as long; what is left then is plain. */
const MAX_MS = 500

interface Place {
  readonly from: number
  readonly to: number
}

interface Window extends Place {
  /** With the places of the whole text, and nothing outside the window. */
  readonly tree: Tree
  /** What can be used again when the text changes. */
  readonly fragments: readonly TreeFragment[]
  /** The end of code that began before the window and goes on in it; the rest is parsed. */
  readonly codeEnd: number
}

const typeNamed = (name: string) => parser.nodeSet.types.find((type) => type.name === name) as NodeType
const DOCUMENT = typeNamed('Document')
const FENCED_CODE = typeNamed('FencedCode')
const CODE_TEXT = typeNamed('CodeText')

const codeOf = (length: number) => new Tree(FENCED_CODE, [new Tree(CODE_TEXT, [], [], length)], [0], length)

/** A block begins after a blank line; within a very long one it is looked for no further. */
function startOf(doc: Text, at: number): number {
  const wanted = Math.max(0, at - MARGIN)
  let line = doc.lineAt(wanted)
  // In the middle of a line that is longer than the window.
  if (wanted - line.from > MARGIN) return wanted
  while (line.number > 1 && wanted - line.from < MARGIN && line.text.trim() !== '')
    line = doc.line(line.number - 1)
  return line.from
}

/** Where code that is open at a place ends, or the place itself. */
function endOfCode(doc: Text, from: number, to: number): number {
  const reader = new BlockReader()
  let isOpen = false
  let at = 0
  for (const line of doc.iterLines()) {
    if (at >= from && !isOpen) return from
    const { kind } = reader.read(line)
    const isCode: boolean = isOpen && (kind === 'fenced' || kind === 'fence')
    if (at >= from && !isCode) return Math.max(from, Math.min(to, at - 1))
    if (at >= from && kind === 'fence') return Math.min(to, at + line.length)
    isOpen = kind === 'fence' ? !isOpen : isCode
    at += line.length + 1
    if (at >= to) break
  }
  return isOpen ? to : from
}

/** Parses in steps until the time is over. */
function parsedInTime(doc: Text, range: Place, known: readonly TreeFragment[]) {
  const parse = parser.startParse(new DocInput(doc), known, [range])
  const until = performance.now() + MAX_MS
  for (;;) {
    const tree = parse.advance()
    if (tree) return { tree, isWhole: parse.stoppedAt === null }
    if (parse.stoppedAt === null && performance.now() > until) parse.stopAt(parse.parsedPos)
  }
}

/** Reads a window; what has not changed since it was read before is taken from there. */
function read(doc: Text, { from, to, codeEnd }: Place & { codeEnd: number }, known: readonly TreeFragment[]) {
  const code = codeEnd > from ? [codeOf(codeEnd - from)] : []
  const { tree: parsed, isWhole } =
    codeEnd < to ? parsedInTime(doc, { from: codeEnd, to }, known) : { tree: Tree.empty, isWhole: true }
  const tree = new Tree(
    DOCUMENT,
    [...code, ...parsed.children],
    [...code.map(() => from), ...parsed.positions.map((at) => at + codeEnd)],
    to,
  )
  return {
    from,
    to,
    codeEnd,
    tree,
    fragments: TreeFragment.addTree(tree, known, to < doc.length || !isWhole),
  }
}

function windowAt(doc: Text, { from: at, to: until }: Place): Window {
  const from = startOf(doc, at)
  const to = Math.min(doc.length, until + MARGIN)
  return read(doc, { from, to, codeEnd: from === 0 ? 0 : endOfCode(doc, from, to) }, [])
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
    const at = Math.min(newDoc.length, isBefore ? mapped.from + MARGIN : newSelection.main.head)
    return windowAt(newDoc, { from: at, to: Math.max(at, Math.min(mapped.to - MARGIN, at + MAX_WINDOW / 2)) })
  }
  const ranges: { fromA: number; toA: number; fromB: number; toB: number }[] = []
  changes.iterChangedRanges((fromA, toA, fromB, toB) => ranges.push({ fromA, toA, fromB, toB }))
  return read(newDoc, mapped, TreeFragment.applyChanges(window.fragments, ranges))
}

/** Has the window be where something else is in sight now, and all in it be read anew. */
export const readAround = StateEffect.define<Place>()

const field = StateField.define<Window>({
  create: ({ doc }) => windowAt(doc, { from: 0, to: 0 }),
  update: (window, transaction) => {
    const place = transaction.effects.find((effect) => effect.is(readAround))?.value
    if (place) return windowAt(transaction.newDoc, place)
    return transaction.docChanged ? afterChanges(window, transaction) : window
  },
})

/** The syntax of the text that is in sight and around it; elsewhere there are no nodes. */
export const syntaxTree = (state: EditorState): Tree => state.field(field).tree

function inSight({ visibleRanges, viewport }: EditorView): Place {
  const from = visibleRanges[0]?.from ?? viewport.from
  return { from, to: Math.min(visibleRanges.at(-1)?.to ?? viewport.to, from + MAX_IN_SIGHT) }
}

/** Has the window follow the view before it is painted. */
const follower = ViewPlugin.fromClass(
  class {
    #isAsked = false
    #isAlive = true
    readonly #forget: () => void
    constructor(readonly view: EditorView) {
      this.#forget = onLanguage(() => this.#read())
      this.#follow()
    }
    update({ viewportChanged, docChanged }: ViewUpdate) {
      if (viewportChanged || docChanged) this.#follow()
    }
    destroy() {
      this.#isAlive = false
      this.#forget()
    }
    #isInside(): boolean {
      const window = this.view.state.field(field)
      const { from, to } = inSight(this.view)
      return from >= window.from && to <= window.to
    }
    #follow() {
      if (this.#isAsked || this.#isInside()) return
      this.#isAsked = true
      queueMicrotask(() => {
        this.#isAsked = false
        if (!this.#isInside()) this.#read()
      })
    }
    #read() {
      if (this.#isAlive) this.view.dispatch({ effects: readAround.of(inSight(this.view)) })
    }
  },
)

const looks = new Map<string, Decoration>()

function lookOf(classes: string): Decoration {
  const known = looks.get(classes) ?? Decoration.mark({ class: classes })
  looks.set(classes, known)
  return known
}

function looksInSight({ state, visibleRanges }: EditorView): DecorationSet {
  const found = new RangeSetBuilder<Decoration>()
  const tree = syntaxTree(state)
  for (const { from, to } of visibleRanges)
    highlightTree(
      tree,
      highlighting,
      (start, end, classes) => found.add(start, end, lookOf(classes)),
      from,
      to,
    )
  return found.finish()
}

/** Whether what is seen of the syntax may be another one now. */
export const isReadAnew = ({ startState, state, viewportChanged }: ViewUpdate): boolean =>
  viewportChanged || syntaxTree(startState) !== syntaxTree(state)

const highlighter = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet
    constructor(view: EditorView) {
      this.decorations = looksInSight(view)
    }
    update(update: ViewUpdate) {
      if (isReadAnew(update)) this.decorations = looksInSight(update.view)
    }
  },
  { decorations: (plugin) => plugin.decorations },
)

/** Whether what is before a place is code. */
export function isInCode(state: EditorState, at: number): boolean {
  let node = syntaxTree(state).resolveInner(at, -1)
  for (; node.parent; node = node.parent) if (/Code/.test(node.name)) return true
  return false
}

/** The syntax of Markdown, and its colours. */
export const syntax: Extension = [field, follower, Prec.high(highlighter)]
