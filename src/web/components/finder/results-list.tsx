import type { RefObject } from 'preact'
import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { counted } from '../../data/formats.ts'
import { navigate } from '../../router.ts'
import { ErrorText } from '../form.tsx'
import { Icon } from '../icon.tsx'
import { Snippet } from '../snippet.tsx'
import { Tag } from '../tag.tsx'
import { FinderPreview } from './preview.tsx'
import { useResults } from './results.ts'
import type { Found } from './search.ts'

/** The kinds of results, by their ids. */
const KINDS: Readonly<Record<string, RegExp>> = {
  Notes: /^(?:all-)?note/,
  Rows: /^(?:record|structure)/,
  Files: /^file/,
  Actions: /^(?!note-|all-|record|structure|file)/,
}

export interface ResultsProps {
  readonly text: string
  /** The field of the text, whose arrow keys select a result. */
  readonly input: RefObject<HTMLInputElement | null>
  readonly refusal: string | undefined
  /** Whether Enter was pressed: the selected result is opened once it belongs to the text. */
  readonly isEnterPending: boolean
  readonly onEntered: () => void
  readonly close: () => void
  /** Receives the error of a refused command. */
  readonly onRefused: (message: string) => void
}

/** The results for the text, with a preview of the selected one. */
export function Results({ text, input, refusal, isEnterPending, onEntered, close, onRefused }: ResultsProps) {
  const [kind, setKind] = useState<string>()
  const [selection, setSelection] = useState<{ text: string; id: string | undefined }>()
  const results = useResults(text.trim())
  const { isSearching, problem } = results
  const found = results.found.filter(({ id }) => kind === undefined || KINDS[kind]?.test(id))
  const selectedId = selection?.text === text ? selection.id : undefined
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
      onRefused((failure as Error).message)
    }
  }
  const move = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (by === undefined) return
    event.preventDefault()
    const next = found[(index + by + found.length) % found.length]
    setSelection({ text, id: next?.id })
    if (next) document.getElementById(next.id)?.scrollIntoView({ block: 'nearest' })
  }
  useLayoutEffect(() => {
    const field = input.current
    if (selected) field?.setAttribute('aria-activedescendant', selected.id)
    else field?.removeAttribute('aria-activedescendant')
    field?.addEventListener('keydown', move)
    return () => field?.removeEventListener('keydown', move)
  })
  useEffect(() => {
    // Enter never selects a result of older text: it waits for the search to finish.
    if (!isEnterPending || (isSearching && selectedId === undefined)) return
    onEntered()
    if (selected) void choose(selected)
  })

  return (
    <>
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
                  onKeyDown={move}
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
      {(refusal ?? problem) && <ErrorText>{refusal ?? problem}</ErrorText>}
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
