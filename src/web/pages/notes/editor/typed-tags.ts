import { EditorView } from '@codemirror/view'
import { syntaxTree } from './syntax.ts'

/** Calls `onTag` with the name of a tag when the person ends it: by a blank, a line break or a mark after it. */
export const completedTags = (onTag: (name: string) => void) =>
  EditorView.updateListener.of(({ state, transactions, docChanged }) => {
    if (!docChanged || !transactions.some((one) => one.isUserEvent('input'))) return
    const at = state.selection.main.head
    const line = state.doc.lineAt(at)
    const ended = at === line.from ? line.number > 1 && state.doc.line(line.number - 1).to : at - 1
    if (ended === false || ended <= 0 || !/[\s.,;:!?)]/.test(state.sliceDoc(ended, ended + 1))) return
    const node = syntaxTree(state).resolveInner(ended, -1)
    if (node.name === 'Hashtag' && node.to === ended) onTag(state.sliceDoc(node.from + 1, node.to))
  })
