import { useEffect } from 'preact/hooks'
import { Icon, type IconName } from '../../../components/icon.tsx'
import type { BarCommand } from './bar-commands.ts'

const BUTTONS: readonly [BarCommand, string, string | IconName][] = [
  ['insert', 'Insert', 'plus'],
  ['task', 'Task', 'check'],
  ['bullet', 'Bulleted list', '•'],
  ['heading', 'Heading', 'H'],
  ['bold', 'Bold', 'B'],
  ['italic', 'Italic', 'I'],
  ['link', 'Link to a note', '[['],
  ['tag', 'Tag', '#'],
  ['outdent', 'Outdent', '⇤'],
  ['indent', 'Indent', '⇥'],
  ['undo', 'Undo', '↶'],
]

const ICONS: readonly string[] = ['plus', 'check'] satisfies IconName[]

/** Sets `--keyboard` to the height of an on-screen keyboard that covers the page. */
function useKeyboardHeight(): void {
  useEffect(() => {
    const view = visualViewport
    const measure = () => {
      const hidden = view ? Math.max(0, innerHeight - view.height - view.offsetTop) : 0
      document.documentElement.style.setProperty('--keyboard', `${hidden}px`)
    }
    view?.addEventListener('resize', measure)
    view?.addEventListener('scroll', measure)
    return () => {
      view?.removeEventListener('resize', measure)
      view?.removeEventListener('scroll', measure)
    }
  }, [])
}

/** The toolbar above the on-screen keyboard of phones. The text keeps the focus. */
export function WritingBar({ run }: { run: (command: BarCommand) => void }) {
  useKeyboardHeight()
  return (
    <div class="writing-bar" role="toolbar" aria-label="Formatting">
      {BUTTONS.map(([command, name, symbol]) => (
        <button
          type="button"
          class="button quiet"
          key={command}
          aria-label={name}
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => run(command)}
        >
          {ICONS.includes(symbol) ? (
            <Icon name={symbol as IconName} />
          ) : (
            <span aria-hidden="true">{symbol}</span>
          )}
        </button>
      ))}
    </div>
  )
}
