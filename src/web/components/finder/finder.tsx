import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { navigate } from '../../router.ts'
import { isFinderOpen, openFinder, useDialog } from '../dialogs.ts'
import { Why } from '../form.tsx'
import { Icon } from '../icon.tsx'
import { Snippet } from '../snippet.tsx'
import { Tag } from '../tag.tsx'
import { useResults } from './results.ts'
import type { Found } from './search.ts'

/** The dialog that finds notes, rows, files and commands; Ctrl K opens it. */
export function Finder() {
  const { ref, onClose } = useDialog(isFinderOpen)
  const [refused, setRefused] = useState<Refused>()
  // Before anything is painted: a key that is pressed at once is not lost.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isIt = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.altKey
      // In the editor, with text selected, it makes a link.
      if (!isIt || event.defaultPrevented) return
      event.preventDefault()
      openFinder()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  return (
    <dialog
      ref={ref}
      id="find"
      class="dialog palette"
      aria-label="Find notes, rows, files and commands"
      onClose={(event) => {
        onClose(event)
        if (!isFinderOpen.peek()) setRefused(undefined)
      }}
    >
      {isFinderOpen.value && (
        <Search
          key={refused?.sentence}
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

/** What was typed when a command was chosen, and why it was refused. */
interface Refused {
  readonly text: string
  readonly sentence: string
}

interface SearchProps {
  readonly refused: Refused | undefined
  readonly close: () => void
  readonly onRefused: (refused: Refused) => void
}

/** A field that opens a list of its own, not the browser's. */
const COMBOBOX = {
  role: 'combobox',
  list: undefined,
  'aria-expanded': true,
  'aria-controls': 'found',
  'aria-autocomplete': 'list',
} as const

function Search({ refused, close, onRefused }: SearchProps) {
  const [text, setText] = useState(refused?.text ?? '')
  const [selectedId, setSelectedId] = useState<string>()
  const [refusal, setRefusal] = useState(refused?.sentence)
  const [isWaiting, setWaiting] = useState(false)
  const { found, isSearching, error } = useResults(text.trim())
  const input = useRef<HTMLInputElement>(null)
  const at = Math.max(
    found.findIndex(({ id }) => id === selectedId),
    0,
  )
  const selected = found[at]

  const choose = async (one: Found) => {
    try {
      close()
      if (one.to !== undefined) navigate(one.to)
      else await one.run?.()
    } catch (failure) {
      onRefused({ text, sentence: (failure as Error).message })
    }
  }
  const move = (by: number) => {
    const next = found[(at + by + found.length) % found.length]
    setSelectedId(next?.id)
    if (next) document.getElementById(next.id)?.scrollIntoView({ block: 'nearest' })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') move(1)
    else if (event.key === 'ArrowUp') move(-1)
    else if (event.key === 'Enter' && !event.isComposing) enter()
    // A search field would only be emptied.
    else if (event.key === 'Escape' && !event.isComposing) close()
    else return
    event.preventDefault()
  }
  // What was found for an older text is never chosen: Enter waits until the search has ended.
  const enter = () => {
    if (isSearching && selectedId === undefined) setWaiting(true)
    else if (selected) void choose(selected)
  }
  useEffect(() => {
    if (!isWaiting || isSearching) return
    setWaiting(false)
    if (selected) void choose(selected)
  })
  useLayoutEffect(() => input.current?.focus(), [])

  return (
    <>
      <input
        ref={input}
        class="input"
        type="search"
        {...COMBOBOX}
        aria-label="Find"
        {...(selected && { 'aria-activedescendant': selected.id })}
        autocomplete="off"
        placeholder="Notes, rows, files, commands"
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value)
          setSelectedId(undefined)
          setRefusal(undefined)
        }}
        onKeyDown={onKeyDown}
      />
      <div role="listbox" id="found" aria-label="Results" tabIndex={-1} class="found">
        {[...Map.groupBy(found, ({ group }) => group)].map(([group, members]) => (
          // biome-ignore lint/a11y/useSemanticElements: the groups of a listbox have this role.
          <div key={group} role="group" aria-label={group}>
            <p class="group" role="presentation">
              {group}
            </p>
            {members.map((one) => (
              <Option
                key={one.id}
                found={one}
                isSelected={one === selected}
                onClick={() => void choose(one)}
                onKeyDown={onKeyDown}
              />
            ))}
          </div>
        ))}
      </div>
      <p class="foot" role="status">
        <span>
          {isSearching ? 'Searching…' : `${found.length} ${found.length === 1 ? 'result' : 'results'}`}
        </span>
        <span class="grow" />
        <span class="keys" aria-hidden="true">
          <span>
            <kbd>↑</kbd> <kbd>↓</kbd> choose
          </span>
          <span>
            <kbd>Enter</kbd> open
          </span>
          <span>
            <kbd>Esc</kbd> close
          </span>
        </span>
      </p>
      {(refusal ?? error?.message) && <Why>{refusal ?? error?.message}</Why>}
    </>
  )
}

interface OptionProps {
  readonly found: Found
  readonly isSelected: boolean
  readonly onClick: () => void
  readonly onKeyDown: (event: KeyboardEvent) => void
}

const Option = ({ found, isSelected, onClick, onKeyDown }: OptionProps) => (
  <div
    id={found.id}
    role="option"
    tabIndex={-1}
    aria-selected={isSelected}
    onClick={onClick}
    onKeyDown={onKeyDown}
  >
    <Icon name={found.icon} />
    <span class="cut" dir="auto">
      {found.title}
    </span>
    {found.alias !== undefined && <span class="dim">{found.alias}</span>}
    {found.tags?.map((tag) => (
      <Tag key={tag} name={tag} />
    ))}
    <small>{found.what}</small>
    {found.snippet !== undefined ? (
      <Snippet text={found.snippet} />
    ) : (
      found.excerpt && (
        <p class="clamp" dir="auto">
          {found.excerpt}
        </p>
      )
    )}
  </div>
)
