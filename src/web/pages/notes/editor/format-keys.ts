import { type ChangeSpec, EditorSelection, type EditorState, type StateCommand } from '@codemirror/state'
import { EditorView, type KeyBinding } from '@codemirror/view'
import { syntaxTree } from './syntax.ts'

/** The prefix of a list item, possibly quoted. */
const ITEM = /^([ \t]*(?:>[ \t]*)*)(?:([-*+])|(\d{1,9})([.)]))([ \t]+)(\[[ xX]\][ \t]+)?/
const QUOTE = /^[ \t]*(?:>[ \t]?)+/

/** True inside a code block, where nothing is a list; inline code does not count. */
const isInCodeBlock = (state: EditorState, offset: number): boolean => {
  for (let node = syntaxTree(state).resolveInner(offset, -1); node.parent; node = node.parent)
    if (node.name === 'FencedCode' || node.name === 'CodeBlock') return true
  return false
}

/** The prefix that continues a list or quote on the next line; undefined for other lines. */
function nextPrefix(line: string): { prefix: string; length: number } | undefined {
  const item = ITEM.exec(line)
  if (item) {
    const [whole, indent = '', bullet, number, dot = '', blank = ' ', box] = item
    const mark = bullet ?? `${Number(number) + 1}${dot}`
    return { prefix: `${indent}${mark}${blank}${box ? '[ ] ' : ''}`, length: whole.length }
  }
  const quote = QUOTE.exec(line)
  return quote ? { prefix: quote[0], length: quote[0].length } : undefined
}

/** Continues a list, task list or quote on the next line; ends it on an empty item. */
export const continueLine: StateCommand = ({ state, dispatch }) => {
  const { main, ranges } = state.selection
  if (ranges.length > 1 || isInCodeBlock(state, main.from)) return false
  const line = state.doc.lineAt(main.from)
  const next = nextPrefix(line.text)
  if (!next || main.from < line.from + next.length || main.to > line.to) return false
  const isEmpty = line.text.length === next.length
  const changes = isEmpty
    ? { from: line.from, to: line.to }
    : { from: main.from, to: main.to, insert: state.lineBreak + next.prefix }
  const anchor = isEmpty ? line.from : main.from + 1 + next.prefix.length
  dispatch(state.update({ changes, selection: { anchor }, scrollIntoView: true, userEvent: 'input' }))
  return true
}

const INDENT = '  '

/** The lines of the selection if all are list items, else undefined. */
function listLines(state: EditorState) {
  const { from, to } = state.selection.main
  const lines = []
  for (let offset = from; ; ) {
    const line = state.doc.lineAt(offset)
    if (!ITEM.test(line.text)) return undefined
    lines.push(line)
    if (line.to >= to) return lines
    offset = line.to + 1
  }
}

const changeLines =
  (changeOf: (line: { from: number; text: string }) => ChangeSpec): StateCommand =>
  ({ state, dispatch }) => {
    const lines = listLines(state)
    if (!lines) return false
    dispatch(state.update({ changes: lines.map(changeOf), userEvent: 'indent' }))
    return true
  }

/** Indents the selected list items by one level. */
export const indentItems = changeLines(({ from }) => ({ from, insert: INDENT }))

/** Outdents the selected list items by one level. */
export const outdentItems = changeLines(({ from, text }) => {
  const [blank = ''] = /^(\t| {1,2})/.exec(text) ?? []
  return { from, to: from + blank.length }
})

/** Toggles marks surrounding the selection. */
export const toggleMarks =
  (mark: string): StateCommand =>
  ({ state, dispatch }) => {
    const { length } = mark
    const update = state.changeByRange(({ from, to }) => {
      const surrounding = state.sliceDoc(from - length, from) + state.sliceDoc(to, to + length)
      if (surrounding === mark + mark)
        return {
          changes: [
            { from: from - length, to: from },
            { from: to, to: to + length },
          ],
          range: EditorSelection.range(from - length, to - length),
        }
      return {
        changes: [
          { from, insert: mark },
          { from: to, insert: mark },
        ],
        range: EditorSelection.range(from + length, to + length),
      }
    })
    dispatch(state.update(update, { userEvent: 'input' }))
    return true
  }

/** Turns the selected text into a link, with the cursor in its address. */
const insertLink: StateCommand = ({ state, dispatch }) => {
  const { from, to, empty } = state.selection.main
  if (empty) return false
  const changes = { from, to, insert: `[${state.sliceDoc(from, to)}]()` }
  dispatch(state.update({ changes, selection: { anchor: to + 3 }, userEvent: 'input' }))
  return true
}

const TASK = /^([ \t]*(?:>[ \t]*)*(?:[-*+]|\d{1,9}[.)])[ \t]+\[)([ xX])(?=\][ \t])/

/** The change that toggles the task of a line, if it is one. */
export function tickOf(state: EditorState, offset: number): ChangeSpec | undefined {
  const line = state.doc.lineAt(offset)
  const task = TASK.exec(line.text)
  if (!task) return undefined
  const from = line.from + (task[1]?.length ?? 0)
  return { from, to: from + 1, insert: task[2] === ' ' ? 'x' : ' ' }
}

export const tickTask: StateCommand = ({ state, dispatch }) => {
  const changes = tickOf(state, state.selection.main.head)
  if (!changes) return false
  dispatch(state.update({ changes, userEvent: 'input' }))
  return true
}

const WEB_ADDRESS = /^https?:\/\/\S+$/

/** Turns selected text into a link when a URL is pasted over it. */
export const pastedLinks = EditorView.domEventHandlers({
  paste: ({ clipboardData }, { state, dispatch }) => {
    const pasted = clipboardData?.getData('text/plain').trim() ?? ''
    const { main, ranges } = state.selection
    const text = state.sliceDoc(main.from, main.to)
    const isText = text.trim() !== '' && !/[\n[\]]/.test(text)
    if (ranges.length > 1 || !isText || !WEB_ADDRESS.test(pasted)) return false
    const insert = `[${text}](${pasted.replaceAll('(', '%28').replaceAll(')', '%29')})`
    dispatch(
      state.update({
        changes: { from: main.from, to: main.to, insert },
        selection: { anchor: main.from + insert.length },
        userEvent: 'input.paste',
      }),
    )
    return true
  },
})

export const formatKeys: readonly KeyBinding[] = [
  { key: 'Enter', run: continueLine },
  { key: 'Tab', run: indentItems },
  { key: 'Shift-Tab', run: outdentItems },
  { key: 'Mod-b', run: toggleMarks('**') },
  { key: 'Mod-i', run: toggleMarks('*') },
  { key: 'Mod-k', run: insertLink },
]
