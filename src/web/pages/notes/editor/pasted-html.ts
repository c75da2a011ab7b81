import { EditorView } from '@codemirror/view'
import { isInCode } from './syntax.ts'

/** What says more than its text; editors of code put only colours around it. */
const SAYS_MORE =
  /<(?:a\s[^<>]*href|h[1-6]|[uo]l|table|blockquote|pre|strong|b|em|i|code|del|s|hr)[\s>]|font-weight:\s*(?:bold|[6-9]00)|font-style:\s*italic/i

/** What is copied from a page or a word processor is pasted as the Markdown that says the same. */
export const pastedHtml = EditorView.domEventHandlers({
  paste: ({ clipboardData }, view) => {
    const html = clipboardData?.getData('text/html') ?? ''
    const plain = clipboardData?.getData('text/plain') ?? ''
    if (html === '' || isInCode(view.state, view.state.selection.main.from) || !SAYS_MORE.test(html))
      return false
    void import('./html-to-markdown.ts')
      .then(({ markdownOf }) => markdownOf(html))
      .catch(() => plain)
      .then((text) => insert(view, text))
    return true
  },
})

function insert(view: EditorView, text: string): void {
  if (!view.dom.isConnected) return
  const pasted = view.state.toText(text.replaceAll(/\r\n?|\n/g, view.state.lineBreak))
  view.dispatch(view.state.replaceSelection(pasted), { userEvent: 'input.paste', scrollIntoView: true })
}
