import { EditorView } from '@codemirror/view'
import { syntaxTree } from './syntax.ts'

/** Calls `onTag` when the user finishes a tag with a blank, line break or punctuation. */
export const completedTags = (onTag: (name: string) => void) =>
  EditorView.updateListener.of(({ state, transactions, docChanged }) => {
    if (!docChanged || !transactions.some((transaction) => transaction.isUserEvent('input'))) return
    const pos = state.selection.main.head
    const line = state.doc.lineAt(pos)
    const ended = pos === line.from ? line.number > 1 && state.doc.line(line.number - 1).to : pos - 1
    if (ended === false || ended <= 0 || !/[\s.,;:!?)]/.test(state.sliceDoc(ended, ended + 1))) return
    const node = syntaxTree(state).resolveInner(ended, -1)
    if (node.name === 'Hashtag' && node.to === ended) onTag(state.sliceDoc(node.from + 1, node.to))
  })
