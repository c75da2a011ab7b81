import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { counted } from '../../data/formats.ts'
import { navigate } from '../../router.ts'
import { isFinderOpen, openFinder, useDialog } from '../dialogs.ts'
import { ErrorText } from '../form.tsx'
import { Icon } from '../icon.tsx'
import { lazy } from '../lazy.tsx'
import { Snippet } from '../snippet.tsx'
import { Tag } from '../tag.tsx'
import { useResults } from './results.ts'
import type { Found } from './search.ts'

/** The dialog that finds notes, rows, files and commands; Ctrl K opens it. */
export function Finder() {
  const { ref, onClose } = useDialog(isFinderOpen)
  const [refused, setRefused] = useState<Refused>()
  // A layout effect, so that keys pressed before the first paint are not lost.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isFinderKey = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.altKey
      // The editor inserts a link if text is selected.
      if (!isFinderKey || event.defaultPrevented) return
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

/** The kinds of results, by their ids. */
const KINDS: Readonly<Record<string, RegExp>> = {
  Notes: /^(?:all-)?note/,
  Rows: /^(?:record|structure)/,
  Files: /^file/,
  Actions: /^(?!note|all|record|structure|file)/,
}

const FinderPreview = lazy(async () => (await import('./preview.tsx')).FinderPreview)

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

function Search({ refused, close, onRefused }: SearchProps) {
  const [text, setText] = useState(refused?.text ?? '')
  const [selectedId, setSelectedId] = useState<string>()
  const [refusal, setRefusal] = useState(refused?.message)
  const [isEnterPending, setEnterPending] = useState(false)
  const results = useResults(text.trim())
  const { isSearching, error } = results
  const [kind, setKind] = useState<string>()
  const found = results.found.filter(({ id }) => kind === undefined || KINDS[kind]?.test(id))
  const input = useRef<HTMLInputElement>(null)
  const index = Math.max(
    found.findIndex(({ id }) => id === selectedId),
    0,
  )
  const selected = found[index]

  const choose = async (result: Found) => {
    try {
      close()
      if (result.to !== undefined) navigate(result.to)
      else await result.run?.()
    } catch (failure) {
      onRefused({ text, message: (failure as Error).message })
    }
  }
  const move = (by: number) => {
    const next = found[(index + by + found.length) % found.length]
    setSelectedId(next?.id)
    if (next) document.getElementById(next.id)?.scrollIntoView({ block: 'nearest' })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') move(1)
    else if (event.key === 'ArrowUp') move(-1)
    else if (event.key === 'Enter' && !event.isComposing) enter()
    // The browser would only clear a search field.
    else if (event.key === 'Escape' && !event.isComposing) close()
    else return
    event.preventDefault()
  }
  // Enter never selects a result of older text: it waits for the search to finish.
  const enter = () => {
    if (isSearching && selectedId === undefined) setEnterPending(true)
    else if (selected) void choose(selected)
  }
  useEffect(() => {
    if (!isEnterPending || isSearching) return
    setEnterPending(false)
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
      <div class="kinds">
        {[undefined, ...Object.keys(KINDS)].map((name) => (
          <button
            key={name}
            type="button"
            class="button quiet"
            aria-pressed={kind === name}
            onClick={() => {
              setKind(name)
              input.current?.focus()
            }}
          >
            {name ?? 'All'}
          </button>
        ))}
      </div>
      <div class="beside">
        <div role="listbox" id="found" aria-label="Results" tabIndex={-1} class="found">
          {[...Map.groupBy(found, ({ group }) => group)].map(([group, members]) => (
            // biome-ignore lint/a11y/useSemanticElements: the groups of a listbox have this role.
            <div key={group} role="group" aria-label={group}>
              <p class="group" role="presentation">
                {group}
              </p>
              {members.map((result) => (
                <Option
                  key={result.id}
                  found={result}
                  isSelected={result === selected}
                  onClick={() => void choose(result)}
                  onKeyDown={onKeyDown}
                />
              ))}
            </div>
          ))}
        </div>
        <FinderPreview id={selected?.id} />
      </div>
      <p class="foot" role="status">
        <span>{isSearching ? 'Searching…' : counted(found.length, 'result')}</span>
        <span class="grow" />
        <span class="keys" aria-hidden="true">
          <span>
            <kbd>↑</kbd> <kbd>↓</kbd> select
          </span>
          <span>
            <kbd>Enter</kbd> open
          </span>
          <span>
            <kbd>Esc</kbd> close
          </span>
        </span>
      </p>
      {(refusal ?? error?.message) && <ErrorText>{refusal ?? error?.message}</ErrorText>}
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
    <small>{found.detail}</small>
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
