import { undo } from '@codemirror/commands'
import type { EditorView } from '@codemirror/view'
import { indentItems, outdentItems, toggleMarks } from './format-keys.ts'

export type BarCommand =
  | 'insert'
  | 'task'
  | 'bullet'
  | 'heading'
  | 'bold'
  | 'italic'
  | 'link'
  | 'tag'
  | 'outdent'
  | 'indent'
  | 'undo'

/** Toggles a list, task or heading mark at the start of the line, replacing any other mark. */
const lineMark =
  (mark: string) =>
  ({ state, dispatch }: EditorView): boolean => {
    const line = state.doc.lineAt(state.selection.main.head)
    const [whole = '', indent = '', current = ''] =
      /^([ \t]*)((?:[-*+][ \t]+\[[ xX]\]|[-*+]|\d{1,9}[.)]|#{1,6})[ \t]+)?/.exec(line.text) ?? []
    const insert = current === mark ? indent : indent + mark
    dispatch(
      state.update({
        changes: { from: line.from, to: line.from + whole.length, insert },
        userEvent: 'input',
      }),
    )
    return true
  }

/** The commands after which the completion list opens. */
export const COMPLETED: ReadonlySet<BarCommand> = new Set(['insert', 'link', 'tag'])

/** Types a trigger of the completion list. */
const typeTrigger =
  (text: string) =>
  (view: EditorView): boolean => {
    const { from } = view.state.selection.main
    const isInWord = from > 0 && /\S/.test(view.state.sliceDoc(from - 1, from))
    const insert = `${isInWord ? ' ' : ''}${text}`
    view.dispatch(view.state.replaceSelection(insert), { userEvent: 'input.type' })
    return true
  }

export const BAR_COMMANDS: Readonly<Record<BarCommand, (view: EditorView) => boolean>> = {
  insert: typeTrigger('/'),
  task: lineMark('- [ ] '),
  bullet: lineMark('- '),
  heading: lineMark('## '),
  bold: toggleMarks('**'),
  italic: toggleMarks('*'),
  link: typeTrigger('[['),
  tag: typeTrigger('#'),
  outdent: outdentItems,
  indent: indentItems,
  undo,
}
