import { EditorView } from '@codemirror/view'
import { isInCode } from './syntax.ts'

/** HTML that carries more than plain text. Code editors only add colours. */
const FORMATTED =
  /<(?:a\s[^<>]*href|h[1-6]|[uo]l|table|blockquote|pre|strong|b|em|i|code|del|s|hr)[\s>]|font-weight:\s*(?:bold|[6-9]00)|font-style:\s*italic/i

/** Pastes formatted HTML as Markdown. */
export const pastedHtml = EditorView.domEventHandlers({
  paste: ({ clipboardData }, view) => {
    const html = clipboardData?.getData('text/html') ?? ''
    const plain = clipboardData?.getData('text/plain') ?? ''
    if (html === '' || isInCode(view.state, view.state.selection.main.from) || !FORMATTED.test(html))
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
