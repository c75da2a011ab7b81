import { signal } from '@preact/signals'
import { useState } from 'preact/hooks'
import { hueOfTag } from '../../components/tag.tsx'
import { type Answer, api } from '../../data/api.ts'
import { formatNumber } from '../../data/formats.ts'
import { sessionKey } from '../../data/session-key.ts'
import { useQuery } from '../../data/use-query.ts'
import { address } from '../../router.ts'
import { currentList, otherListAddress } from './route.ts'
import { type TagBranch, treeOf } from './tag-tree.ts'

type Named = Answer<'/v1/tags', 'get'>['tags'][number]

/** The filter appears above this number of tags. */
const FILTER_THRESHOLD = 12
/** Tags shown per branch; more are found with the filter. */
const MAX_SHOWN = 200

const storageKey = () => `tags ${sessionKey.peek()}`

function readOpen(): ReadonlySet<string> {
  try {
    return new Set(JSON.parse(localStorage.getItem(storageKey()) ?? '[]') as string[])
  } catch {
    return new Set()
  }
}

/** Names of expanded branches, stored per user in this browser. */
const expanded = signal<ReadonlySet<string> | undefined>(undefined)

function setOpen(name: string, isOpen: boolean): void {
  const next = new Set(expanded.peek() ?? readOpen())
  if (isOpen) next.add(name)
  else next.delete(name)
  expanded.value = next
  localStorage.setItem(storageKey(), JSON.stringify([...next]))
}

/** Pinned tags, and all tags as a tree. */
export function Tags() {
  const { data } = useQuery(['tag note'], () => api.get('/v1/tags'))
  const tags = data?.tags ?? []
  const [filter, setFilter] = useState('')
  const text = filter.trim().toLowerCase()
  const pinned = tags.filter(({ is_pinned }) => is_pinned)
  if (tags.length === 0) return null
  return (
    <>
      {pinned.length > 0 && (
        <div class="rail-sub">
          <h2>Pinned tags</h2>
          <ul>
            {pinned.map(({ id, name, note_count }) => (
              <li key={id}>
                <TagLink name={name} label={name} noteCount={note_count} />
              </li>
            ))}
          </ul>
        </div>
      )}
      <div class="rail-sub">
        <h2>Tags</h2>
        {tags.length > FILTER_THRESHOLD && (
          <input
            type="search"
            class="input"
            aria-label="Filter tags"
            placeholder="Filter tags"
            value={filter}
            onInput={({ currentTarget }) => setFilter(currentTarget.value)}
          />
        )}
        {text === '' ? <Branches branches={treeOf(tags)} /> : <FilteredTags tags={tags} text={text} />}
      </div>
    </>
  )
}

/** Tags whose names contain the text, with their full names. */
function FilteredTags({ tags, text }: { tags: readonly Named[]; text: string }) {
  const found = tags.filter(({ name }) => name.toLowerCase().includes(text)).slice(0, MAX_SHOWN)
  if (found.length === 0) return <p class="dim">No matching tags.</p>
  return (
    <ul>
      {found.map(({ id, name, note_count }) => (
        <li key={id}>
          <TagLink name={name} label={name} noteCount={note_count} />
        </li>
      ))}
    </ul>
  )
}

const Branches = ({ branches }: { branches: readonly TagBranch[] }) => (
  <ul>
    {branches.slice(0, MAX_SHOWN).map((branch) => (
      <li key={branch.name}>
        {branch.branches.length === 0 ? <TagLink {...branch} /> : <Branch branch={branch} />}
      </li>
    ))}
    {branches.length > MAX_SHOWN && (
      <li>
        <a href={address(['views', 'tags'])}>{branches.length - MAX_SHOWN} more tags</a>
      </li>
    )}
  </ul>
)

function Branch({ branch }: { branch: TagBranch }) {
  const { name, label, noteCount, branches } = branch
  const list = currentList.value
  const containsCurrent = list?.kind === 'tag' && list.name.startsWith(`${name}/`)
  const isOpen = containsCurrent || (expanded.value ?? readOpen()).has(name)
  return (
    <details class="branch" open={isOpen} onToggle={({ currentTarget }) => setOpen(name, currentTarget.open)}>
      <summary>
        <span class={`cut dot ${hueOfTag(name)}`}>{label}</span>
      </summary>
      {noteCount !== undefined && <TagLink name={name} label={label} noteCount={noteCount} />}
      {isOpen && <Branches branches={branches} />}
    </details>
  )
}

interface TagLinkProps {
  readonly name: string
  readonly label: string
  readonly noteCount: number | undefined
}

function TagLink({ name, label, noteCount }: TagLinkProps) {
  const list = currentList.value
  return (
    <a
      href={otherListAddress({ tag: name })}
      aria-current={list?.kind === 'tag' && list.name === name ? 'true' : undefined}
    >
      <span class={`tag cut ${hueOfTag(name)}`} title={name}>
        {label}
      </span>
      {noteCount !== undefined && <span class="at-end">{formatNumber(noteCount)}</span>}
    </a>
  )
}
