import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { isFinderOpen, openFinder, useDialog } from '../dialogs.ts'
import { useHotkeys } from '../hotkeys.ts'
import { lazy } from '../lazy.tsx'

/** The dialog that finds notes, rows, files and commands; Ctrl K opens it. */
export function Finder() {
  const { ref, onClose } = useDialog(isFinderOpen)
  const [refused, setRefused] = useState<Refused>()
  useHotkeys((event) => {
    const isFinderKey = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.altKey
    // The editor inserts a link if text is selected.
    if (!isFinderKey || event.defaultPrevented) return
    event.preventDefault()
    openFinder()
  })
  return (
    <dialog
      ref={ref}
      id="find"
      class="dialog palette"
      aria-label="Find notes, rows, files, commands"
      onClose={(event) => {
        onClose(event)
        if (!isFinderOpen.peek()) setRefused(undefined)
      }}
    >
      {isFinderOpen.value && (
        <Search
          key={refused?.message}
          refused={refused}
          close={() => {
            isFinderOpen.value = false
          }}
          onRefused={(given) => {
            setRefused(given)
            openFinder()
          }}
        />
      )}
    </dialog>
  )
}

/** The text typed before a command was refused, and the refusal. */
interface Refused {
  readonly text: string
  readonly message: string
}

const Results = lazy(async () => (await import('./results-list.tsx')).Results)

interface SearchProps {
  readonly refused: Refused | undefined
  readonly close: () => void
  readonly onRefused: (refused: Refused) => void
}

/** Attributes of a field that opens its own list instead of the browser's. */
const COMBOBOX = {
  role: 'combobox',
  list: undefined,
  'aria-expanded': true,
  'aria-controls': 'found',
  'aria-autocomplete': 'list',
} as const

/** The field; its results are loaded with the first use, and keys typed until then are kept. */
function Search({ refused, close, onRefused }: SearchProps) {
  const [text, setText] = useState(refused?.text ?? '')
  const [refusal, setRefusal] = useState(refused?.message)
  const [isEnterPending, setEnterPending] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => input.current?.focus(), [])
  return (
    <>
      <input
        ref={input}
        class="input"
        type="search"
        {...COMBOBOX}
        aria-label="Find"
        autocomplete="off"
        placeholder="Notes, rows, files, commands"
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value)
          setRefusal(undefined)
        }}
        onKeyDown={(event) => {
          if (event.isComposing) return
          if (event.key === 'Enter') setEnterPending(true)
          // The browser would only clear a search field.
          else if (event.key === 'Escape') close()
          else return
          event.preventDefault()
        }}
      />
      <Results
        text={text}
        input={input}
        refusal={refusal}
        isEnterPending={isEnterPending}
        onEntered={() => setEnterPending(false)}
        close={close}
        onRefused={(message) => onRefused({ text, message })}
      />
    </>
  )
}
