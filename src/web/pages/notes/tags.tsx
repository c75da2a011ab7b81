import { signal } from '@preact/signals'
import { useState } from 'preact/hooks'
import { hueOfTag } from '../../components/tag.tsx'
import { type Answer, api } from '../../data/api.ts'
import { formatNumber } from '../../data/formats.ts'
import { sessionKey } from '../../data/session-key.ts'
import { useQuery } from '../../data/use-query.ts'
import { address } from '../../router.ts'
import { otherListAddress, shownList } from './place.ts'
import { type TagBranch, treeOf } from './tag-tree.ts'

type Named = Answer<'/v1/tags', 'get'>['tags'][number]

/** So few are found without a filter. */
const FEW = 12
/** More than this nobody looks through; they are searched for. */
const SHOWN = 200

const stored = () => `tags ${sessionKey.peek()}`

function readOpen(): ReadonlySet<string> {
  try {
    return new Set(JSON.parse(localStorage.getItem(stored()) ?? '[]') as string[])
  } catch {
    return new Set()
  }
}

/** The names of the tags whose branches this person opened in this browser. */
const opened = signal<ReadonlySet<string> | undefined>(undefined)

function setOpen(name: string, isOpen: boolean): void {
  const next = new Set(opened.peek() ?? readOpen())
  if (isOpen) next.add(name)
  else next.delete(name)
  opened.value = next
  localStorage.setItem(stored(), JSON.stringify([...next]))
}

/** The pinned tags, and all as a tree. */
export function Tags() {
  const { data } = useQuery(['tag note'], () => api.get('/v1/tags'))
  const tags = data?.tags ?? []
  const [wanted, setWanted] = useState('')
  const words = wanted.trim().toLowerCase()
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
                <TagLink name={name} label={name} notes={note_count} />
              </li>
            ))}
          </ul>
        </div>
      )}
      <div class="rail-sub">
        <h2>Tags</h2>
        {tags.length > FEW && (
          <input
            type="search"
            class="input"
            aria-label="Filter tags"
            placeholder="Filter tags"
            value={wanted}
            onInput={({ currentTarget }) => setWanted(currentTarget.value)}
          />
        )}
        {words === '' ? <Branches branches={treeOf(tags)} /> : <Found tags={tags} words={words} />}
      </div>
    </>
  )
}

/** The tags whose names hold what is looked for, each with its whole name. */
function Found({ tags, words }: { tags: readonly Named[]; words: string }) {
  const found = tags.filter(({ name }) => name.toLowerCase().includes(words)).slice(0, SHOWN)
  if (found.length === 0) return <p class="dim">No tag has this in its name.</p>
  return (
    <ul>
      {found.map(({ id, name, note_count }) => (
        <li key={id}>
          <TagLink name={name} label={name} notes={note_count} />
        </li>
      ))}
    </ul>
  )
}

const Branches = ({ branches }: { branches: readonly TagBranch[] }) => (
  <ul>
    {branches.slice(0, SHOWN).map((branch) => (
      <li key={branch.name}>
        {branch.branches.length === 0 ? <TagLink {...branch} /> : <Branch branch={branch} />}
      </li>
    ))}
    {branches.length > SHOWN && (
      <li>
        <a href={address(['views', 'tags'])}>{branches.length - SHOWN} more tags</a>
      </li>
    )}
  </ul>
)

function Branch({ branch }: { branch: TagBranch }) {
  const { name, label, notes, branches } = branch
  const shown = shownList.value
  const isAround = shown?.kind === 'tag' && shown.name.startsWith(`${name}/`)
  const isOpen = isAround || (opened.value ?? readOpen()).has(name)
  return (
    <details class="branch" open={isOpen} onToggle={({ currentTarget }) => setOpen(name, currentTarget.open)}>
      <summary>
        <span class={`cut dot ${hueOfTag(name)}`}>{label}</span>
      </summary>
      {notes !== undefined && <TagLink name={name} label={label} notes={notes} />}
      {isOpen && <Branches branches={branches} />}
    </details>
  )
}

interface TagLinkProps {
  readonly name: string
  readonly label: string
  readonly notes: number | undefined
}

function TagLink({ name, label, notes }: TagLinkProps) {
  const shown = shownList.value
  return (
    <a
      href={otherListAddress({ tag: name })}
      aria-current={shown?.kind === 'tag' && shown.name === name ? 'true' : undefined}
    >
      <span class={`tag cut ${hueOfTag(name)}`} title={name}>
        {label}
      </span>
      {notes !== undefined && <span class="at-end">{formatNumber(notes)}</span>}
    </a>
  )
}
