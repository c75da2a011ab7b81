import { join } from 'node:path'

/** A CodeMirror with only a history and line wrapping. */
const SCRIPT = `
  import { defaultKeymap, history } from '@codemirror/commands'
  import { EditorState } from '@codemirror/state'
  import { EditorView, keymap } from '@codemirror/view'
  const doc = await (await fetch('/text')).text()
  const extensions = [EditorView.lineWrapping, history(), keymap.of(defaultKeymap)]
  new EditorView({ parent: document.body, state: EditorState.create({ doc, extensions }) })
`
const PAGE =
  '<!doctype html><style>body { margin: 0 } .cm-editor { height: 100vh }</style><body><script type="module" src="/script.js"></script>'

/** A page that shows a text in a bare editor: the floor for the cost of a key press. */
export async function serveBareEditor(text: string) {
  const entry = join(import.meta.dir, 'bare.ts')
  const { outputs } = await Bun.build({ entrypoints: [entry], files: { [entry]: SCRIPT }, minify: true })
  const script = await outputs[0]?.text()
  const served: Record<string, [content: string, type: string]> = {
    '/': [PAGE, 'text/html'],
    '/text': [text, 'text/plain; charset=utf-8'],
    '/script.js': [script ?? '', 'text/javascript'],
  }
  return Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: ({ url }) => {
      const [content, type] = served[new URL(url).pathname] ?? ['', 'text/plain']
      return new Response(content, { headers: { 'Content-Type': type } })
    },
  })
}
