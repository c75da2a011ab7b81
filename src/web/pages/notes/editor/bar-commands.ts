import { startCompletion } from '@codemirror/autocomplete'
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

/** Puts a mark before the text of the line, in place of the one that is there, or takes it off. */
const lineMark =
  (mark: string) =>
  ({ state, dispatch }: EditorView): boolean => {
    const line = state.doc.lineAt(state.selection.main.head)
    const [whole = '', indent = '', present = ''] =
      /^([ \t]*)((?:[-*+][ \t]+\[[ xX]\]|[-*+]|\d{1,9}[.)]|#{1,6})[ \t]+)?/.exec(line.text) ?? []
    const insert = present === mark ? indent : indent + mark
    dispatch(
      state.update({
        changes: { from: line.from, to: line.from + whole.length, insert },
        userEvent: 'input',
      }),
    )
    return true
  }

/** Types what opens a list of what can be completed. */
const typed =
  (text: string) =>
  (view: EditorView): boolean => {
    const { from } = view.state.selection.main
    const isInWord = from > 0 && /\S/.test(view.state.sliceDoc(from - 1, from))
    const insert = `${isInWord ? ' ' : ''}${text}`
    view.dispatch(view.state.replaceSelection(insert), { userEvent: 'input.type' })
    return startCompletion(view)
  }

export const BAR_COMMANDS: Readonly<Record<BarCommand, (view: EditorView) => boolean>> = {
  insert: typed('/'),
  task: lineMark('- [ ] '),
  bullet: lineMark('- '),
  heading: lineMark('## '),
  bold: toggleMarks('**'),
  italic: toggleMarks('*'),
  link: typed('[['),
  tag: typed('#'),
  outdent: outdentItems,
  indent: indentItems,
  undo,
}
